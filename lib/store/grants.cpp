#include "store/grants.h"

#include <sstream>

#include "base/bytes.h"
#include "db/migrations.h"

namespace store {
namespace {

std::string escaped(std::string_view name) { return base::replace_all(name, "`", "``"); }

std::string with_host(const std::string& account) {
  return account.find('@') == std::string::npos ? account + "@localhost" : account;
}

std::string quoted_account(const std::string& account) {
  const std::string full = with_host(account);
  const std::size_t at = full.rfind('@');
  return "`" + escaped(full.substr(0, at)) + "`@`" + escaped(full.substr(at + 1)) + "`";
}

// A line with the mark of a table of ratingd, for each of them.
std::string for_each_own_table(std::string_view text, const std::string& table_prefix) {
  constexpr std::string_view kMark = "{own_table}";
  std::istringstream lines{std::string(text)};
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("--") || line.find(kMark) == std::string::npos) {
      result += line + "\n";
      continue;
    }
    for (const std::string& table : db::table_names(table_prefix)) {
      result += base::replace_all(line, kMark, table) + "\n";
    }
  }
  return result;
}

}  // namespace

std::string grant_statements(const GrantNames& names) {
  std::string text = for_each_own_table(grants_text(), names.table_prefix);
  text = base::replace_all(text, "{prefix}", names.table_prefix);
  text = base::replace_all(text, "{database}", escaped(names.database));
  text = base::replace_all(text, "{workers}", quoted_account(names.workers));
  return base::replace_all(text, "{ratingctl}", quoted_account(names.ratingctl));
}

std::vector<Right> rights_of_workers(const GrantNames& names) {
  std::vector<Right> rights;
  for (const std::string& statement : db::statements_of(grant_statements(names))) {
    const auto grant = read_grant(statement);
    if (!grant || grant->account != with_host(names.workers)) continue;
    for (const Right& right : grant->rights) {
      if (grant->taken) {
        std::erase(rights, right);
      } else {
        rights.push_back(right);
      }
    }
  }
  return rights;
}

std::vector<Right> rights_in_a_network(const GrantNames& names) {
  return {{"SELECT", {}, names.database, names.table_prefix + "sitemeta"},
          {"SELECT", {}, names.database, names.table_prefix + "blogs"}};
}

}  // namespace store
