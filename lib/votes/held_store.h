#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"
#include "votes/own_ratings_cache.h"
#include "votes/suspicion.h"
#include "votes/vote_batch.h"
#include "votes/voter_days.h"

namespace votes {

// A rating that is stored but not counted.
struct HeldRating {
  model::Rating rating;
  Reasons reasons = 0;
  base::Time held_at;

  bool operator==(const HeldRating&) const = default;
};

// DESIGN. Held ratings are rows in the ratingd_votes table that are not included in any rollup.
// Each held rating also has a row in the ratingd_held table. Each call that holds, releases or
// deletes ratings changes the ratingd_votes and ratingd_held tables and all rollups in one
// transaction. The transaction locks rows in the same order as a batch of votes
// (votes/vote_batch.h). A released rating counts towards the day on which it was cast. Each call
// accepts at most kHeldAtOnce ratings, so that votes do not have to wait long for the locks. The
// voters' active days are computed from the stored votes.
//
// Safe for concurrent use if each caller has its own connection. Calls can be repeated safely. All
// functions throw the same exceptions as db::Connection, but they throw db::Conflict only after
// several attempts.
class HeldStore {
 public:
  static constexpr std::size_t kHeldAtOnce = 256;

  // The caches in "caches" must outlive this object.
  explicit HeldStore(const HostCaches& caches) : caches_(caches) {}

  // Returns the held ratings for one object, or for all objects if "object" is empty. The most
  // recently held rating comes first. Skips "offset" ratings and returns at most "limit" ratings.
  [[nodiscard]] static std::vector<HeldRating> list(db::Connection& connection,
                                                    const std::optional<model::Object>& object,
                                                    std::int64_t offset, std::int64_t limit);
  [[nodiscard]] static std::int64_t count(db::Connection& connection,
                                          const std::optional<model::Object>& object);

  // Releases the ratings with the given keys if they are held. Returns how many ratings were
  // released. A released rating is never suspected again.
  std::size_t release(db::Connection& connection, std::span<const model::RatingKey> keys) const;

  // Deletes the ratings with the given keys if they are held. Returns how many ratings were
  // deleted.
  std::size_t drop(db::Connection& connection, std::span<const model::RatingKey> keys) const;

  // Holds the ratings whose keys appear in "reasons". Skips ratings that are already held, have
  // been released, or have no user agent. Returns how many ratings were held.
  std::size_t hold(db::Connection& connection, const std::map<model::RatingKey, Reasons>& reasons,
                   base::Time now) const;

 private:
  using Ratings = std::map<model::RatingKey, model::OwnRating>;
  struct Locked {
    rollups::RollupChanges changes;
    Ratings ratings = {};
  };
  enum class Which { held, counted };

  Locked lock(db::Connection& connection, std::span<const model::RatingKey> keys,
              Which which) const;
  Moments read_moments(db::Connection& connection, const Ratings& ratings) const;
  void write_activity(db::Connection& connection, Locked& locked, const Moments& before,
                      const Moments& withdrawn) const;

  const HostCaches caches_;
};

}  // namespace votes
