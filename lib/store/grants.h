#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cms/cms.h"

namespace store {

// A privilege on one or more tables.
struct Privilege {
  std::string action;                // "SELECT", in capitals
  std::vector<std::string> columns;  // if not empty, the columns to which the privilege is limited
  std::string schema;                // "*" for all schemas
  std::string table;                 // "*" for all tables in the schema

  auto operator<=>(const Privilege&) const = default;
};

// Returns whether the privilege "allowed" includes the privilege "wanted".
[[nodiscard]] bool covers(const Privilege& allowed, const Privilege& wanted);

// A statement that grants or revokes privileges on tables.
struct Grant {
  bool taken = false;  // true for REVOKE
  std::vector<Privilege> privileges;
  std::string account;     // "user@host", or a role
  bool grantable = false;  // the account may grant the privileges to other accounts

  bool operator==(const Grant&) const = default;
};

// Converts the schema and table names in "rights" to lower case and returns the result. Use this
// function if the database server ignores the case of names (compares_names_in_any_case()).
[[nodiscard]] std::vector<Privilege> in_lower_case(std::vector<Privilege> privileges);

// Parses a line from SHOW GRANTS or a statement in the file sql/grants.sql. Returns nothing if the
// statement is about roles, routines or proxies, or cannot be parsed.
[[nodiscard]] std::optional<Grant> read_grant(std::string_view statement);

// A callback that receives the name of a table and returns the name of another table. The
// privileges allowed on the other table are then also allowed on the first table.
using SameTable = std::function<std::string(const std::string&)>;

// Returns the privileges in "shown" that "allowed" does not include. "shown" contains the lines
// from SHOW GRANTS. Each line with additional privileges adds an entry such as "INSERT, UPDATE (ID)
// on wordpress.wp_posts" to the result. A privilege is also allowed if it is allowed for the table
// returned by "same_table". The result also contains lines that cannot be parsed, but never a
// password hash. "in_any_case" is true if the database server ignores the case of table names.
[[nodiscard]] std::vector<std::string> privileges_beyond(
    const std::vector<Privilege>& allowed, const std::vector<std::string>& shown,
    const SameTable& same_table = [](const std::string& table) { return table; },
    bool in_any_case = false);

// Returns a privilege as text, for example "SELECT (ID, user_login) on wordpress.wp_users".
[[nodiscard]] std::string to_words(const Privilege& privilege);

// The names that replace the placeholders in the file sql/grants.sql. An account name has the
// format "user@host". If an account name contains no host, the host is localhost.
struct GrantNames {
  std::string database;
  std::string table_prefix;
  std::string cms_grants = {};  // the result of cms::Cms::grants()
  std::string workers = "ratingd@localhost";
  std::string ratingctl = "ratingctl@localhost";
};

// Quote a name or an account for an SQL statement, for example as "`name`" or "`user`@`host`".
[[nodiscard]] std::string quoted_name(std::string_view name);
[[nodiscard]] std::string quoted_account(const std::string& account);

// Returns the text of the file sql/grants.sql without replacements.
[[nodiscard]] std::string_view grants_text();

// Returns the statements in the file sql/grants.sql with the placeholders replaced by "names",
// followed by the statements for the CMS's tables. The result contains a statement for each of
// ratingd's tables.
[[nodiscard]] std::string grant_statements(const GrantNames& names);

// Returns statements that grant the SELECT privilege on "tables" to "account". The table names have
// no prefix.
[[nodiscard]] std::string read_grants(const GrantNames& names, const std::string& account,
                                      std::span<const std::string_view> tables);

// Returns the privileges that the result of grant_statements() grants to an account, without
// duplicates.
[[nodiscard]] std::vector<Privilege> privileges_of(const GrantNames& names,
                                                   const std::string& account);

}  // namespace store
