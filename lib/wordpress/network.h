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
  // The end of the site's base path, which follows "path". It is the same for all sites.
  std::string api_path = {};
  // The reason why WordPress does not show the site, in the words that visitors read. Empty if
  // WordPress shows it.
  base::Message closed = {};

  [[nodiscard]] bool is_open() const { return closed.pattern.empty(); }
};

inline constexpr std::string_view kWww = "www.";

// The maximum number of sites.
inline constexpr std::size_t kMaxSitesOfNetwork = 10'000;

// Returns the sites in the network, at most kMaxSitesOfNetwork. The first site comes first, and
// sites that are not open come last. "first" is the configuration of the site with the id 1.
// Errors: std::runtime_error if this site does not exist, or if its path is not the beginning of
// its base path; also the errors of db::Connection.
[[nodiscard]] std::vector<NetworkSite> sites_of_network(db::Connection& connection,
                                                        const config::Config& first);

// Values by site address, such as "example.org/two". Callers choose the value type.
template <typename Value>
using ByAddress = std::map<std::string, Value, std::less<>>;

// Returns the indices of "sites" by address. If two sites have the same address, the earlier site
// counts. "www." at the beginning of a host may be omitted.
[[nodiscard]] ByAddress<std::size_t> addresses_of(const std::vector<NetworkSite>& sites);

// Returns the value for "path" on "host", or nullptr if there is none. "host" may begin with an
// additional "www.".
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

// Returns the configuration for "site".
[[nodiscard]] config::Config config_of(const config::Config& first, const NetworkSite& site);

}  // namespace wordpress
