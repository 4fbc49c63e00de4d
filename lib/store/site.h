#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "cms/cms.h"
#include "db/connection.h"
#include "model/settings.h"
#include "runtime/log.h"
#include "store/settings_store.h"

namespace store {

// The state of the site.
struct SiteState {
  std::vector<std::string> addresses;  // URLs, the home page first, without a slash at the end
  std::vector<std::string> origins;    // of the addresses
  // The path of the home page without a trailing slash: "", "/blog"; nothing if it has no URL.
  std::optional<std::string> home_path;
  bool is_of_network = false;  // other sites may share the web server, on other hosts or paths
  std::optional<cms::LoginAddresses> login = {};
  std::optional<std::string> rest_root = {};  // as in cms::Addresses
  model::Settings settings;
  std::string network_salt = {};  // store/network_salt.h; empty: it could not be stored

  bool operator==(const SiteState&) const = default;
};

// Whether the tables of a site are for this program.
enum class Tables { usable, missing, of_another_version, unusable };

// The site as of the last refresh. Safe for concurrent use.
class Site {
 public:
  // "cms" and "log" must outlive the site. Ignored settings are logged once.
  Site(const cms::Cms& cms, const runtime::Log& log);

  // Reads the site from the database, and replaces the salt of voters if it is too old. Called by
  // one thread at a time. Errors: as db::Connection; the old state stays. If only the replacement
  // of the salt fails, the new state has the old salt, or none.
  void refresh(db::Connection& connection);

  // Shared by all callers until the next refresh; nullptr until the first one.
  [[nodiscard]] std::shared_ptr<const SiteState> state() const;

  // Why the site cannot be served, if it is for its tables.
  void set_tables(Tables tables) { tables_ = tables; }
  [[nodiscard]] Tables tables() const { return tables_; }

 private:
  void publish(SiteState state);
  void read_addresses(db::Connection& connection, SiteState& state) const;
  [[nodiscard]] model::Settings read_settings(db::Connection& connection);

  const cms::Cms& cms_;
  const runtime::Log& log_;
  std::vector<SettingRow> rows_;  // the last rows of settings; used by refresh() only
  mutable base::Mutex mutex_;
  std::shared_ptr<const SiteState> state_ GUARDED_BY(mutex_);
  std::atomic<Tables> tables_ = Tables::usable;
};

}  // namespace store
