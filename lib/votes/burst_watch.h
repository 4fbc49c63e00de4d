#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"
#include "votes/suspicion.h"

namespace votes {

// What one subscriber has of an address as the votes table holds it: of a whole IPv6 address ('6'
// and 16 bytes) the first half; all of anything else.
[[nodiscard]] std::string network_in(std::string address);

// Asks the database what find_burst() must know of the votes before those that are being written.
// It reads one short range of an index for each object and category, and only if that holds enough
// votes for a burst, what is usual; what is usual on the site it remembers for a minute.
//
// Used by one thread: that which writes votes.
class BurstWatch {
 public:
  explicit BurstWatch(const std::string& table_prefix);

  // Why those of "first_votes" that are suspected are; the others are not there. They are not
  // stored yet, and are judged together with those that are. "threshold": see find_burst().
  // Errors: as db::Connection.
  std::map<model::RatingKey, Reasons> judge(
      db::Connection& connection, const base::Zone& zone,
      const std::map<model::RatingKey, FirstVote>& first_votes, int threshold);

  // The stored votes that judge() found part of a burst although they are counted, since the last
  // call; they remain to be held.
  [[nodiscard]] std::map<model::RatingKey, Reasons> take_counted();

 private:
  struct Stored {
    model::RatingKey key;
    FirstVote vote;
    bool may_be_held = false;  // it is counted, and was never changed
  };
  using Judged = std::map<model::RatingKey, FirstVote>::const_iterator;

  void judge_object(db::Connection& connection, const base::Zone& zone,
                    std::span<const Judged> judged, int threshold,
                    std::map<model::RatingKey, Reasons>& suspected);
  [[nodiscard]] std::vector<Stored> read_recent(db::Connection& connection,
                                                const model::RatingKey& key, base::Time now) const;
  const Usual& usual(db::Connection& connection, const base::Zone& zone,
                     const model::RatingKey& key, base::Time now);
  void read_shares(db::Connection& connection, base::Time now);
  void read_means(db::Connection& connection, base::Day day);
  [[nodiscard]] double votes_per_hour(db::Connection& connection, const model::RatingKey& key,
                                      base::Day today) const;

  const std::string read_recent_, read_shares_, read_mean_, read_days_;
  std::map<model::RatingKey, Reasons> counted_;
  base::Time usual_since_{};
  Usual usual_;
  std::array<double, model::kCategories.size()> means_{};  // votes per hour on an average object
};

}  // namespace votes
