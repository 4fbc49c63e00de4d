#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/pool.h"
#include "model/rating.h"
#include "rollups/totals_reader.h"
#include "runtime/metrics.h"
#include "runtime/shared_cache.h"

namespace rollups {

// Stats of objects: where to read the current totals. Three classes share the work:
//   StatsStore (here)  answers from the cache, else from the database, and fills the cache.
//   runtime::SharedCache  holds records in shared memory and knows nothing of the database.
//   read_totals()      reads the table ratingd_totals.
// model/rating.h and handlers/object_ratings.h compute what clients see from the totals.
//
// Code that changes totals calls publish(), invalidate() or invalidate_all() after the commit and
// before it answers its client.
//
// Safe for concurrent use. Errors of functions that read the database: as db::Connection.
class StatsStore {
 public:
  // "cache" and "metrics" must outlive it. "metrics" counts hits and misses of the cache; nullptr:
  // not counted.
  explicit StatsStore(runtime::SharedCache& cache, runtime::Metrics* metrics = nullptr);

  // The totals of "objects", in their order. One statement reads up to 64 objects that are not in
  // the cache. Objects without ratings have zeros.
  [[nodiscard]] std::vector<model::Stats> read(db::Pool& sessions,
                                               std::span<const model::Object> objects) const;

  // The totals that this host has answered last, for the time when the database is away. Nothing
  // if it has forgotten those of an object.
  [[nodiscard]] std::optional<std::vector<model::Stats>> remembered(
      std::span<const model::Object> objects) const;

  // For a transaction that changes totals and reads them before its commit: begin_publishing()
  // before they are read, publish() after the commit. All later readers on this host see the
  // changes. "server": as db::Connection::server_hash(). REQUIRES: a token for each object with
  // totals.
  using CasTokens = std::map<model::Object, runtime::SharedCache::CasToken>;
  [[nodiscard]] CasTokens begin_publishing(std::span<const model::Object> objects) const;
  void publish(const StatsOf& totals, const CasTokens& tokens, std::uint64_t server) const;

  // The type that an id without a type means if no post with this id has ratings: from the cache,
  // else what "find" returns. Changed totals of another type with this id remove it from the cache.
  [[nodiscard]] std::string type_of_id(std::uint64_t object_id,
                                       const std::function<std::string()>& find) const;

  // Removes "objects" from the cache, also what other threads are reading at this moment.
  void invalidate(std::span<const model::Object> objects) const;
  // The same for all objects.
  void invalidate_all() const { cache_.clear(); }

 private:
  void count_lookups(std::size_t hits, std::size_t misses) const;

  runtime::SharedCache& cache_;
  runtime::Metrics* const metrics_;
};

}  // namespace rollups
