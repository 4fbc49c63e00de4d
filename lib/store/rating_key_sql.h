#pragma once

#include <cstdint>

#include "db/connection.h"
#include "model/rating.h"

namespace store {

// The key of a rating in SQL: its condition, its four parameters, and its columns, which come first
// in a row.
inline constexpr const char* kOfRatingKey =
    "(object_id = ? AND object_type = ? AND category = ? AND voter = ?)";

[[nodiscard]] inline std::int64_t number_of(model::Category category) {
  return static_cast<std::int64_t>(category);
}

inline void bind_key(db::Statement& statement, const model::RatingKey& key, bool) {
  statement.bind(key.object.id).bind(key.object.type).bind(number_of(key.category));
  statement.bind(key.voter);
}

[[nodiscard]] inline model::RatingKey key_in(const db::Rows& row) {
  return {{row.unsigned_integer(1), row.text(2)},
          static_cast<model::Category>(row.integer(3)),
          row.unsigned_integer(4)};
}

}  // namespace store
