#pragma once

#include <compare>
#include <string>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"

namespace rollups {

// An aggregate contains the sums of several votes, but not the individual votes. Each aggregate is
// a row in the ratingd_balances table and covers the votes on one object in one category on one
// day.
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

// Reads an aggregate from the current row, which must contain all columns of aggregates_table().
[[nodiscard]] Aggregate aggregate_in(const db::Rows& row);
// Reads the sums, the bins and the time of the last vote from a row, starting at column "column".
[[nodiscard]] model::Totals totals_in(const db::Rows& row, unsigned column);

// Returns all aggregates for an object and a category. Throws the same exceptions as
// db::Connection.
[[nodiscard]] std::vector<Aggregate> aggregates_of(db::Connection& connection,
                                                   const model::Object& object,
                                                   model::Category category);

}  // namespace rollups
