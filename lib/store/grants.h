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
struct Right {
  std::string privilege;             // "SELECT", in capitals
  std::vector<std::string> columns;  // if not empty, the privilege is limited to these columns
  std::string schema;                // "*" for all schemas
  std::string table;                 // "*" for all tables in the schema

  auto operator<=>(const Right&) const = default;
};

// Returns whether "allowed" permits everything that "right" permits.
[[nodiscard]] bool covers(const Right& allowed, const Right& right);

// A statement that grants or revokes privileges on tables.
struct Grant {
  bool taken = false;  // true for REVOKE
  std::vector<Right> rights;
  std::string account;     // "user@host", or a role
  bool grantable = false;  // the account may grant the privileges to others

  bool operator==(const Grant&) const = default;
};

// Returns "rights" with schema and table names in lower case. A server that ignores the case of
// names writes them in lower case (compares_names_in_any_case()).
[[nodiscard]] std::vector<Right> in_lower_case(std::vector<Right> rights);

// Parses a line from SHOW GRANTS or a statement in sql/grants.sql. Returns nothing if the statement
// is about roles, routines or proxies, or cannot be parsed.
[[nodiscard]] std::optional<Grant> read_grant(std::string_view statement);

// Returns the table whose privileges also apply to the given table.
using SameTable = std::function<std::string(const std::string&)>;

// Returns the privileges in the lines from SHOW GRANTS that are not in "allowed". Each line with
// such privileges adds an entry, for example "INSERT, UPDATE (ID) on wordpress.wp_posts". A
// privilege is also allowed if it is allowed for the table that "same_table" returns. Lines that
// cannot be parsed are also in the result. The result never contains a password hash. "in_any_case"
// tells whether the server ignores the case of table names.
[[nodiscard]] std::vector<std::string> rights_beyond(
    const std::vector<Right>& allowed, const std::vector<std::string>& shown,
    const SameTable& same_table = [](const std::string& table) { return table; },
    bool in_any_case = false);

// Returns the privilege as words, for example "SELECT (ID, user_login) on wordpress.wp_users".
[[nodiscard]] std::string to_words(const Right& right);

// The names that replace the placeholders in sql/grants.sql: the CMS's database and the two
// accounts. An account is "user@host". An account without a host belongs to localhost.
struct GrantNames {
  std::string database;
  std::string table_prefix;
  std::string cms_grants = {};  // the result of cms::Cms::grants()
  std::string workers = "ratingd@localhost";
  std::string ratingctl = "ratingctl@localhost";
};

// Return a name or an account in SQL: "`name`", "`user`@`host`".
[[nodiscard]] std::string quoted_name(std::string_view name);
[[nodiscard]] std::string quoted_account(const std::string& account);

// Returns sql/grants.sql without replacements.
[[nodiscard]] std::string_view grants_text();

// Returns sql/grants.sql with these names and with a statement for each of ratingd's tables,
// followed by the statements for the CMS's tables.
[[nodiscard]] std::string grant_statements(const GrantNames& names);

// Returns statements that grant "account" SELECT on "tables", which are named without the prefix.
[[nodiscard]] std::string read_grants(const GrantNames& names, const std::string& account,
                                      std::span<const std::string_view> tables);

// Returns the privileges that grant_statements() grants to an account, without duplicates.
[[nodiscard]] std::vector<Right> rights_of(const GrantNames& names, const std::string& account);

}  // namespace store
