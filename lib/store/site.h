#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "db/connection.h"
#include "model/settings.h"
#include "store/settings_store.h"
#include "wordpress/site_reader.h"

namespace store {

// The state of the site.
struct SiteState {
  std::vector<std::string> origins;  // of WordPress's options home and siteurl
  // The path of home without a trailing slash: "", "/blog"; nothing if home is not a URL.
  std::optional<std::string> home_path;
  bool is_of_network = false;  // other sites may share the web server, on other hosts or paths
  model::Settings settings;

  bool operator==(const SiteState&) const = default;
};

// The site as of the last refresh. Safe for concurrent use.
class Site {
 public:
  // "addresses" are URLs that override the options home and siteurl; empty ones do not. "log" must
  // outlive the site; ignored settings are logged once.
  struct Addresses {
    std::string home;
    std::string siteurl;
    bool are_of_network = false;
  };
  // "log" must outlive the site; it hears of settings that do not count, once.
  Site(const std::string& table_prefix, Addresses addresses, const base::Log& log);

  // Reads the site from the database. Called by one thread at a time. Errors: as db::Connection;
  // the old state stays.
  void refresh(db::Connection& connection);

  // Shared by all callers until the next refresh; nullptr until the first one.
  [[nodiscard]] std::shared_ptr<const SiteState> state() const;

 private:
  void read_addresses(db::Connection& connection, SiteState& state) const;
  [[nodiscard]] model::Settings read_settings(db::Connection& connection);

  const wordpress::SiteReader wp_;
  const SettingsStore settings_;
  const Addresses addresses_;
  const base::Log& log_;
  std::vector<SettingRow> rows_;  // the last rows of settings; used by refresh() only
  mutable base::Mutex mutex_;
  std::shared_ptr<const SiteState> state_ GUARDED_BY(mutex_);
};

}  // namespace store
