#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cms/cms.h"
#include "store/privileges.h"

namespace store {

// The names in sql/grants.sql: of the CMS's database, and of the two accounts, here by default, as
// "user@host" (of any host, without a host: localhost).
struct GrantNames {
  std::string database;
  std::string table_prefix;
  std::string cms_grants = {};  // as cms::Cms::grants()
  std::string workers = "ratingd@localhost";
  std::string ratingctl = "ratingctl@localhost";
};

// A name and an account as SQL has them: "`name`", "`user`@`host`".
[[nodiscard]] std::string quoted_name(std::string_view name);
[[nodiscard]] std::string quoted_account(const std::string& account);

// sql/grants.sql as it is.
[[nodiscard]] std::string_view grants_text();

// sql/grants.sql with these names and a statement for each table of ratingd, then the statements
// for the tables of the CMS.
[[nodiscard]] std::string grant_statements(const GrantNames& names);

// Statements that let "account" read "tables", named without the prefix.
[[nodiscard]] std::string read_grants(const GrantNames& names, const std::string& account,
                                      std::span<const std::string_view> tables);

// The rights that grant_statements() gives an account of "names", each once.
[[nodiscard]] std::vector<Right> rights_of(const GrantNames& names, const std::string& account);

}  // namespace store
