#pragma once

#include <array>
#include <map>
#include <span>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"
#include "votes/suspicion.h"

namespace votes {

// Reads the stored votes that find_burst() needs to judge the votes in a batch. For each object and
// category, it reads one short index range. It reads the usual traffic, too, if the range contains
// enough votes for a burst. The site's usual traffic is cached for a minute.
//
// Used by the writing thread only.
class BurstWatch {
 public:
  // Returns the suspected votes among "first_votes", with the reasons. These votes are not stored
  // yet and are judged together with the stored votes. "threshold" is the parameter of
  // find_burst(). Errors: as db::Connection.
  std::map<model::RatingKey, Reasons> judge(
      db::Connection& connection, const base::ZoneHistory& zones,
      const std::map<model::RatingKey, FirstVote>& first_votes, int threshold);

  // Returns and forgets the counted votes that the last judge() found to be part of a burst, and
  // all facets that were rated in the same votes. The caller must hold these ratings.
  [[nodiscard]] std::map<model::RatingKey, Reasons> take_counted();

 private:
  struct Stored {
    model::RatingKey key;
    FirstVote vote;
    bool may_be_held = false;  // it is counted and was never changed
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
