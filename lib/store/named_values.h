#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "db/connection.h"

// Functions for the ratingd_state table, in which programs store named values for later runs. All
// functions throw the same exceptions as db::Connection.
namespace store {

// The name of the value with the time at which nightly maintenance last completed
// (base::to_datetime()).
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

// Stores a value for a name that has no value yet. Throws db::BadData if the name already has a
// value.
inline void add_value(db::Connection& connection, std::string_view name, std::string_view value) {
  connection.execute("INSERT INTO {prefix}ratingd_state (name, value) VALUES (?, ?)", name, value);
}

// Stores a value unless a greater value is already stored. Values are compared as strings.
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
