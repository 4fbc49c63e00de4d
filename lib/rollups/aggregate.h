#pragma once

#include <compare>
#include <string>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"

namespace rollups {

// The sums of the votes on one object in one category on one day that are no longer, or never were,
// stored as individual votes. An aggregate is a row in the table ratingd_balances.
struct Aggregate {
  struct Key {
    model::Object object;
    model::Category category = model::Category::binary;
    base::Day day;
    std::string source;  // "retention" or the name of a plugin, 1-32 ASCII characters

    auto operator<=>(const Key&) const = default;
  };
  Key key;
  model::Totals sums;  // the sums, with the time of the last vote

  bool operator==(const Aggregate&) const = default;
};

// Returns the aggregate in a row that contains all columns (aggregates_table()).
[[nodiscard]] Aggregate aggregate_in(const db::Rows& row);
// Returns the sum, the bins and the last vote's time from a row. These columns begin at "column".
[[nodiscard]] model::Totals totals_in(const db::Rows& row, unsigned column);

// Returns an object's aggregates in a category. Errors: same as db::Connection.
[[nodiscard]] std::vector<Aggregate> aggregates_of(db::Connection& connection,
                                                   const model::Object& object,
                                                   model::Category category);

}  // namespace rollups
