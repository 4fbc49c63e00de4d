#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "cms/cms.h"
#include "db/connection.h"
#include "model/settings.h"
#include "runtime/log.h"
#include "store/settings_store.h"

namespace store {

// The site's state.
struct SiteState {
  std::vector<std::string> addresses;  // URLs, the home page first, without a slash at the end
  std::vector<std::string> origins;    // the origins in the addresses
  // The home page's path without a trailing slash, for example "" or "/blog". Empty if the home
  // page has no URL.
  std::optional<std::string> home_path;
  bool is_of_network = false;  // other sites may share the web server, on other hosts or paths
  std::optional<cms::LoginAddresses> login = {};
  std::optional<std::string> rest_root = {};  // same as in cms::Addresses
  model::Settings settings;
  std::string network_salt = {};  // current_salt(); empty if it could not be stored

  bool operator==(const SiteState&) const = default;
};

// The state of a site's tables, as far as this program can use them.
enum class Tables { usable, missing, of_another_version, unusable };

// The site's state at the last refresh. Safe for concurrent use.
class Site {
 public:
  // "cms" and "log" must outlive the site. Each ignored setting is logged once.
  Site(const cms::Cms& cms, const runtime::Log& log);

  // Reads the site from the database and replaces the network salt if it is too old. Must be called
  // by only one thread at a time. Errors: same as db::Connection. After an error, the old state
  // stays. If only the replacement of the salt fails, the new state contains the old salt, or no
  // salt.
  void refresh(db::Connection& connection);

  // Returns the state, which all callers share until the next refresh. Returns nullptr before the
  // first refresh.
  [[nodiscard]] std::shared_ptr<const SiteState> state() const;

  // The state of the site's tables. If they are not usable, the site cannot be served.
  void set_tables(Tables tables) { tables_ = tables; }
  [[nodiscard]] Tables tables() const { return tables_; }

 private:
  void publish(SiteState state);
  void read_addresses(db::Connection& connection, SiteState& state) const;
  [[nodiscard]] model::Settings read_settings(db::Connection& connection);

  const cms::Cms& cms_;
  const runtime::Log& log_;
  std::vector<SettingRow> rows_;  // the settings rows at the last refresh; used only by refresh()
  mutable base::Mutex mutex_;
  std::shared_ptr<const SiteState> state_ GUARDED_BY(mutex_);
  std::atomic<Tables> tables_ = Tables::usable;
};

// The salt in the ids of voters who are recognized only by their network (identity/requester.h).
// All hosts for a site share the salt through the table ratingd_state. Without the salt, nobody can
// compute to which address and user agent an id belongs. So each salt is kept only for a short
// time, and backups do not contain it.

inline constexpr std::string_view kNetworkSalt = "network_salt";  // the row's name in ratingd_state

// Returns how long a salt is used. A salt is used for the window of the limits per address, but not
// longer than addresses are kept. If no addresses are stored, a salt is used for at most a day.
[[nodiscard]] std::chrono::seconds life_of_salt(const model::Settings& settings);

// Returns the salt in the row "value" in ratingd_state: 64 hexadecimal digits. The result is empty
// if the salt is older than "life" at "now", if its time is more than an hour after "now", or if
// the row is damaged.
[[nodiscard]] std::string salt_in(std::string_view value, base::Time now,
                                  std::chrono::seconds life);

// Returns the site's salt. If there is no salt, or if it is too old, stores a new random salt
// first. If several hosts call this concurrently, all return the same salt. The time comes from the
// database's clock. Errors: same as db::Connection.
[[nodiscard]] std::string current_salt(db::Connection& connection, std::chrono::seconds life);

// If the salt is too old, deletes it. This is needed because nobody replaces the salt on a site
// that gets no requests. Errors: same as db::Connection.
void delete_old_salt(db::Connection& connection, std::chrono::seconds life);

}  // namespace store
