#include "store/wp_store.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace store {
namespace {

// WordPress's gmt_offset, hours as a decimal text such as "5.5" or "-3", as "+05:30".
std::string offset_name(const std::string& gmt_offset) {
  const double hours = std::strtod(gmt_offset.c_str(), nullptr);
  if (!(std::abs(hours) <= 15)) return "+00:00";
  const int minutes = static_cast<int>(std::lround(std::abs(hours) * 60));
  char name[16];
  std::snprintf(name, sizeof name, "%c%02d:%02d", hours < 0 ? '-' : '+', minutes / 60,
                minutes % 60);
  return name;
}

}  // namespace

WpStore::WpStore(const std::string& table_prefix)
    : read_option_("SELECT option_value FROM " + table_prefix +
                   "options WHERE option_name = ? LIMIT 1"),
      find_post_("SELECT 1 FROM " + table_prefix + "posts WHERE ID = ?") {}

std::optional<std::string> WpStore::option(db::Connection& connection,
                                           const std::string& name) const {
  db::Rows row = connection.prepare(read_option_).bind(name).query();
  if (!row.next()) return std::nullopt;
  return row.text(1);
}

base::Zone WpStore::time_zone(db::Connection& connection) const {
  const std::string name = option(connection, "timezone_string").value_or("");
  if (!name.empty()) {
    if (const auto zone = base::Zone::named(name)) return *zone;
  }
  const std::string offset = offset_name(option(connection, "gmt_offset").value_or("0"));
  return base::Zone::named(offset).value_or(base::Zone());
}

bool WpStore::has_post(db::Connection& connection, std::uint64_t id) const {
  return connection.prepare(find_post_).bind(id).query().next();
}

}  // namespace store
