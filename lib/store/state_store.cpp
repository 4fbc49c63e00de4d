#include "store/state_store.h"

#include <stdexcept>

namespace store {
namespace {

constexpr std::string_view kZone = "zone";

}  // namespace

StateStore::StateStore(const std::string& table_prefix)
    : read_("SELECT value FROM " + table_prefix + "ratingd_state WHERE name = ?"),
      insert_("INSERT INTO " + table_prefix +
              "ratingd_state (name, value) VALUES (?, ?) ON DUPLICATE KEY UPDATE name = name") {}

base::Zone StateStore::zone(db::Connection& connection) const {
  db::Rows row = connection.prepare(read_).bind(kZone).query();
  if (!row.next()) throw std::runtime_error("no time zone is noted; run: ratingctl migrate");
  const std::string name = row.text(1);
  const auto zone = base::Zone::named(name);
  if (!zone) throw std::runtime_error("the time zone " + name + " is not known; install tzdata");
  return *zone;
}

void StateStore::note_zone(db::Connection& connection, const base::Zone& zone) const {
  connection.prepare(insert_).bind(kZone).bind(zone.name()).execute();
}

}  // namespace store
