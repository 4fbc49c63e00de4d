#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "db/bulk_statement.h"
#include "db/connection.h"
#include "model/facets.h"
#include "model/rating.h"

namespace rollups {

// "bin0, bin1, ..., bin10": columns of the rollup tables.
[[nodiscard]] std::string bin_columns();
// How many votes they count.
inline constexpr const char* kTotalOfBins =
    "bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + bin9 + bin10";

// The totals of an object at one moment, and the versions of their rows by category; 0: no row.
// Each change of a row raises its version.
struct VersionedStats {
  model::Stats stats;
  std::array<std::uint64_t, model::kCategories.size()> versions{};

  bool operator==(const VersionedStats&) const = default;
};

// Reads the table ratingd_totals; StatsStore puts a cache before it. Safe for concurrent use, each
// caller with its own connection.
class TotalsReader {
 public:
  explicit TotalsReader(const std::string& table_prefix);

  // The totals of "objects", up to 64 objects per statement. Objects without ratings have zeros.
  // Errors: as db::Connection.
  using StatsOf = std::map<model::Object, VersionedStats>;
  [[nodiscard]] StatsOf read(db::Connection& connection,
                             std::span<const model::Object> objects) const;
  // The same in two steps, while statements are collected (db/multi_statement.h): adds a statement
  // for "objects", which must not be empty, and reads its rows.
  void add_read(db::Connection& connection, std::span<const model::Object> objects) const;
  [[nodiscard]] static StatsOf stats_in(db::Rows& rows, std::span<const model::Object> objects);

  // The only type other than "post" that has ratings with this id, without facets; nothing if there
  // is no such type, or more than one. Errors: as db::Connection.
  [[nodiscard]] std::optional<std::string> only_other_type(db::Connection& connection,
                                                           std::uint64_t object_id,
                                                           const model::FacetNames& facets) const;

 private:
  const std::string head_;
  const db::BulkStatement read_totals_;
  const std::string find_types_;
};

}  // namespace rollups
