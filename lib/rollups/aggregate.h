#pragma once

#include <compare>
#include <string>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"

namespace rollups {

// Votes that are known only as sums, of one object in one category on one day.
struct Aggregate {
  struct Key {
    model::Object object;
    model::Category category = model::Category::binary;
    base::Day day;
    std::string source;  // where they are from, 1-32 of ASCII: "retention", the name of a plugin

    auto operator<=>(const Key&) const = default;
  };
  Key key;
  model::Totals sums;  // with the time of the last vote

  bool operator==(const Aggregate&) const = default;
};

// All columns of a balance, those of the key first; and the balance in a row of them.
[[nodiscard]] std::string aggregate_columns();
[[nodiscard]] Aggregate aggregate_in(const db::Rows& row);

// All of an object in a category. Errors: as db::Connection.
[[nodiscard]] std::vector<Aggregate> aggregates_of(db::Connection& connection,
                                                   const std::string& table_prefix,
                                                   const model::Object& object,
                                                   model::Category category);

}  // namespace rollups
