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

// DESIGN. The rule behind the setting hold_suspicious. It judges the recent first votes on one
// object in one category. It needs no state except the votes table, which all hosts share. A burst
// consists of far more first votes than usual that resemble each other. They come from the same
// networks, or they have both the same user agent and the same value. Only these votes are
// suspected; other votes on the same object are counted. A post that goes viral also gets many
// votes, but these votes come from many networks and agents. The first votes in a burst look like
// ordinary votes and are counted at first. As soon as the rule detects the burst, it also returns
// these votes, so that they can be held.
//
// A vote is held because it resembles other votes. So an attacker could have honest votes held by
// sending votes that resemble them. This attack needs many addresses, because each network counts
// at most twice towards a burst, and once towards one user agent, no matter how many votes come
// from it. The setting max_new_voters_per_address_per_object limits the votes from a single
// network.

// A voter's first vote on an object, with its origin.
struct FirstVote {
  base::Time cast_at;
  std::string network;           // as in the votes table, usually a keyed hash; empty if unknown
  std::uint16_t agent = 0;       // a keyed hash of the user agent; 0 if unknown
  model::Thousandths value = 0;  // the current value
};

// Returns the part of a stored address that identifies one subscriber. A full IPv6 address ('6' and
// 16 bytes) is cut to its first 8 bytes; other addresses are returned unchanged.
[[nodiscard]] std::string network_in(std::string address);

// The usual traffic, measured on earlier days. The traffic in a burst differs from the usual
// traffic.
struct Usual {
  double votes_per_hour = 0;  // on this object or on an average object, whichever is more
  std::map<std::string, double> networks = {};  // shares of the site's votes, 0 ... 1
  std::map<std::uint16_t, double> agents = {};  // also shares; a missing agent has the share 0
};

// A set of bits for the reasons why a vote is suspected.
using Reasons = std::uint8_t;
inline constexpr Reasons kFewNetworks = 1;  // most votes came from networks with several votes each
inline constexpr Reasons kOneAgent = 2;     // most networks sent the same user agent and value

// Returns the names "few_networks" and "one_agent" for the bits in "reasons".
[[nodiscard]] std::vector<std::string_view> names_of(Reasons reasons);
// Returns the reason with this name, or nothing if there is none.
[[nodiscard]] std::optional<Reasons> reason_named(std::string_view name);

inline constexpr std::chrono::hours kBurstWindow{1};  // older votes are ignored
inline constexpr std::size_t kBurstVotes = 256;       // only the newest votes are examined

// Returns, for each element of "votes", the reasons why it is suspected. Most votes are not
// suspected and have the result 0. "votes" are first votes on one object in one category, in any
// order, whether they are held or counted. "votes" must contain the newest kBurstVotes votes in the
// kBurstWindow before "now", and may contain older votes.
//
// The last ten minutes and the last hour are examined separately. Only votes from known networks
// are examined. "threshold" is the setting hold_threshold, but at least 10. The following votes are
// suspected:
//   - few_networks: votes from a crowded network, which has three or more votes. At most two votes
//     from each network are counted. The counted votes from crowded networks must be at least
//     "threshold" and half of all counted votes. The network's share of the votes must be three
//     times its usual share.
//   - one_agent: votes with the same user agent and value. At least "threshold" networks and 60 %
//     of all networks must have sent such votes. Their share must be one and a half times this
//     agent's usual share.
// For few_networks, the number of votes per hour must be at least three times the usual number. For
// one_agent, the number of networks per hour must be at least three times the usual number of
// votes. So a network or an agent that most of the site's visitors share is not suspicious. If no
// addresses are stored, no vote is suspected. Votes from many networks and agents are never
// suspected if only their value is the same, because the votes of honest voters who agree look like
// this, too.
[[nodiscard]] std::vector<Reasons> find_burst(std::span<const FirstVote> votes, base::Time now,
                                              const Usual& usual, int threshold);

// Reads the stored votes that find_burst() needs to judge the votes in a batch. For each object and
// category, BurstWatch reads one short index range. If the range contains enough votes for a burst,
// BurstWatch also reads the usual traffic. The site's usual traffic is cached for a minute.
//
// Used only by the writing thread.
class BurstWatch {
 public:
  // Returns the suspected votes among "first_votes", and the reasons. "first_votes" are not stored
  // yet and are judged together with the stored votes. "threshold" is the parameter of
  // find_burst(). Errors: same as db::Connection.
  std::map<model::RatingKey, Reasons> judge(
      db::Connection& connection, const base::ZoneHistory& zones,
      const std::map<model::RatingKey, FirstVote>& first_votes, int threshold);

  // Returns and forgets the counted votes that the last call of judge() found to be part of a
  // burst, and all facets that were rated in the same votes. The caller must hold these ratings.
  [[nodiscard]] std::map<model::RatingKey, Reasons> take_counted();

 private:
  struct Stored {
    model::RatingKey key;
    FirstVote vote;
    bool may_be_held = false;  // the vote is counted and was never changed
  };
  using Judged = std::map<model::RatingKey, FirstVote>::const_iterator;

  void judge_object(db::Connection& connection, const base::ZoneHistory& zones,
                    std::span<const Judged> judged, int threshold,
                    std::map<model::RatingKey, Reasons>& suspected);
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
