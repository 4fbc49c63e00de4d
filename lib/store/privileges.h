#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace store {

// A privilege on one or more tables.
struct Right {
  std::string privilege;             // "SELECT", in capitals
  std::vector<std::string> columns;  // to which it is limited; empty: it is not
  std::string schema;                // "*": all
  std::string table;                 // "*": all of the schema

  auto operator<=>(const Right&) const = default;
};

// Whether who has the right "allowed" may do what "right" says.
[[nodiscard]] bool covers(const Right& allowed, const Right& right);

// A statement that grants or revokes rights on tables.
struct Grant {
  bool taken = false;  // REVOKE
  std::vector<Right> rights;
  std::string account;     // "user@host", or a role
  bool grantable = false;  // the account may hand them on

  bool operator==(const Grant&) const = default;
};

// Returns "rights" with the names of schemas and tables in lower case, as a server writes them that
// ignores their case (compares_names_in_any_case()).
[[nodiscard]] std::vector<Right> in_lower_case(std::vector<Right> rights);

// Parses a line of SHOW GRANTS or a statement of sql/grants.sql. Nothing if it concerns something
// else (roles, routines, proxies) or cannot be parsed.
[[nodiscard]] std::optional<Grant> read_grant(std::string_view statement);

// A table that has the rights of another one.
using SameTable = std::function<std::string(const std::string&)>;

// The rights in the lines of SHOW GRANTS beyond "allowed", one entry per line that has any:
// "INSERT, UPDATE (ID) on wordpress.wp_posts". What is allowed for "same_table" of a table is also
// allowed for that. Lines that cannot be parsed count as excess. Never contains a password hash.
// "in_any_case": the server ignores the case of the names of tables.
[[nodiscard]] std::vector<std::string> rights_beyond(
    const std::vector<Right>& allowed, const std::vector<std::string>& shown,
    const SameTable& same_table = [](const std::string& table) { return table; },
    bool in_any_case = false);

// "SELECT (ID, user_login) on wordpress.wp_users"
[[nodiscard]] std::string to_words(const Right& right);

}  // namespace store
