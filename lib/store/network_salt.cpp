#include "store/network_salt.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "base/crypto.h"
#include "base/text.h"
#include "base/timestamp.h"

namespace store {
namespace {

constexpr std::size_t kSaltBytes = 32;
constexpr std::chrono::hours kMaxAhead{1};  // a fast clock may have been set back since
constexpr int kAttempts = 3;

// Format: "2026-11-21 05:00:00.123456/<64 hexadecimal digits>".
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

// Stores a new salt unless another host has changed the row since "old" was read.
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
