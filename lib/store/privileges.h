#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace store {

// One privilege on a table, or on more than one.
struct Right {
  std::string privilege;             // "SELECT", in capitals
  std::vector<std::string> columns;  // to which it is limited; empty: it is not
  std::string schema;                // "*": all
  std::string table;                 // "*": all of the schema

  auto operator<=>(const Right&) const = default;
};

// A statement that gives or takes rights to tables.
struct Grant {
  bool taken = false;  // REVOKE
  std::vector<Right> rights;
  std::string account;     // "user@host", or a role
  bool grantable = false;  // the account may hand them on

  bool operator==(const Grant&) const = default;
};

// Reads a line of SHOW GRANTS or a statement of sql/grants.sql. Nothing if it is about something
// else (roles, routines, proxies) or in words that this reader does not know.
[[nodiscard]] std::optional<Grant> read_grant(std::string_view statement);

// What the lines of SHOW GRANTS give beyond "allowed", one entry for each line that gives more:
// "INSERT, UPDATE (ID) on wordpress.wp_posts". What cannot be read counts as beyond. Never holds a
// password's hash.
[[nodiscard]] std::vector<std::string> rights_beyond(const std::vector<Right>& allowed,
                                                     const std::vector<std::string>& shown);

// "SELECT (ID, user_login) on wordpress.wp_users"
[[nodiscard]] std::string to_words(const Right& right);

}  // namespace store
