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

// From a row of all columns (aggregates_table()).
[[nodiscard]] Aggregate aggregate_in(const db::Rows& row);
// The sum, the bins and the time of the last vote, from "column" on.
[[nodiscard]] model::Totals totals_in(const db::Rows& row, unsigned column);

// All aggregates of an object in a category. Errors: as db::Connection.
[[nodiscard]] std::vector<Aggregate> aggregates_of(db::Connection& connection,
                                                   const model::Object& object,
                                                   model::Category category);

}  // namespace rollups
