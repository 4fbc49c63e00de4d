#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "db/connection.h"

namespace store {

// Values by name that commands keep from one run to the next (table ratingd_state). Safe for
// concurrent use, each caller with its own connection. Errors of all functions: as db::Connection.
class NamedValues {
 public:
  explicit NamedValues(const std::string& table_prefix)
      : read_("SELECT value FROM " + table_prefix + "ratingd_state WHERE name = ?"),
        add_("INSERT INTO " + table_prefix + "ratingd_state (name, value) VALUES (?, ?)"),
        save_(add_ + " ON DUPLICATE KEY UPDATE value = "),
        remove_("DELETE FROM " + table_prefix + "ratingd_state WHERE name = ?") {}

  [[nodiscard]] std::optional<std::string> read(db::Connection& connection,
                                                std::string_view name) const {
    return connection.query(read_, name).first(db::text_in);
  }
  void save(db::Connection& connection, std::string_view name, std::string_view value) const {
    connection.execute(save_ + "VALUES(value)", name, value);
  }
  // The same for a name that has no value yet. Errors: db::BadData - it has one.
  void add(db::Connection& connection, std::string_view name, std::string_view value) const {
    connection.execute(add_, name, value);
  }
  // As save(), unless a greater text is stored.
  void raise(db::Connection& connection, std::string_view name, std::string_view value) const {
    connection.execute(save_ + "GREATEST(value, VALUES(value))", name, value);
  }
  void remove(db::Connection& connection, std::string_view name) const {
    connection.execute(remove_, name);
  }

 private:
  const std::string read_, add_, save_, remove_;
};

}  // namespace store
