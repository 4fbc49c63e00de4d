#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "db/connection.h"
#include "model/facets.h"
#include "model/rating.h"

namespace rollups {

// The number of votes in a row's bins, as an SQL expression.
inline constexpr const char* kTotalOfBins =
    "bin0 + bin1 + bin2 + bin3 + bin4 + bin5 + bin6 + bin7 + bin8 + bin9 + bin10";

// An object's totals at one moment, and the versions of their rows by category. The version is 0 if
// there is no row. Each change to a row raises its version.
struct VersionedStats {
  model::Stats stats;
  std::array<std::uint64_t, model::kCategories.size()> versions{};

  bool operator==(const VersionedStats&) const = default;
};

// Functions that read the table ratingd_totals. StatsStore puts a cache in front of them. Errors
// (all functions): as db::Connection.

using StatsOf = std::map<model::Object, VersionedStats>;

// Returns the totals for "objects". A statement reads up to 64 objects. Objects without ratings
// have zeros.
[[nodiscard]] StatsOf read_totals(db::Connection& connection,
                                  std::span<const model::Object> objects);
// Do the same as read_totals() in two steps, while statements are collected (db/multi_statement.h).
// add_read_totals() adds a statement for "objects", which must not be empty. stats_in_rows() reads
// its rows.
void add_read_totals(db::Connection& connection, std::span<const model::Object> objects);
[[nodiscard]] StatsOf stats_in_rows(db::Rows& rows, std::span<const model::Object> objects);

// Returns the only type other than "post" that has ratings with this id. Facets do not count.
// Returns nothing if there is no such type or more than one.
[[nodiscard]] std::optional<std::string> only_other_type(db::Connection& connection,
                                                         std::uint64_t object_id,
                                                         const model::FacetNames& facets);

}  // namespace rollups
