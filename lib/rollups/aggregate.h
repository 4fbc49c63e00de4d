#pragma once

#include <compare>
#include <string>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"

namespace rollups {

// The sums of votes that are not stored one by one, of one object in one category on one day. A row
// of the table ratingd_balances.
struct Aggregate {
  struct Key {
    model::Object object;
    model::Category category = model::Category::binary;
    base::Day day;
    std::string source;  // "retention" or the name of a plugin, 1-32 ASCII characters

    auto operator<=>(const Key&) const = default;
  };
  Key key;
  model::Totals sums;  // with the time of the last vote

  bool operator==(const Aggregate&) const = default;
};

// The columns of an aggregate, those of the key first, and the aggregate in a row of them.
inline constexpr const char* kAggregateColumns =
    "object_id, object_type, category, day, source, sum, bin0, bin1, bin2, bin3, bin4, bin5, bin6,"
    " bin7, bin8, bin9, bin10, last_rated_at";
[[nodiscard]] Aggregate aggregate_in(const db::Rows& row);

// All aggregates of an object in a category. Errors: as db::Connection.
[[nodiscard]] std::vector<Aggregate> aggregates_of(db::Connection& connection,
                                                   const model::Object& object,
                                                   model::Category category);

}  // namespace rollups
