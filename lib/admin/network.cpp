#include "admin/network.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <set>
#include <utility>

#include "admin/output.h"
#include "base/origin.h"
#include "base/text.h"
#include "setup/site.h"

namespace admin {
namespace {

constexpr const char* kTable = "ratingd_schema";  // every site with tables has this table

// Returns table names in lower case because some servers store all names in lower case.
std::set<std::string> tables_of_all(db::Connection& connection, const std::string& prefix) {
  const auto names = connection
                         .query(
                             "SELECT table_name FROM information_schema.tables"
                             " WHERE table_schema = DATABASE() AND table_name LIKE ?",
                             prefix + "%" + kTable)
                         .all(db::text_in);
  std::set<std::string> found;
  for (const std::string& name : names) found.insert(base::to_lower(name));
  return found;
}

// Returns the sites that have not been archived, deleted or marked as spam.
std::vector<adapters::NetworkSite> open_sites_of(db::Connection& connection,
                                                 const config::Config& first) {
  auto sites = adapters::sites_of_network(connection, first);
  std::erase_if(sites, [](const adapters::NetworkSite& site) { return !site.is_open(); });
  return sites;
}

// Prints the reason why the site is skipped. Returns the exit status: 1 if the command should have
// written a file for the site, 0 otherwise.
int leave_out(const Invocation& call, const SiteOfNetwork& site, bool lacks_file) {
  const std::string why = "skipped: it has no tables of ratingd, or no privileges on them. Run: " +
                          command_of(call.config, "migrate --all-sites");
  if (!lacks_file) {
    print_text(why);
    return 0;
  }
  std::fflush(stdout);
  print_text(fmt::format("ratingctl: {}: {}", site.name(), why), stderr);
  return 1;
}

}  // namespace

std::string SiteOfNetwork::name() const {
  return fmt::format("site {}, {}", place.blog_id, base::printable(place.host + place.path));
}

std::vector<SiteOfNetwork> sites_of(db::Connection& connection, const config::Config& first) {
  const auto tables = tables_of_all(connection, first.base_prefix);
  std::vector<SiteOfNetwork> sites;
  for (adapters::NetworkSite& place : adapters::sites_of_network(connection, first)) {
    const std::string table = config::table_prefix_of(first, place.blog_id) + kTable;
    const bool has_tables = tables.contains(base::to_lower(table));
    if (place.is_open() || has_tables) sites.push_back({std::move(place), has_tables});
  }
  return sites;
}

config::Config config_of_site(const config::Config& config) {
  config::Config first = config;
  first.network.blog_id = 1;
  first.table_prefix = config::table_prefix_of(config, 1);
  db::Connection connection = connect(first, kShortWait);
  for (const adapters::NetworkSite& site : open_sites_of(connection, first)) {
    if (site.blog_id == config.network.blog_id) return adapters::config_of(first, site);
  }
  throw config::Error(
      fmt::format("--blog-id: the network has no site {}, or the site is archived, spam or deleted",
                  config.network.blog_id));
}

config::Config config_of_site(const config::Config& config, const std::string& url) {
  const std::string whole = url.find("://") == std::string::npos ? "http://" + url : url;
  const auto origin = base::origin_of(whole);
  const auto path = base::path_of(whole);
  if (!origin || !path)
    throw config::Error("--url must be an address such as example.org/two, not " + url);
  db::Connection connection = connect(config, kShortWait);
  const auto sites = open_sites_of(connection, config);
  const auto addresses = adapters::addresses_of(sites);
  const auto* const index = adapters::find_at(addresses, base::host_of(*origin), *path);
  if (index != nullptr) return adapters::config_of(config, sites[*index]);
  throw config::Error(
      "--url: the network has no site at this address, or the site is archived, spam or deleted: " +
      url);
}

int run_for_all_sites(const Invocation& call, const std::function<CommandFunction>& run,
                      ArgumentsOfSite* arguments) {
  const auto sites = [&] {
    db::Connection connection = connect(call.config, kShortWait);
    return sites_of(connection, call.config);
  }();
  int status = 0;
  for (const SiteOfNetwork& site : sites) {
    print_line(site.name() + ":");
    if (!site.has_tables) {
      status = std::max(status, leave_out(call, site, arguments != nullptr));
      continue;
    }
    const config::Config config = adapters::config_of(call.config, site.place);
    std::vector<std::string> own;
    if (arguments != nullptr) own = arguments(call, site.place.blog_id);
    const Invocation of_site{config, arguments == nullptr ? call.arguments : own, call.flags};
    status = std::max(status, run_or_report(site, [&] { return run(of_site); }));
  }
  return status;
}

int run_or_report(const SiteOfNetwork& site, const std::function<int()>& action) {
  try {
    return action();
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& exception) {
    std::fflush(stdout);
    print_text(fmt::format("ratingctl: {}: {}", site.name(), exception.what()), stderr);
    return 1;
  }
}

std::string command_of(const config::Config& config, const std::string& words) {
  return setup::command_for(setup::site_in(config.runtime_dir), words);
}

}  // namespace admin
