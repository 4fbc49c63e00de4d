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
  // The absolute path of the folder for the shared memory segments.
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

  // The file in which "ratingctl setup" records the checked values (config/checked_site.h).
  // "site_record" is empty unless a configuration file and wp-config.php are read.
  std::filesystem::path site_record;
  bool is_server_of_cms = false;  // wp-config.php sets the database server
  bool is_site_of_cms = false;    // wp-config.php sets the server, the database or the table prefix
  // The paths of the configuration files that were read, for use by configuration_hash_of().
  std::vector<std::string> files;

  // Contains a message for each value that could not be read because wp-config.php computes it. A
  // computed value that an option overrides has no message. If "not_read" is not empty, ratingctl
  // may start, but workers must not.
  std::vector<std::string> not_read;
};

// Thrown if an option is invalid. The what() message tells the operator where the invalid option
// was set (a flag, a variable, or a file and line) and which values are allowed.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown if the current user may not read a file whose path is set by an option.
class PermissionDenied : public Error {
 public:
  using Error::Error;
};

// Thrown if a file whose path is set by an option does not exist.
class FileMissing : public Error {
 public:
  FileMissing(const std::string& what, std::filesystem::path file)
      : Error(what), path(std::move(file)) {}

  const std::filesystem::path path;
};

// Thrown if wp-config.php does not define a required value as a literal.
class ValueMissing : public Error {
 public:
  using Error::Error;
};

// Returns the path of a shared memory segment (runtime::SharedMemory) for the configured worker
// pool. A worker pool serves a single site or a whole network. The "layout" parameter identifies
// the segment's content and layout version. Each worker pool has its own segment with its own path.
// A release that changes a segment's layout also changes its path.
[[nodiscard]] std::filesystem::path segment_path(const Config& config, std::string_view layout);

// Returns the path of a shared memory segment that only the configured site uses. If the worker
// pool serves only this site, site_segment_path() returns the same path as segment_path().
[[nodiscard]] std::filesystem::path site_segment_path(const Config& config,
                                                      std::string_view layout);

// Return the paths of the shared memory segments that contain the runtime::MetricsTable and the
// runtime::SitesTable.
[[nodiscard]] std::filesystem::path metrics_segment_path(const Config& config);
[[nodiscard]] std::filesystem::path sites_segment_path(const Config& config);

// Returns the path of the shared memory segment that caches totals and voters' own ratings. The
// "megabytes" parameter is the segment's size in MiB. Cache segments must be deleted only while all
// workers are stopped.
[[nodiscard]] std::filesystem::path cache_segment_path(const Config& config, unsigned megabytes);

}  // namespace config
