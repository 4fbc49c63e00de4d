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

// The state of a site.
struct SiteState {
  std::vector<std::string> addresses;  // the site's URLs without a trailing slash, with the home
                                       // page first
  std::vector<std::string> origins;    // the origins of the addresses. An http origin without a
                                       // port is followed by the same origin with https.
  // The path of the home page without a trailing slash, for example "" or "/blog". If the URL of
  // the home page is unknown, home_path has no value.
  std::optional<std::string> home_path;
  bool is_of_network = false;  // other sites may share the web server, on other hosts or paths
  std::optional<cms::LoginAddresses> login = {};
  std::optional<std::string> rest_root = {};  // has the same meaning as in cms::Addresses
  model::Settings settings;
  std::string network_salt = {};  // the result of current_salt(), or empty if the salt could not be
                                  // stored

  bool operator==(const SiteState&) const = default;
};

// Whether this program version can use a site's tables.
enum class Tables { usable, missing, of_another_version, unusable };

// Caches the state of a site. The refresh() function updates the state. The class is thread-safe.
class Site {
 public:
  // "cms" and "log" must outlive the site. Each setting whose stored value has no effect is logged
  // once.
  Site(const cms::Cms& cms, const runtime::Log& log);

  // Reads the site's state from the database and replaces the network salt if it is too old. Only
  // one thread at a time may call this function. Throws the same exceptions as db::Connection.
  // After an error, state() still returns the old state. If the new state can be read but the salt
  // cannot be replaced, state() returns the new state with the old salt, if any.
  void refresh(db::Connection& connection);

  // Returns the site's state, which all callers share until the next refresh. Returns nullptr
  // before the first refresh.
  [[nodiscard]] std::shared_ptr<const SiteState> state() const;

  // The site cannot be served unless tables() returns Tables::usable.
  void set_tables(Tables tables) { tables_ = tables; }
  [[nodiscard]] Tables tables() const { return tables_; }

 private:
  void publish(SiteState state);
  void read_addresses(db::Connection& connection, SiteState& state) const;
  [[nodiscard]] model::Settings read_settings(db::Connection& connection);

  const cms::Cms& cms_;
  const runtime::Log& log_;
  std::vector<SettingRow> rows_;  // the rows of the settings at the last refresh, which only
                                  // refresh() uses
  mutable base::Mutex mutex_;
  std::shared_ptr<const SiteState> state_ GUARDED_BY(mutex_);
  std::atomic<Tables> tables_ = Tables::usable;
};

// The ids of voters who are recognized only by their network are computed with a salt
// (identity/requester.h). All hosts of a site share the salt in the ratingd_state table. Without
// the salt, the address and user agent of a voter cannot be derived from the voter's id. Each salt
// is stored only for a short time, and backups contain no salt.

inline constexpr std::string_view kNetworkSalt = "network_salt";  // the name of the row in the
                                                                  // table ratingd_state

// Returns how long a salt is used before it is replaced. The result is the time window of the
// per-address limits or the time for which addresses are stored, whichever is shorter. The result
// is at most one day if addresses are not stored.
[[nodiscard]] std::chrono::seconds life_of_salt(const model::Settings& settings);

// Returns the salt in "value", which was read from the ratingd_state table. Returns an empty string
// if "value" is damaged, if the salt is older than "life" at the time "now", or if the salt was
// created more than an hour after "now".
[[nodiscard]] std::string salt_in(std::string_view value, base::Time now,
                                  std::chrono::seconds life);

// Returns the site's salt. If the salt is missing or too old, first stores a new random salt. If
// several hosts call the function concurrently, all calls return the same salt. The function uses
// the clock of the database server. Throws the same exceptions as db::Connection.
[[nodiscard]] std::string current_salt(db::Connection& connection, std::chrono::seconds life);

// Deletes the salt if it is too old. The deletion is necessary because a site without requests
// never replaces its salt. Throws the same exceptions as db::Connection.
void delete_old_salt(db::Connection& connection, std::chrono::seconds life);

}  // namespace store
