#include "store/site.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/origin.h"
#include "store/network_salt.h"

namespace store {

Site::Site(const cms::Cms& cms, const runtime::Log& log) : cms_(cms), log_(log) {}

void Site::refresh(db::Connection& connection) {
  const auto known = state();
  SiteState fresh;
  read_addresses(connection, fresh);
  fresh.settings = read_settings(connection);
  try {
    fresh.network_salt = current_salt(connection, life_of_salt(fresh.settings));
  } catch (...) {
    // Reads need no salt, so they continue even if the database accepts no writes.
    if (known != nullptr) fresh.network_salt = known->network_salt;
    publish(std::move(fresh));
    throw;
  }
  publish(std::move(fresh));
}

void Site::publish(SiteState state) {
  auto fresh = std::make_shared<const SiteState>(std::move(state));
  const base::MutexLock lock(mutex_);
  state_ = std::move(fresh);
}

std::shared_ptr<const SiteState> Site::state() const {
  const base::MutexLock lock(mutex_);
  return state_;
}

void Site::read_addresses(db::Connection& connection, SiteState& state) const {
  cms::Addresses addresses = cms_.addresses(connection);
  state.home_path = base::path_of(addresses.home);
  if (!addresses.home.empty()) state.addresses.push_back(std::move(addresses.home));
  std::ranges::move(addresses.others, std::back_inserter(state.addresses));
  for (const std::string& url : state.addresses) {
    if (auto origin = base::origin_of(url)) state.origins.push_back(std::move(*origin));
  }
  state.is_of_network = addresses.is_of_network;
  state.login = std::move(addresses.login);
  state.rest_root = std::move(addresses.rest_root);
}

model::Settings Site::read_settings(db::Connection& connection) {
  std::vector<SettingRow> rows = setting_rows(connection);
  if (const auto known = state(); known != nullptr && rows == rows_) return known->settings;
  StoredSettings stored = interpret(rows);
  for (const SettingProblem& problem : stored.problems) {
    log_.warning("setting_ignored", {{"reason", problem.message.text()}});
  }
  rows_ = std::move(rows);
  return std::move(stored.settings);
}

}  // namespace store
