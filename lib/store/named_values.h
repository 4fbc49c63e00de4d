#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "db/connection.h"

// Named values that programs save for later runs (table ratingd_state). Errors (all functions):
// same as db::Connection.
namespace store {

// The time at which the nightly maintenance was last completed (base::to_datetime()).
inline constexpr std::string_view kMaintainedAt = "maintained_at";

[[nodiscard]] inline std::optional<std::string> read_value(db::Connection& connection,
                                                           std::string_view name) {
  return connection.query("SELECT value FROM {prefix}ratingd_state WHERE name = ?", name)
      .first(db::text_in);
}

inline void save_value(db::Connection& connection, std::string_view name, std::string_view value) {
  connection.execute(
      "INSERT INTO {prefix}ratingd_state (name, value) VALUES (?, ?)"
      " ON DUPLICATE KEY UPDATE value = VALUES(value)",
      name, value);
}

// Saves a value under a name that has no value yet. Errors: db::BadData if the name has a value.
inline void add_value(db::Connection& connection, std::string_view name, std::string_view value) {
  connection.execute("INSERT INTO {prefix}ratingd_state (name, value) VALUES (?, ?)", name, value);
}

// Does the same as save_value(), but has no effect if the stored string is greater.
inline void raise_value(db::Connection& connection, std::string_view name, std::string_view value) {
  connection.execute(
      "INSERT INTO {prefix}ratingd_state (name, value) VALUES (?, ?)"
      " ON DUPLICATE KEY UPDATE value = GREATEST(value, VALUES(value))",
      name, value);
}

inline void remove_value(db::Connection& connection, std::string_view name) {
  connection.execute("DELETE FROM {prefix}ratingd_state WHERE name = ?", name);
}

}  // namespace store
