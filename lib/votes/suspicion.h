#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"

namespace votes {

// DESIGN. The hold_suspicious setting enables a rule that detects bursts of votes. The rule
// examines the recent first votes on one object in one category, and reads only the votes table,
// which is shared by all hosts. A burst is an unusually large number of first votes that come from
// a few networks, or that have the same user agent and value. Votes that are not part of a burst
// are counted as usual. A post that goes viral also gets many votes, but from many networks and
// user agents. The first votes in a burst look like ordinary votes and are counted. When a burst is
// detected, the rule also returns the votes in the burst that were already counted, so that they
// can be held. If a voter changes a vote, the vote stays in the burst in which it was first cast,
// because otherwise an attacker could hide a vote by casting it with another value first.
//
// By imitating honest votes, an attacker could cause honest votes to be held, but would need many
// addresses. The few_networks criterion counts at most two votes from each network. The one_agent
// criterion counts networks instead of votes. The max_new_voters_per_address_per_object setting
// limits the number of votes from a single network.

// A voter's first vote on an object, with the vote's origin. A first vote that was changed has the
// value and the network of the change.
struct FirstVote {
  base::Time cast_at;
  std::string network;           // as in the votes table, usually a keyed hash; empty if unknown
  std::uint16_t agent = 0;       // a keyed hash of the user agent; 0 if unknown
  model::Thousandths value = 0;  // the current value
};

// Returns the part of a stored address that identifies the network of one internet subscriber. A
// full IPv6 address ('6' and 16 bytes) is shortened to '6' and 8 bytes. Other addresses are
// returned unchanged.
[[nodiscard]] std::string network_in(std::string address);

// The usual traffic on earlier days, for comparison with the traffic in a possible burst.
struct Usual {
  double votes_per_hour = 0;  // on this object or on an average object, whichever is more
  std::map<std::string, double> networks = {};  // shares of the site's votes, 0 ... 1
  std::map<std::uint16_t, double> agents = {};  // also shares; a missing agent has the share 0
};

// The reasons why a vote is suspected, as a bit set.
using Reasons = std::uint8_t;
inline constexpr Reasons kFewNetworks = 1;  // most votes came from networks with several votes each
inline constexpr Reasons kOneAgent = 2;     // most networks sent the same user agent and value

// Returns the names "few_networks" and "one_agent" for the bits in "reasons".
[[nodiscard]] std::vector<std::string_view> names_of(Reasons reasons);
// Returns the reason with the given name, or nothing if there is no such reason.
[[nodiscard]] std::optional<Reasons> reason_named(std::string_view name);

inline constexpr std::chrono::hours kBurstWindow{1};  // older votes are ignored
inline constexpr std::size_t kBurstVotes = 256;       // only the newest votes are examined

// Returns the reasons why each vote in "votes" is suspected. The result for a vote that is not
// suspected is 0. "votes" contains first votes on one object in one category, both held and
// counted, in any order. "votes" must contain all votes cast within kBurstWindow before "now", or
// at least the newest kBurstVotes of them if there are more. "votes" may also contain older votes.
//
// The last ten minutes and the last hour are examined separately. Votes from unknown networks are
// ignored. "threshold" is the value of the hold_threshold setting, and values below 10 are treated
// as 10. Votes that meet one of the following criteria are suspected:
//   - few_networks: votes from a crowded network, that is, a network that has sent three or more
//     votes. At most two votes from each network are counted. At least half of the counted votes,
//     and at least "threshold" votes, must come from crowded networks. The suspected vote's network
//     must have sent at least three times its usual share of the votes.
//   - one_agent: votes with the same user agent and the same value. At least "threshold" networks,
//     and at least 60% of all networks, must have sent votes with the same user agent and value.
//     For a user agent that usually sends more than 40% of the votes, the required share is 1.5
//     times the usual share: for example, 75% if the usual share is 50%.
// The few_networks criterion applies only if the number of counted votes per hour is at least three
// times the usual number. The one_agent criterion applies only if the number of networks that send
// votes per hour is at least three times the usual number of votes per hour. A network or user
// agent shared by most of the site's visitors is not suspicious in itself. If no addresses are
// stored, no vote is suspected. Having the same value is not enough to make votes from many
// networks and user agents suspicious, because honest voters often agree.
[[nodiscard]] std::vector<Reasons> find_burst(std::span<const FirstVote> votes, base::Time now,
                                              const Usual& usual, int threshold);

// A rating in a batch that BurstWatch::judge() checks for bursts.
struct Candidate {
  FirstVote vote;
  bool is_change = false;  // the rating changes a stored rating
};

// The ratings in a batch that BurstWatch::judge() checks for bursts.
struct Candidates {
  std::map<model::RatingKey, Candidate> votes;
  int threshold = 0;  // the highest hold_threshold that the rules for these votes contain
};

// Reads the stored votes that find_burst() needs to examine the votes in a batch. BurstWatch reads
// one index range of at most kBurstVotes rows for each object, facet and category, and determines
// the usual traffic only if the range contains enough votes for a burst. The site's usual traffic
// is cached for a minute.
//
// Only the writing thread may use this class.
class BurstWatch {
 public:
  // Returns the suspected first votes among "candidates", and the reasons for the suspicion. The
  // candidates are not stored yet, and are examined together with the stored votes. A changed
  // vote is examined with its new value. If it is suspected, take_counted() returns it instead.
  // Throws the same exceptions as db::Connection.
  std::map<model::RatingKey, Reasons> judge(db::Connection& connection,
                                            const base::ZoneHistory& zones,
                                            const Candidates& candidates);

  // Returns the ratings in all counted votes that the last call to judge() identified as part of a
  // burst, and removes these ratings from this object. The caller must hold all returned ratings.
  [[nodiscard]] std::map<model::RatingKey, Reasons> take_counted();

 private:
  struct Stored {
    model::RatingKey key;
    FirstVote vote;
    bool may_be_held = false;  // the vote is counted and has a user agent
  };
  using Judged = std::map<model::RatingKey, Candidate>::const_iterator;

  void judge_object(db::Connection& connection, const base::ZoneHistory& zones,
                    std::span<const Judged> judged, int threshold,
                    std::map<model::RatingKey, Reasons>& suspected);
  static std::vector<Judged> apply_changes(std::span<const Judged> judged,
                                           std::vector<Stored>& recent);
  void note_counted(db::Connection& connection, const Stored& stored, Reasons reasons);
  [[nodiscard]] std::vector<Stored> read_recent(db::Connection& connection,
                                                const model::RatingKey& key, base::Time now) const;
  const Usual& usual(db::Connection& connection, const base::ZoneHistory& zones,
                     const model::RatingKey& key, base::Time now);
  void read_shares(db::Connection& connection, base::Time now);
  void read_means(db::Connection& connection, base::Day day);
  [[nodiscard]] double votes_per_hour(db::Connection& connection, const model::RatingKey& key,
                                      base::Day today) const;

  std::map<model::RatingKey, Reasons> counted_;
  base::Time usual_since_{};
  Usual usual_;
  std::array<double, model::kCategories.size()> means_{};  // votes per hour on an average object
};

}  // namespace votes
