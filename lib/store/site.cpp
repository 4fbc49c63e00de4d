#include "store/site.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/crypto.h"
#include "base/origin.h"
#include "base/text.h"
#include "base/timestamp.h"

namespace store {
namespace {

// If a proxy adds HTTPS, WordPress's settings may still contain the http URL of a site whose
// visitors use https. Returns the https origin of a site with the http origin "origin" and no port.
// An http origin is never derived from https, because http pages can be changed in transit.
std::optional<std::string> secure_origin(std::string_view origin) {
  constexpr std::string_view kHttp = "http://";
  const std::string_view host = base::host_of(origin);
  if (!origin.starts_with(kHttp) || kHttp.size() + host.size() != origin.size())
    return std::nullopt;
  return "https://" + std::string(host);
}

}  // namespace

Site::Site(const cms::Cms& cms, const runtime::Log& log) : cms_(cms), log_(log) {}

void Site::refresh(db::Connection& connection) {
  const auto known = state();
  SiteState fresh;
  read_addresses(connection, fresh);
  fresh.settings = read_settings(connection);
  try {
    fresh.network_salt = current_salt(connection, life_of_salt(fresh.settings));
  } catch (...) {
    // Publish the state even without a new salt, because requests that only read need no salt.
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
    auto origin = base::origin_of(url);
    if (!origin) continue;
    auto secure = secure_origin(*origin);
    state.origins.push_back(std::move(*origin));
    if (secure) state.origins.push_back(std::move(*secure));
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

// --- The network salt ----------------------------------------------------------------------------

namespace {

constexpr std::size_t kSaltBytes = 32;
constexpr std::chrono::hours kMaxAhead{1};  // a clock that was fast may have been set back
constexpr int kAttempts = 3;

// Returns a new network salt, which begins with the time "now". The format is
// "2026-11-21 05:00:00.123456/<64 hexadecimal digits>".
std::string new_value(base::Time now) {
  return base::to_datetime(now) + "/" + base::to_hex(base::random_bytes(kSaltBytes));
}

struct StoredSalt {
  std::optional<std::string> value;
  base::Time now;  // measured by the database's clock
};

StoredSalt read_row(db::Connection& connection) {
  db::Rows row = connection.query(
      "SELECT UTC_TIMESTAMP(6), (SELECT value FROM {prefix}ratingd_state WHERE name = ?)",
      kNetworkSalt);
  if (!row.next()) return {};
  return {row.is_null(2) ? std::nullopt : std::optional(row.text(2)), row.time(1)};
}

// Replaces the salt "old" with the salt "fresh". Does nothing if the stored salt is not "old",
// because another host has already replaced it.
void replace(db::Connection& connection, const std::optional<std::string>& old,
             const std::string& fresh) {
  if (old) {
    connection.execute("UPDATE {prefix}ratingd_state SET value = ? WHERE name = ? AND value = ?",
                       fresh, kNetworkSalt, *old);
  } else {
    connection.execute(
        "INSERT INTO {prefix}ratingd_state (name, value) VALUES (?, ?)"
        " ON DUPLICATE KEY UPDATE name = name",
        kNetworkSalt, fresh);
  }
}

}  // namespace

std::chrono::seconds life_of_salt(const model::Settings& settings) {
  std::chrono::seconds life = settings.address_window;
  if (settings.address_retention.count() > 0) {
    life = std::min<std::chrono::seconds>(life, settings.address_retention);
  }
  if (settings.store_address == model::StoreAddress::none) {
    life = std::min<std::chrono::seconds>(life, std::chrono::days(1));
  }
  return life;
}

std::string salt_in(std::string_view value, base::Time now, std::chrono::seconds life) {
  const auto begun = base::from_datetime(base::take_until(value, '/'));
  const auto bytes = base::from_hex(value);
  if (!begun || !bytes || bytes->size() != kSaltBytes) return {};
  if (now >= *begun + life || *begun > now + kMaxAhead) return {};
  return std::string(value);
}

std::string current_salt(db::Connection& connection, std::chrono::seconds life) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto [value, now] = read_row(connection);
    if (std::string salt = salt_in(value.value_or(""), now, life); !salt.empty()) return salt;
    replace(connection, value, new_value(now));
  }
  throw std::runtime_error("the salt of voters could not be stored");
}

void delete_old_salt(db::Connection& connection, std::chrono::seconds life) {
  const auto [value, now] = read_row(connection);
  if (!value || !salt_in(*value, now, life).empty()) return;
  connection.execute("DELETE FROM {prefix}ratingd_state WHERE name = ? AND value = ?", kNetworkSalt,
                     *value);
}

}  // namespace store
