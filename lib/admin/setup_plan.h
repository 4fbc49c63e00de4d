#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admin/commands.h"
#include "config/config.h"
#include "db/connection.h"
#include "db/endpoint.h"
#include "setup/accounts.h"
#include "setup/nginx_conf.h"
#include "setup/site.h"
#include "setup/step.h"

namespace admin {

// --- The request and its site: setup_request.cpp ---

// The request to "ratingctl setup".
struct SetupRequest {
  setup::Site site;                 // has no wp_config if the site has no WordPress
  std::filesystem::path wp_config;  // if empty, setup searches for it
  std::filesystem::path nginx;      // the file to edit; empty if none
  std::filesystem::path apache;     // the Apache file to edit; empty if none
  std::string base_path;            // if empty, it is derived from the site's address
  std::string blog_id;              // if empty, the site is 1
  bool serves_all = false;          // serves all sites in a network
  // The other options for a site without WordPress, by name. A new site has all these options.
  std::map<std::string, std::string> options;
  bool is_removal = false;
  bool is_for_units = false;  // only rewrites the site's units
  bool is_dry = false;
  bool is_agreed = false;
};

// Returns the request that the flags describe.
// Errors: config::Error - flags are invalid, or contradict each other.
[[nodiscard]] SetupRequest setup_request(const Invocation& call);

// Returns the configuration that a program would read with these arguments, from the files and from
// the environment. Errors: config::Error.
[[nodiscard]] config::Config read_configuration(const std::vector<std::string>& arguments);

// Reads the configuration of a site that was set up from the site's file. Errors: same as
// read_configuration(); config::Error - the values differ from the values that setup has recorded.
[[nodiscard]] config::Config read_recorded(const std::string& file);

// Returns the current configuration of a site's workers on this host. The password in it may be
// missing. Errors: config::Error.
[[nodiscard]] config::Config read_site(const setup::Site& site);

// Returns the site's wp-config.php. This is the file with which the site was set up. If there is
// none, it is the requested file, or otherwise the only file found that belongs to no other site on
// this host.
// Errors: config::Error - no file or several files were found; the error lists them.
[[nodiscard]] std::filesystem::path wp_config_of(const SetupRequest& request);

// Returns the other sites that have been set up on this host.
[[nodiscard]] std::vector<setup::Site> other_sites(const setup::Site& site);

// --- The plan: setup_plan.cpp, setup_removal.cpp ---

// The facts that setup or its removal has found on this host, and the steps that it will apply. The
// steps use the other members.
struct SetupPlan {
  SetupRequest request;
  std::filesystem::path wp_config;
  config::Config config;  // the workers' configuration
  setup::SiteOptions options;
  std::string home;  // the site's address
  setup::Accounts accounts;
  // The session of the database's root account, or nullptr if root is refused. This session never
  // reads the site's tables, because the site's owner could replace a table with a view that runs
  // as root.
  std::unique_ptr<db::Connection> root;
  // The account in wp-config.php. It is empty if PHP computes the account's values and the operator
  // names the site.
  std::optional<db::Endpoint> site_account;
  std::unique_ptr<db::Connection> site;  // the session of site_account
  setup::Steps steps;
  std::vector<std::string> notes;  // shown to the operator at the end
  std::string warning;             // if not empty, shown before the question and at the end
  bool lacks_nginx_lines = false;  // the lines for nginx are missing, and a note says so
  // Set by the steps if the tables of some sites in the network could not be created or updated.
  bool lacks_tables_of_sites = false;
  std::string remaining;  // If not empty, tells the operator what to do before setup can continue.
};

// Examines the host and the database without changing anything and returns the plan. Errors:
// config::Error, setup::Error, db::Failure - the site cannot be set up; what() says what to do.
[[nodiscard]] std::unique_ptr<SetupPlan> plan_setup(const SetupRequest& request);

// Returns the plan that removes what plan_setup() adds.
[[nodiscard]] std::unique_ptr<SetupPlan> plan_removal(const SetupRequest& request);

// Returns the plan that writes only the site's units.
[[nodiscard]] std::unique_ptr<SetupPlan> plan_units(const SetupRequest& request);

// Returns the folder where the programs are installed, such as "/usr".
[[nodiscard]] std::string install_prefix();

// Returns the content of a password file without trailing line feeds. Returns an empty string if
// the file does not exist.
[[nodiscard]] std::string password_in(const std::filesystem::path& file);

// --- The plan's parts: setup_request.cpp, setup_database.cpp, setup_web_server.cpp ---

// If only PHP can compute some values in wp-config.php, writes everything that ratingd reads from
// wp-config.php to a file for the site. The operator inserts the missing values, as plan.remaining
// says.
// Errors: same as wordpress::literal_wp_config(); setup::Error - the new file lacks values.
void leave_values_to_operator(SetupPlan& plan);

// Return the files that setup writes for people: the values above, and the statements for a
// database administrator.
[[nodiscard]] std::filesystem::path values_file(const setup::Site& site);
[[nodiscard]] std::filesystem::path sql_file(const setup::Site& site);

// The database accounts of a site, its secret and its tables, as steps in a setup.

// If the database's root account is unavailable, adds an empty record for a new site. With this
// record, no command sends the accounts' passwords to a server named in wp-config.php before the
// proof.
void add_empty_record(SetupPlan& plan);

// Adds the accounts and their permissions. On a site with WordPress, first verifies that the site's
// account uses this database, and records the result. On any other site, first adds the database.
//
// If root is refused for the reason "why_no_root", and the accounts are not complete, adds a file
// with SQL for an administrator. In this case, plan.remaining says what to do with the file.
// Errors: setup::Error - an account has a password that this host does not have.
void add_accounts(SetupPlan& plan, const std::string& why_no_root);

// Adds the last step, which drops the table with the proof. An administrator or a killed setup may
// have left this table. The step comes last because a setup that fails needs the table again.
void add_end_of_proof(SetupPlan& plan);

// Adds the secret and the tables. Without WordPress, a new secret also gets the first ticket key.
// REQUIRES: after add_accounts(), plan.remaining is empty.
// Errors: setup::Error - the tables exist, but the secret for their votes is missing.
void add_tables(SetupPlan& plan);

// If all sites in a network are served, adds the sites' missing permissions and tables. The step
// does not fail. It reports the sites that still lack permissions or tables, and the first site is
// served nevertheless. This must be the last step.
void add_tables_of_sites(SetupPlan& plan);

// The files and lines that nginx needs for a site, as steps in a setup or its removal.

// Adds the files for nginx if the site has a name.
void add_nginx_files(SetupPlan& plan);

// Adds the lines that include these files to the requested file. If no file was requested, a note
// says which lines to add.
// Errors: setup::Error - the file does not exist, or has no server { } for the site.
void add_nginx_lines(SetupPlan& plan);

// Returns the site's files that nginx includes.
[[nodiscard]] setup::NginxIncludes includes_of(const setup::Site& site);

// Returns what to do if nginx does not pass requests for "host" to the site's workers.
[[nodiscard]] std::string advice_for_nginx(const setup::Site& site, config::CmsName cms,
                                           const std::string& host);

// Adds the steps that remove these lines from all files that contain them.
void remove_nginx_lines(SetupPlan& plan);

// The steps for a site behind Apache. A site with a name is never behind Apache.

// Returns whether Apache passes requests to the site's workers.
[[nodiscard]] bool is_behind_apache(const setup::Site& site);

// Returns the command that makes Apache pass requests to the workers if Apache serves "host".
// Otherwise returns an empty string.
[[nodiscard]] std::string setup_with_apache(const setup::Site& site, const std::string& host);

// Adds the private nginx, Apache's modules, and the line in the requested file.
// Errors: setup::Error - the file does not exist, Apache does not read it, or it does not serve
//         "host".
void add_apache(SetupPlan& plan, const std::string& host);

// Adds the steps that remove this line from all files that contain it, and the private nginx.
void remove_apache(SetupPlan& plan);

}  // namespace admin
