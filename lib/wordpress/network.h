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

// A site of a network, as WordPress's table of sites (wp_blogs) has it.
struct NetworkSite {
  unsigned blog_id = 1;
  std::string host = {};      // without a port, in lower case
  std::string path = {};      // "" or "/two": without the '/' at its end
  std::string api_path = {};  // the end of its base path, behind "path"; the same for all sites
  // Why WordPress does not show the site, as its visitors read it; empty: it does.
  base::Message closed = {};

  [[nodiscard]] bool is_open() const { return closed.pattern.empty(); }
};

inline constexpr std::string_view kWww = "www.";

// The maximum number of sites.
inline constexpr std::size_t kMaxSitesOfNetwork = 10'000;

// The sites of the network, the first one first, and those that are not open last: at most
// kMaxSitesOfNetwork. "first" is the configuration of the site with the id 1. Errors:
// std::runtime_error - there is none, or it is not at the path that its base path begins with; as
// db::Connection.
[[nodiscard]] std::vector<NetworkSite> sites_of_network(db::Connection& connection,
                                                        const config::Config& first);

// Sites by their addresses, such as "example.org/two". The caller chooses the value.
template <typename Value>
using ByAddress = std::map<std::string, Value, std::less<>>;

// The indices of "sites" by their addresses. Of two with one address the earlier one counts. "www."
// before a host may be left out.
[[nodiscard]] ByAddress<std::size_t> addresses_of(const std::vector<NetworkSite>& sites);

// What is at "path" of "host"; nullptr if there is nothing. "host" may have an additional "www.".
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

// The configuration of "site".
[[nodiscard]] config::Config config_of(const config::Config& first, const NetworkSite& site);

}  // namespace wordpress
