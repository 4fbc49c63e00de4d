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

// The SQL expression for the number of votes in all bins of a row.
inline constexpr const char* kTotalOfBins =
    "bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + bin9 + bin10";

// The totals of an object at one moment, and the version of its row for each category. Each change
// to a row increases the version. The version is 0 if the row is missing.
struct VersionedStats {
  model::Stats stats;
  std::array<std::uint64_t, model::kCategories.size()> versions{};

  bool operator==(const VersionedStats&) const = default;
};

// The following functions read the table ratingd_totals. The class StatsStore caches their results.
// All functions throw the same exceptions as db::Connection.

using StatsOf = std::map<model::Object, VersionedStats>;

// Returns the totals for "objects". One statement reads up to 64 objects. If an object has no
// ratings, its totals are zeros.
[[nodiscard]] StatsOf read_totals(db::Connection& connection,
                                  std::span<const model::Object> objects);
// Two functions that read totals in a multi-statement (db/multi_statement.h). The function
// add_read_totals() adds a statement for "objects", which must not be empty. The function
// stats_in_rows() reads the rows that the statement returns.
void add_read_totals(db::Connection& connection, std::span<const model::Object> objects);
[[nodiscard]] StatsOf stats_in_rows(db::Rows& rows, std::span<const model::Object> objects);

// Returns the only object type other than "post" for which "object_id" has ratings. Facets are
// ignored. Returns nothing if "object_id" has ratings for no other type or for several other types.
[[nodiscard]] std::optional<std::string> only_other_type(db::Connection& connection,
                                                         std::uint64_t object_id,
                                                         const model::FacetNames& facets);

// Returns the current totals of objects. If the cache does not contain the totals, the class
// StatsStore reads them from the database and stores them in the cache. The class
// runtime::SharedCache stores records in shared memory and does not use the database. The function
// read_totals() reads the table ratingd_totals.
// The code in model/rating.h and handlers/object_ratings.h computes the numbers in responses from
// the totals.
//
// Code that changes totals must call publish(), invalidate() or invalidate_all() after the commit
// and before the response to the client.
//
// The class is thread-safe. The functions that read the database throw the same exceptions as
// db::Connection.
class StatsStore {
 public:
  // "cache" and "metrics" must outlive this object. If "metrics" is not nullptr, it counts cache
  // hits and misses.
  explicit StatsStore(runtime::SharedCache& cache, runtime::Metrics* metrics = nullptr);

  // Returns the totals for "objects", in the order of "objects". One statement reads up to 64
  // objects that are not in the cache. If an object has no ratings, its totals are zeros.
  [[nodiscard]] std::vector<model::Stats> read(db::Pool& sessions,
                                               std::span<const model::Object> objects) const;

  // Returns the cached totals for "objects", even if the totals have expired. The function is used
  // while the database is unavailable. Returns nothing if the cache does not contain the totals of
  // all objects.
  [[nodiscard]] std::optional<std::vector<model::Stats>> remembered(
      std::span<const model::Object> objects) const;

  // Two functions that update the cache after a transaction that changes totals. The caller must
  // call begin_publishing() before the transaction reads the changed totals, and publish() after
  // the commit. After publish() returns, all readers on this host see the changes. "server" is the
  // result of db::Connection::server_hash().
  // "tokens" must contain a token for each object in "totals".
  using CasTokens = std::map<model::Object, runtime::SharedCache::CasToken>;
  [[nodiscard]] CasTokens begin_publishing(std::span<const model::Object> objects) const;
  void publish(const StatsOf& totals, const CasTokens& tokens, std::uint64_t server) const;

  // Returns the object type for an id without a type, if no post with this id has ratings. If the
  // cache does not contain the type, calls "find" and caches the result. The cached type is removed
  // when the totals of an object with this id and a type other than "post" change.
  [[nodiscard]] std::string type_of_id(std::uint64_t object_id,
                                       const std::function<std::string()>& find) const;

  // Removes the totals for "objects" from the cache. Reads that are in progress cannot store old
  // totals again.
  void invalidate(std::span<const model::Object> objects) const;
  // Removes the totals of all objects from the cache.
  void invalidate_all() const { cache_.clear(); }

 private:
  void count_lookups(std::size_t hits, std::size_t misses) const;

  runtime::SharedCache& cache_;
  runtime::Metrics* const metrics_;
};

}  // namespace rollups
