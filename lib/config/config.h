#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/address.h"
#include "config/cms.h"
#include "config/database.h"
#include "runtime/log.h"

namespace config {

inline constexpr unsigned kMaxCacheMemory = 1024;

struct Config : WordPressSite {
  CmsName cms = CmsName::wordpress;
  Standalone standalone;  // only with CmsName::none
  Database database;
  std::filesystem::path secret_file = "/etc/ratingd/secret";
  // The folder for the shared memory; absolute.
  std::filesystem::path runtime_dir = "/run/ratingd/shared";
  std::string listen;           // a path, or an IP address and a port; empty for descriptor 0
  unsigned listen_mode = 0600;  // the mode of the socket at this path
  unsigned processes = 2;       // workers expected on this host: 1 to 256
  unsigned threads = 64;        // threads in this process for requests that may wait: 1 to 1024
  unsigned db_sessions = 4;     // database sessions in this process: 3 to 64
  unsigned batch_limit = 256;   // votes in one commit: 1 to 256
  unsigned cache_seconds = 2;   // maximum age of cached totals and own ratings: 0 to 3600
  unsigned cache_memory = 32;   // MiB for both caches: 1 to kMaxCacheMemory
  runtime::LogLevel log_level = runtime::LogLevel::info;
  bool access_log = false;                      // log a line for each request
  std::vector<base::Network> metrics_networks;  // can read /metrics without login

  // The file in which setup records the values that it has checked (config/checked_site.h). Empty
  // if no configuration file or no wp-config.php is read.
  std::filesystem::path site_record;
  bool is_server_of_cms = false;  // wp-config.php sets the database server
  bool is_site_of_cms = false;    // wp-config.php sets the server, the database or the table prefix
  // The configuration files that were read, for configuration_hash_of().
  std::vector<std::string> files;

  // A sentence for each value that wp-config.php computes and no option sets. If there are any such
  // values, the workers must not start, but ratingctl may.
  std::vector<std::string> not_read;
};

// An invalid option. what() is a message for the operator. The message names the place (a flag, a
// variable, or a file and line) and the allowed values.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A file that an option names exists, but this user may not read it.
class PermissionDenied : public Error {
 public:
  using Error::Error;
};

// A file that an option names does not exist.
class FileMissing : public Error {
 public:
  FileMissing(const std::string& what, std::filesystem::path file)
      : Error(what), path(std::move(file)) {}

  const std::filesystem::path path;
};

// wp-config.php does not contain a required value as a literal.
class ValueMissing : public Error {
 public:
  using Error::Error;
};

// Returns the path of a runtime::SharedMemory segment for the configured worker pool, which serves
// a site or a network. "layout" names the content and its version. Different pools have different
// paths, and releases with different layouts have different paths, too.
[[nodiscard]] std::filesystem::path segment_path(const Config& config, std::string_view layout);

// Returns the path of a segment that belongs only to the configured site. If the pool serves only
// this site, the path is the same as segment_path().
[[nodiscard]] std::filesystem::path site_segment_path(const Config& config,
                                                      std::string_view layout);

// Return the paths of the segments with the runtime::MetricsTable and the runtime::SitesTable.
[[nodiscard]] std::filesystem::path metrics_segment_path(const Config& config);
[[nodiscard]] std::filesystem::path sites_segment_path(const Config& config);

// Returns the path of the segment that contains the caches for totals and for voters' own ratings.
// The segment's size is "megabytes" MiB. While no worker is running, segments of all sizes can be
// deleted.
[[nodiscard]] std::filesystem::path cache_segment_path(const Config& config, unsigned megabytes);

}  // namespace config
