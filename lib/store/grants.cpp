#include "store/grants.h"

#include <sstream>

#include "base/text.h"
#include "db/migrations.h"

namespace store {
namespace {

std::string escaped(std::string_view name) { return base::replace_all(name, "`", "``"); }

std::string with_host(const std::string& account) {
  return account.find('@') == std::string::npos ? account + "@localhost" : account;
}

// Returns the lines for this site. A line with a placeholder for a table is repeated for each
// table.
std::string lines_for(std::string_view text, const GrantNames& names) {
  constexpr std::string_view kOwnTable = "{own_table}";
  std::istringstream lines{std::string(text)};
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("--") || line.find(kOwnTable) == std::string::npos) {
      result += line + "\n";
    } else {
      for (const std::string& table : db::table_names(names.table_prefix)) {
        result += base::replace_all(line, kOwnTable, table) + "\n";
      }
    }
  }
  return result;
}

}  // namespace

std::string quoted_name(std::string_view name) { return "`" + escaped(name) + "`"; }

std::string quoted_account(const std::string& account) {
  const std::string full = with_host(account);
  const std::size_t at = full.rfind('@');
  return quoted_name(full.substr(0, at)) + "@" + quoted_name(full.substr(at + 1));
}

std::string grant_statements(const GrantNames& names) {
  std::string text = lines_for(grants_text(), names);
  if (!names.cms_grants.empty()) text += "\n" + names.cms_grants;
  text = db::with_prefix(text, names.table_prefix);
  text = base::replace_all(text, "{database}", escaped(names.database));
  text = base::replace_all(text, "{workers}", quoted_account(names.workers));
  return base::replace_all(text, "{ratingctl}", quoted_account(names.ratingctl));
}

std::string read_grants(const GrantNames& names, const std::string& account,
                        std::span<const std::string_view> tables) {
  std::string text;
  for (const std::string_view table : tables) {
    text += "GRANT SELECT ON `" + escaped(names.database) + "`.`" + names.table_prefix +
            std::string(table) + "` TO " + quoted_account(account) + ";\n";
  }
  return text;
}

std::vector<Right> rights_of(const GrantNames& names, const std::string& account) {
  std::vector<Right> rights;
  for (const std::string& statement : db::statements_of(grant_statements(names))) {
    const auto grant = read_grant(statement);
    if (!grant || grant->account != with_host(account)) continue;
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

}  // namespace store
