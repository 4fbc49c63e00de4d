#pragma once

#include <utility>

#include "db/connection.h"
#include "model/rating.h"

namespace store {

// The SQL condition that selects a rating by the four columns of its key. A query for ratings must
// return the four key columns first.
inline constexpr const char* kOfRatingKey =
    "(object_id = ? AND object_type = ? AND category = ? AND voter = ?)";

// Binds a rating key to the parameters of a statement. Also accepts an element of a map whose keys
// are rating keys.
struct BindKey {
  void operator()(db::Statement& statement, const model::RatingKey& key, bool = false) const {
    statement.bind(key.object.id, key.object.type, key.category, key.voter);
  }
  template <typename Value>
  void operator()(db::Statement& statement,
                  const std::pair<const model::RatingKey, Value>& element) const {
    (*this)(statement, element.first);
  }
};
inline constexpr BindKey bind_key;

[[nodiscard]] inline model::RatingKey key_in(const db::Rows& row) {
  return {{row.unsigned_integer(1), row.text(2)},
          static_cast<model::Category>(row.integer(3)),
          row.unsigned_integer(4)};
}

// Returns the value and the time of a rating. The value is in the column "column" of "row", and the
// time is in the next column. By default, the value follows the four key columns.
[[nodiscard]] inline model::OwnRating own_rating_in(const db::Rows& row, unsigned column = 5) {
  return {static_cast<model::Thousandths>(row.integer(column)), row.time(column + 1)};
}
[[nodiscard]] inline model::Rating rating_in(const db::Rows& row) {
  const auto [value, rated_at] = own_rating_in(row);
  return {key_in(row), value, rated_at};
}

}  // namespace store
