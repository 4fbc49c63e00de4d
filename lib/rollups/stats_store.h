#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/connection.h"
#include "db/pool.h"
#include "model/facets.h"
#include "model/rating.h"
#include "runtime/metrics.h"
#include "runtime/shared_cache.h"

namespace rollups {

// An SQL expression for the number of votes in a table row, which is the sum of the row's bins.
inline constexpr const char* kTotalOfBins =
    "bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + bin9 + bin10";

// An object's totals, and the versions of its rows in the ratingd_totals table, which has one row
// for each object and category. Each change to a row increases the row's version. If an object has
// no row for a category, the version is 0.
struct VersionedStats {
  model::Stats stats;
  std::array<std::uint64_t, model::kCategories.size()> versions{};

  bool operator==(const VersionedStats&) const = default;
};

// The following functions read the ratingd_totals table. The StatsStore class caches the totals.
// All functions throw the same exceptions as db::Connection.

using StatsOf = std::map<model::Object, VersionedStats>;

// Returns the totals for "objects". Executes one SQL statement for every 64 objects. If an object
// has no ratings, its totals are zeros.
[[nodiscard]] StatsOf read_totals(db::Connection& connection,
                                  std::span<const model::Object> objects);
// add_read_totals() adds a statement that reads the totals of "objects" to a multi-statement
// (db/multi_statement.h). "objects" must not be empty. stats_in_rows() reads the totals from the
// result of this statement.
void add_read_totals(db::Connection& connection, std::span<const model::Object> objects);
[[nodiscard]] StatsOf stats_in_rows(db::Rows& rows, std::span<const model::Object> objects);

// Returns the type of the rated object with the id "object_id". Posts and facets are ignored.
// Returns nothing if no rated object, or more than one, has this id.
[[nodiscard]] std::optional<std::string> only_other_type(db::Connection& connection,
                                                         std::uint64_t object_id,
                                                         const model::FacetNames& facets);

// Returns the current totals of objects. If the cache does not contain an object's totals,
// StatsStore reads them from the database and adds them to the cache. runtime::SharedCache stores
// the totals in shared memory and does not access the database.
//
// Code that changes totals must call publish(), invalidate() or invalidate_all() after the commit
// and before the response to the client.
//
// The class is thread-safe. The functions that read the database throw the same exceptions as
// db::Connection.
class StatsStore {
 public:
  // "cache" and "metrics" must outlive the StatsStore. If "metrics" is not nullptr, it counts cache
  // hits and misses.
  explicit StatsStore(runtime::SharedCache& cache, runtime::Metrics* metrics = nullptr);

  // Returns the totals for each element of "objects", in the same order. Executes one SQL statement
  // for every 64 objects that are not in the cache. If an object has no ratings, its totals are
  // zeros.
  [[nodiscard]] std::vector<model::Stats> read(db::Pool& sessions,
                                               std::span<const model::Object> objects) const;

  // Returns the cached totals of "objects", even if the cached totals have expired. Use this
  // function while the database is unavailable. Returns nothing if the cache does not contain the
  // totals of every object in "objects".
  [[nodiscard]] std::optional<std::vector<model::Stats>> remembered(
      std::span<const model::Object> objects) const;

  // The following functions update the cache after a transaction that has changed totals. Call
  // begin_publishing() before the transaction reads the changed totals, and call publish() after
  // the commit. After publish() returns, all processes on this host see the new totals. "server" is
  // the result of db::Connection::server_hash() for the session that read "totals". "tokens" must
  // be the result of begin_publishing() for all objects in "totals".
  using CasTokens = std::map<model::Object, runtime::SharedCache::CasToken>;
  [[nodiscard]] CasTokens begin_publishing(std::span<const model::Object> objects) const;
  void publish(const StatsOf& totals, const CasTokens& tokens, std::uint64_t server) const;

  // Returns the type of the object with the id "object_id", for requests that do not specify a
  // type. Call type_of_id() only if no post with this id has ratings. If the cache does not contain
  // the object type, calls "find" and caches the result. A change to the totals of an object with
  // the id "object_id" removes the cached type, unless the object is a post.
  [[nodiscard]] std::string type_of_id(std::uint64_t object_id,
                                       const std::function<std::string()>& find) const;

  // Removes the totals for "objects" from the cache. A read that is in progress during this call
  // cannot put the old totals back into the cache.
  void invalidate(std::span<const model::Object> objects) const;
  // Removes the totals of all objects from the cache.
  void invalidate_all() const { cache_.clear(); }

 private:
  void count_lookups(std::size_t hits, std::size_t misses) const;

  runtime::SharedCache& cache_;
  runtime::Metrics* const metrics_;
};

}  // namespace rollups
