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

// The SQL expression for the number of votes in a row's bins.
inline constexpr const char* kTotalOfBins =
    "bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + bin9 + bin10";

// An object's totals at one moment, and the versions of the totals' rows by category. The version
// is 0 if there is no row. Each change to a row raises its version.
struct VersionedStats {
  model::Stats stats;
  std::array<std::uint64_t, model::kCategories.size()> versions{};

  bool operator==(const VersionedStats&) const = default;
};

// Functions that read the table ratingd_totals. StatsStore caches their results. Errors (all
// functions): same as db::Connection.

using StatsOf = std::map<model::Object, VersionedStats>;

// Returns the totals for "objects". A statement reads up to 64 objects. Objects without ratings
// have zeros.
[[nodiscard]] StatsOf read_totals(db::Connection& connection,
                                  std::span<const model::Object> objects);
// These two functions do the same as read_totals() while statements are collected
// (db/multi_statement.h). add_read_totals() adds a statement for "objects", which must not be
// empty. stats_in_rows() reads its rows.
void add_read_totals(db::Connection& connection, std::span<const model::Object> objects);
[[nodiscard]] StatsOf stats_in_rows(db::Rows& rows, std::span<const model::Object> objects);

// Returns the only type, other than "post", that has ratings for this id. Facets are ignored.
// Returns nothing if there is no such type, or if there are several.
[[nodiscard]] std::optional<std::string> only_other_type(db::Connection& connection,
                                                         std::uint64_t object_id,
                                                         const model::FacetNames& facets);

// Provides the current totals for objects. Three parts of the program share the work:
//   - StatsStore (this class) answers from the cache. If the totals are not in the cache, it reads
//     the database and fills the cache.
//   - runtime::SharedCache holds records in shared memory and knows nothing about the database.
//   - read_totals() reads the table ratingd_totals.
// The code in model/rating.h and handlers/object_ratings.h uses the totals to compute the numbers
// that clients see.
//
// Code that changes totals calls publish(), invalidate() or invalidate_all() after the commit and
// before it answers its client.
//
// Safe for concurrent use. Errors (functions that read the database): same as db::Connection.
class StatsStore {
 public:
  // "cache" and "metrics" must outlive this object. "metrics" counts cache hits and misses. If it
  // is nullptr, they are not counted.
  explicit StatsStore(runtime::SharedCache& cache, runtime::Metrics* metrics = nullptr);

  // Returns the totals for "objects", in the same order. One statement reads up to 64 objects that
  // are not in the cache. Objects without ratings have zeros.
  [[nodiscard]] std::vector<model::Stats> read(db::Pool& sessions,
                                               std::span<const model::Object> objects) const;

  // Returns the cached totals for "objects", even if they have expired, for use while the database
  // is unavailable. Returns nothing if the cache does not contain the totals of all objects.
  [[nodiscard]] std::optional<std::vector<model::Stats>> remembered(
      std::span<const model::Object> objects) const;

  // These two functions are for a transaction that changes totals and reads them before its commit.
  // The caller calls begin_publishing() before the transaction reads the totals, and publish()
  // after the commit. After publish(), all readers on this host see the changes. "server" is
  // db::Connection::server_hash().
  // REQUIRES: "tokens" has a token for each object in "totals".
  using CasTokens = std::map<model::Object, runtime::SharedCache::CasToken>;
  [[nodiscard]] CasTokens begin_publishing(std::span<const model::Object> objects) const;
  void publish(const StatsOf& totals, const CasTokens& tokens, std::uint64_t server) const;

  // Returns the type to which an id without a type refers, if no post with this id has ratings. If
  // the cache does not contain the type, calls "find" and caches the result. If the totals of an
  // object with this id and a type other than "post" change, the cached type is removed.
  [[nodiscard]] std::string type_of_id(std::uint64_t object_id,
                                       const std::function<std::string()>& find) const;

  // Removes the totals for "objects" from the cache. Reads that are in progress will not store them
  // again.
  void invalidate(std::span<const model::Object> objects) const;
  // Does the same as invalidate() for all objects.
  void invalidate_all() const { cache_.clear(); }

 private:
  void count_lookups(std::size_t hits, std::size_t misses) const;

  runtime::SharedCache& cache_;
  runtime::Metrics* const metrics_;
};

}  // namespace rollups
