#include "store/site.h"

#include <utility>

#include "base/origin.h"

namespace store {

Site::Site(const std::string& table_prefix, Addresses addresses, const base::Log& log)
    : wp_(table_prefix), settings_(table_prefix), addresses_(std::move(addresses)), log_(log) {}

void Site::refresh(db::Connection& connection) {
  auto fresh = std::make_shared<SiteState>();
  read_addresses(connection, *fresh);
  fresh->settings = read_settings(connection);
  const base::MutexLock lock(mutex_);
  state_ = std::move(fresh);
}

std::shared_ptr<const SiteState> Site::state() const {
  const base::MutexLock lock(mutex_);
  return state_;
}

void Site::read_addresses(db::Connection& connection, SiteState& state) const {
  const auto add = [&](const std::string& given, const char* option) {
    std::string url = given.empty() ? wp_.option(connection, option).value_or("") : given;
    if (auto origin = base::origin_of(url)) state.origins.push_back(std::move(*origin));
    return url;
  };
  state.home_path = base::path_of(add(addresses_.home, "home"));
  add(addresses_.siteurl, "siteurl");
  state.is_of_network = addresses_.are_of_network;
}

model::Settings Site::read_settings(db::Connection& connection) {
  std::vector<SettingRow> rows = settings_.rows(connection);
  if (const auto known = state(); known != nullptr && rows == rows_) return known->settings;
  StoredSettings stored = interpret(rows);
  for (const std::string& problem : stored.problems) {
    log_.warning("setting_ignored", {{"reason", problem}});
  }
  rows_ = std::move(rows);
  return std::move(stored.settings);
}

}  // namespace store
