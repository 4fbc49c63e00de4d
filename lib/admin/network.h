#pragma once

#include <functional>
#include <string>
#include <vector>

#include "adapters/adapters.h"
#include "admin/commands.h"

namespace admin {

// The sites of a network that one pool of workers serves (all-sites = yes).

inline constexpr const char* kAllSites = "all-sites";  // a flag of commands

struct SiteOfNetwork {
  adapters::NetworkSite place;
  bool has_tables = false;  // which the account of the session may use

  // "site 2, example.org/two". A site wrote the address.
  [[nodiscard]] std::string name() const;
};

// The sites that WordPress shows, and hidden sites that have tables: their votes count again when
// the site is shown again. "first" is the configuration of the first site. Errors: as
// adapters::sites_of_network().
[[nodiscard]] std::vector<SiteOfNetwork> sites_of(db::Connection& connection,
                                                  const config::Config& first);

// The configuration of the one site that --blog-id names. Errors: config::Error - the network has
// no such site; as sites_of().
[[nodiscard]] config::Config config_of_site(const config::Config& config);

// The same for the one at "url": with "www." or without, as requests find it. Errors: config::Error
// - the network has no such site; as sites_of().
[[nodiscard]] config::Config config_of_site(const config::Config& config, const std::string& url);

// Runs the command for each site that has tables, and goes on after a site that fails. Returns the
// greatest exit status. If "arguments" is given, its result replaces the arguments of "call": it
// names the file of the site. Then a site without tables counts as failed, because its file is
// missing. Errors: as sites_of().
using ArgumentsOfSite = std::vector<std::string>(const Invocation& call, unsigned blog_id);
int run_for_all_sites(const Invocation& call, const std::function<CommandFunction>& run,
                      ArgumentsOfSite* arguments = nullptr);

// The command migrate for all sites: gives the accounts the rights to the tables of sites that lack
// them, if this process and the database server let it, and migrates them. New tables get the first
// site's object_check. Goes on after a site that fails. Only for sites without tables, if
// "are_new". Names of tables follow from the numbers of sites alone: sites write the other columns
// of their rows. Returns the exit status.
int migrate_all_sites(const config::Config& first, bool are_new);

// The sites that migrate_all_sites() would migrate. Sends a statement for each site that has
// tables, unless "are_new". Errors: as sites_of().
[[nodiscard]] std::vector<SiteOfNetwork> sites_to_migrate(db::Connection& connection,
                                                          const config::Config& first,
                                                          bool are_new);

// Runs "action" and returns its exit status; 1 after an error, which it reports with the site.
int run_or_report(const SiteOfNetwork& site, const std::function<int()>& action);

// "ratingctl WORDS", for the configured sites.
[[nodiscard]] std::string command_of(const config::Config& config, const std::string& words);

}  // namespace admin
