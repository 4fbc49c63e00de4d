#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "db/pool.h"
#include "model/rating.h"
#include "rollups/stats_cache.h"
#include "rollups/totals_reader.h"
#include "wordpress/site_reader.h"

namespace rollups {

// The totals of objects, mostly from the cache. Whoever changes totals calls read_committed(),
// invalidate() or invalidate_all() after the commit and before anybody is told of it.
//
// Safe for concurrent use. Errors of what reads the database: as db::Connection.
class StatsStore {
 public:
  // "cache" must outlive it, and so must "metrics", where it counts what it finds in the cache;
  // nullptr: nowhere.
  StatsStore(const std::string& table_prefix, StatsCache& cache, base::Metrics* metrics = nullptr);

  // The totals of "objects", in their order: what is not in the cache, in one statement for each
  // 64. Objects that nobody rated have zeros.
  [[nodiscard]] std::vector<model::Stats> read(db::Pool& sessions,
                                               std::span<const model::Object> objects,
                                               base::Time now) const;

  // The same from the database, for a writer that has just committed changes of "objects":
  // everybody on this host sees them from now on.
  [[nodiscard]] std::map<model::Object, model::Stats> read_committed(
      db::Connection& connection, std::span<const model::Object> objects, base::Time now) const;

  // The object that is meant by "object_id" alone: a post, unless neither a rating nor a post with
  // this id exists and exactly one other type has ratings for it. "stats" become its totals.
  [[nodiscard]] model::Object meant_by(db::Pool& sessions, std::uint64_t object_id, base::Time now,
                                       model::Stats& stats) const;

  // What was read of "objects" before now is not answered any more.
  void invalidate(std::span<const model::Object> objects) const;
  // The same for all objects: after changes that may have been of any of them.
  void invalidate_all() const;

 private:
  std::string type_without_ratings_of_post(db::Pool& sessions, std::uint64_t object_id,
                                           base::Time now) const;

  void count_lookups(std::size_t hits, std::size_t misses) const;

  StatsCache& cache_;
  base::Metrics* const metrics_;
  const TotalsReader rollups_;
  const wordpress::SiteReader wp_;
};

}  // namespace rollups
