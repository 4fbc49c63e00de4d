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

// What the service knows of the site it serves.
struct SiteState {
  std::vector<std::string> origins;  // of WordPress's options home and siteurl
  // The path of home without a slash at its end: "", "/blog"; nothing if home is no address.
  std::optional<std::string> home_path;
  bool is_of_network = false;  // other sites may have the same web server, on other hosts or paths
  model::Settings settings;

  bool operator==(const SiteState&) const = default;
};

// The site as it was when last looked at. Safe for concurrent use.
class Site {
 public:
  // "addresses" are URLs that count instead of the options home and siteurl; an empty one does not.
  struct Addresses {
    std::string home;
    std::string siteurl;
    bool are_of_network = false;
  };
  // "log" must outlive the site; it hears of settings that do not count, once.
  Site(const std::string& table_prefix, Addresses addresses, const base::Log& log);

  // Looks again. One thread at a time. Errors: as db::Connection; what was known stays.
  void refresh(db::Connection& connection);

  // Shared by all who look at the same time; nullptr until the first refresh.
  [[nodiscard]] std::shared_ptr<const SiteState> state() const;

 private:
  void read_addresses(db::Connection& connection, SiteState& state) const;
  [[nodiscard]] model::Settings read_settings(db::Connection& connection);

  const wordpress::SiteReader wp_;
  const SettingsStore settings_;
  const Addresses addresses_;
  const base::Log& log_;
  std::vector<SettingRow> rows_;  // of the settings when last read; for refresh() alone
  mutable base::Mutex mutex_;
  std::shared_ptr<const SiteState> state_ GUARDED_BY(mutex_);
};

}  // namespace store
