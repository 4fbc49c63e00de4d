#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "config/config.h"
#include "db/connection.h"

namespace wordpress {

// A site in a network, as stored in WordPress's table of sites (wp_blogs).
struct NetworkSite {
  unsigned blog_id = 1;
  std::string host = {};  // without a port, in lower case
  std::string path = {};  // "" or "/two", without a slash at the end
  // The base path without the site's own path, for example "/wp-json/ratingd/v1". All sites in a
  // network have the same "api_path".
  std::string api_path = {};
  // A message that tells visitors why WordPress does not show the site. The message is empty if
  // WordPress shows the site.
  base::Message closed = {};

  [[nodiscard]] bool is_open() const { return closed.pattern.empty(); }
};

inline constexpr std::string_view kWww = "www.";

// The maximum number of sites in a network.
inline constexpr std::size_t kMaxSitesOfNetwork = 10'000;

// Returns the network's sites, up to kMaxSitesOfNetwork. The main site comes first, and sites that
// WordPress does not show come last. "first" is the configuration of the main site, whose id is 1.
// Throws std::runtime_error if the main site does not exist, or if the configured base path does
// not begin with the main site's path. Also throws the same exceptions as db::Connection.
[[nodiscard]] std::vector<NetworkSite> sites_of_network(db::Connection& connection,
                                                        const config::Config& first);

// Maps a site's address, such as "example.org/two", to a Value object.
template <typename Value>
using ByAddress = std::map<std::string, Value, std::less<>>;

// Returns a map from addresses to indices in "sites". If two sites have the same address, the map
// contains the index of the earlier site. A site whose host begins with "www." is also found
// without this prefix.
[[nodiscard]] ByAddress<std::size_t> addresses_of(const std::vector<NetworkSite>& sites);

// Returns the value for the site at "path" on "host", or nullptr if there is no such site. "host"
// may begin with an additional "www.".
template <typename Value>
[[nodiscard]] const Value* find_at(const ByAddress<Value>& sites, std::string_view host,
                                   std::string_view path) {
  for (;;) {
    const auto found = sites.find(std::string(host).append(path));
    if (found != sites.end()) return &found->second;
    if (!host.starts_with(kWww)) return nullptr;
    host.remove_prefix(kWww.size());
  }
}

[[nodiscard]] config::Config config_of(const config::Config& first, const NetworkSite& site);

}  // namespace wordpress
