#pragma once

#include <cstddef>
#include <string>
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

// At most so many sites are known.
inline constexpr std::size_t kMaxSitesOfNetwork = 10'000;

// The sites of the network, the first one first, and those that are not open last: at most
// kMaxSitesOfNetwork. "first" is the configuration of the site with the id 1. Errors:
// std::runtime_error - there is none, or it is not at the path that its base path begins with; as
// db::Connection.
[[nodiscard]] std::vector<NetworkSite> sites_of_network(db::Connection& connection,
                                                        const config::Config& first);

// The configuration of "site".
[[nodiscard]] config::Config config_of(const config::Config& first, const NetworkSite& site);

}  // namespace wordpress
