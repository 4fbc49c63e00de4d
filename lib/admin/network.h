#pragma once

#include <functional>
#include <string>
#include <vector>

#include "adapters/adapters.h"
#include "admin/commands.h"

namespace admin {

// Functions for a network whose sites share one pool of workers (all-sites = yes).

inline constexpr const char* kAllSites = "all-sites";  // a flag for commands

struct SiteOfNetwork {
  adapters::NetworkSite place;
  bool has_tables = false;  // has tables that the session's account may use

  // Returns a name such as "site 2, example.org/two". Unprintable characters in the site's address
  // are replaced, because the site's owner could choose a malicious address.
  [[nodiscard]] std::string name() const;
};

// Returns all visible sites, and the hidden sites that have tables. If a hidden site becomes
// visible again, its votes count again. "first" is the configuration of the first site. Throws the
// same exceptions as adapters::sites_of_network().
[[nodiscard]] std::vector<SiteOfNetwork> sites_of(db::Connection& connection,
                                                  const config::Config& first);

// Returns the configuration of the site specified by --blog-id. Throws config::Error if the network
// does not contain the site. Also throws the same exceptions as sites_of().
[[nodiscard]] config::Config config_of_site(const config::Config& config);

// Returns the configuration of the site with the address "url". The host in "url" matches with or
// without the "www." prefix. Throws config::Error if no site in the network has this address. Also
// throws the same exceptions as sites_of().
[[nodiscard]] config::Config config_of_site(const config::Config& config, const std::string& url);

// Runs the command for each site that has tables. If the command fails for a site, continues with
// the next site, except after a signal (Interrupted). Returns the highest exit status. The optional
// function "arguments" returns the arguments for one site, such as the name of a file to write. If
// "arguments" is given, a site without tables counts as a failure, because the caller expects a
// file for each site. Throws the same exceptions as sites_of().
using ArgumentsOfSite = std::vector<std::string>(const Invocation& call, unsigned blog_id);
int run_for_all_sites(const Invocation& call, const std::function<CommandFunction>& run,
                      ArgumentsOfSite* arguments = nullptr);

// Runs the command `migrate` for all sites. If "are_new" is true, skips sites that already have
// tables. If possible, first grants ratingd's database accounts the missing privileges on the
// sites' tables. New sites inherit the `object_check` setting from the first site. If the command
// fails for a site, continues with the next site. Derives table names only from the sites' numbers,
// because a site can change the other columns of its row in WordPress's sites table. Returns the
// exit status.
int migrate_all_sites(const config::Config& first, bool are_new);

// Returns the sites that migrate_all_sites() would migrate. Unless "are_new" is true, reads the
// schema version of each site that has tables. Throws the same exceptions as sites_of().
[[nodiscard]] std::vector<SiteOfNetwork> sites_to_migrate(db::Connection& connection,
                                                          const config::Config& first,
                                                          bool are_new);

// Runs "action" and returns its exit status. If "action" throws an exception, prints the error with
// the site's name and returns 1. Rethrows only Interrupted.
int run_or_report(const SiteOfNetwork& site, const std::function<int()>& action);

// Returns a ratingctl command that consists of "words" and, if the configured site has a name, the
// --site flag.
[[nodiscard]] std::string command_of(const config::Config& config, const std::string& words);

}  // namespace admin
