#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cms/cms.h"
#include "store/privileges.h"

namespace store {

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

// Returns sql/grants.sql with these names and with a statement for each of ratingd's tables. The
// statements for the CMS's tables follow.
[[nodiscard]] std::string grant_statements(const GrantNames& names);

// Returns statements that grant "account" SELECT on "tables", which are named without the prefix.
[[nodiscard]] std::string read_grants(const GrantNames& names, const std::string& account,
                                      std::span<const std::string_view> tables);

// Returns the privileges that grant_statements() grants to an account, without duplicates.
[[nodiscard]] std::vector<Right> rights_of(const GrantNames& names, const std::string& account);

}  // namespace store
