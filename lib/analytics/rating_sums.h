#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "analytics/rating_filter.h"
#include "db/connection.h"
#include "model/rating.h"

namespace analytics {

using SumsByCategory = std::array<Sums, model::kCategories.size()>;

[[nodiscard]] inline std::int64_t total_of(const SumsByCategory& sums) {
  std::int64_t total = 0;
  for (const Sums& one : sums) total += one.total;
  return total;
}

inline void add(SumsByCategory& sums, const SumsByCategory& more) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i].total += more[i].total;
    sums[i].sum += more[i].sum;
    sums[i].positive += more[i].positive;
    sums[i].negative += more[i].negative;
  }
}

// What objects, or users, were rated or have rated, by type and then id. Those whose total is 0 may
// be there or not.
using SumsById = std::unordered_map<std::uint64_t, SumsByCategory>;
using SumsByTypeAndId = std::map<std::string, SumsById>;

// DESIGN. A list over some days needs what its objects' rows add up to. The server would add up in
// a temporary table, at several times the price of reading the rows; so it sends them, in their
// order, and they are added up here. They come in slices of days, so that a site that has too many
// of them is given up in time; of a range that has most of the days, the other days are read
// instead and taken from the sums of all.

// Sum up the rollups of objects, or of users, for the filter; of users, positive and negative are
// not known. Read a row for each object, or user, and day, in at most "patience" and one slice;
// nothing if that is not enough. Hold all sums. Errors: as db::Connection.
[[nodiscard]] std::optional<SumsByTypeAndId> sum_up_objects(db::Connection& connection,
                                                            const std::string& table_prefix,
                                                            const RatingFilter& filter,
                                                            std::chrono::milliseconds patience);

// Whether users' sums are told apart by the type of what they rated, or stand under no type, "".
enum class Types { apart, together };
[[nodiscard]] std::optional<SumsByTypeAndId> sum_up_users(db::Connection& connection,
                                                          const std::string& table_prefix,
                                                          const RatingFilter& filter, Types types,
                                                          std::chrono::milliseconds patience);

}  // namespace analytics
