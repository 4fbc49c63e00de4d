#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "db/connection.h"

namespace wordpress {

// A site of a network, as WordPress's table of sites (wp_blogs) has it.
struct NetworkSite {
  unsigned blog_id;
  std::string host;  // without a port, in lower case
  std::string path;  // "" or "/two": without the '/' at its end

  bool operator==(const NetworkSite&) const = default;
};

// At most so many sites are served and maintained.
inline constexpr std::size_t kMaxSitesOfNetwork = 10'000;

// The sites of the configured network, by their ids: at most kMaxSitesOfNetwork. Without those that
// WordPress shows to nobody: archived, spam or deleted. Errors: as db::Connection.
[[nodiscard]] std::vector<NetworkSite> sites_of_network(db::Connection& connection,
                                                        const config::WordPressSite& network);

// The configuration of "site". "network" is that of the first site, whose base path and "main", its
// path, tell what follows the path of any site.
[[nodiscard]] config::Config config_of(const config::Config& network, std::string_view main,
                                       const NetworkSite& site);

}  // namespace wordpress
