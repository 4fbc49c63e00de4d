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

// The arguments of "ratingctl setup".
struct SetupRequest {
  setup::Site site;                 // without WordPress, the site has no wp_config
  std::filesystem::path wp_config;  // if empty, setup searches for it
  std::filesystem::path nginx;      // the file to edit; empty if none
  std::filesystem::path apache;     // the Apache file to edit; empty if none
  std::string base_path;            // if empty, it is derived from the site's address
  std::string blog_id;              // if empty, the site is 1
  bool serves_all = false;          // serves all sites in a network
  // Maps the names of options for a site without WordPress to their values. For a new site, options
  // that the operator has not set have their default values.
  std::map<std::string, std::string> options;
  bool is_removal = false;
  bool is_for_units = false;  // only rewrites the site's units
  bool is_dry = false;
  bool is_agreed = false;
};

// Parses the flags of "ratingctl setup". Throws config::Error if flags are invalid or contradict
// each other.
[[nodiscard]] SetupRequest setup_request(const Invocation& call);

// Reads the configuration from files and the environment, as if "arguments" were the program's
// command line. Throws config::Error if the configuration is invalid.
[[nodiscard]] config::Config read_configuration(const std::vector<std::string>& arguments);

// Reads the configuration of a site that has been set up. "file" is the site's configuration file.
// Throws the same exceptions as read_configuration(). Also throws config::Error if the site's
// database values differ from the values recorded by setup.
[[nodiscard]] config::Config read_recorded(const std::string& file);

// Returns the current configuration of a site's workers on this host. The returned configuration
// may have no database password. Throws config::Error if the configuration is invalid.
[[nodiscard]] config::Config read_site(const setup::Site& site);

// Returns the path of the requested wp-config.php or, if none was requested, of the wp-config.php
// used to set up the site. If no file was requested and the site is new, searches this host for a
// wp-config.php that belongs to no other site. If the search finds no file, or several files,
// throws config::Error with a list of the files.
[[nodiscard]] std::filesystem::path wp_config_of(const SetupRequest& request);

// Returns the other sites that have been set up on this host.
[[nodiscard]] std::vector<setup::Site> other_sites(const setup::Site& site);

// --- The plan: setup_plan.cpp, setup_removal.cpp ---

// The steps that set up or remove a site, and the facts about this host that the steps need. The
// steps refer to the plan's other members, so the plan must outlive them.
struct SetupPlan {
  SetupRequest request;
  std::filesystem::path wp_config;
  config::Config config;  // the workers' configuration
  setup::SiteOptions options;
  std::string home;  // the site's address
  setup::Accounts accounts;
  // The session of the database's root account, or nullptr if the root account cannot be used. The
  // root session never reads the site's tables, because the site's owner could replace a table with
  // a view that runs as root.
  std::unique_ptr<db::Connection> root;
  // The database account in wp-config.php. This member is empty if PHP code computes the account
  // and the site's database values are set in ratingd's configuration files instead.
  std::optional<db::Endpoint> site_account;
  std::unique_ptr<db::Connection> site;  // the session of site_account
  setup::Steps steps;
  std::vector<std::string> notes;  // shown to the operator at the end
  std::string warning;             // if not empty, shown before the question and at the end
  bool lacks_nginx_lines = false;  // the lines for nginx are missing, and a note says so
  // True if a step could not create or update the tables of some sites in the network.
  bool lacks_tables_of_sites = false;
  std::string remaining;  // If not empty, says what the operator must do before setup can continue.
};

// Examines the host and the database without changing them, and returns the plan. Throws
// config::Error, setup::Error or db::Failure with advice if the site cannot be set up.
[[nodiscard]] std::unique_ptr<SetupPlan> plan_setup(const SetupRequest& request);

// Returns the plan that removes everything that plan_setup() adds.
[[nodiscard]] std::unique_ptr<SetupPlan> plan_removal(const SetupRequest& request);

// Returns the plan that writes only the site's systemd units.
[[nodiscard]] std::unique_ptr<SetupPlan> plan_units(const SetupRequest& request);

// Returns the folder where the programs are installed, such as "/usr".
[[nodiscard]] std::string install_prefix();

// Returns the content of a password file without trailing line feeds, or an empty string if the
// file does not exist.
[[nodiscard]] std::string password_in(const std::filesystem::path& file);

// --- The plan's parts: setup_request.cpp, setup_database.cpp, setup_web_server.cpp ---

// If setup cannot read some values, because PHP code computes them or an included file defines
// them, writes a file for the operator to complete with these values, and sets plan.remaining to
// instructions. The file contains all other values that ratingd reads from wp-config.php. Throws
// the same exceptions as wordpress::literal_wp_config(). Also throws setup::Error if the operator
// has not yet completed the file.
void leave_values_to_operator(SetupPlan& plan);

// Checks whether the options, wp-config.php or the database contain the keys of WordPress's logins.
// If they do not, and wp-config.php includes files that may define the keys, calls
// leave_values_to_operator(). If the site is set up already, adds only a note. Throws the same
// exceptions as leave_values_to_operator(), and db::Failure.
void find_login_keys(SetupPlan& plan);

// Return the paths of two files that setup may write: the file with the values from wp-config.php,
// and the file with the SQL statements for a database administrator.
[[nodiscard]] std::filesystem::path values_file(const setup::Site& site);
[[nodiscard]] std::filesystem::path sql_file(const setup::Site& site);

// The following functions add the steps for a site's database accounts, secret and tables.

// If the site is new and the database's root account is unavailable, adds the step that creates an
// empty file for verified database values. While this file is empty, no command sends the accounts'
// passwords to the database server named in wp-config.php.
void add_empty_record(SetupPlan& plan);

// Adds the steps that create ratingd's database accounts and grant them privileges. On a WordPress
// site, first verifies that the account in wp-config.php uses the same database as ratingd's
// accounts, then records the verified values. On a site without WordPress, first creates the
// database.
//
// If the accounts are incomplete and the root account cannot be used, adds a file with SQL for an
// administrator and explains in plan.remaining how to run the SQL. "why_no_root" is the reason why
// the root account cannot be used. Throws setup::Error if an account has a password that is not
// stored on this host.
void add_accounts(SetupPlan& plan, const std::string& why_no_root);

// Adds the step that drops the table used to verify that the database belongs to the site. The
// table may be left over from an SQL file that an administrator ran, or from a setup that was
// killed. The step comes after all steps that may fail, because setup needs the table again if the
// operator repeats a failed setup.
void add_end_of_proof(SetupPlan& plan);

// Adds the steps that create the secret and the tables. On a site without WordPress, also adds the
// first ticket key to a new secret file. Call this function only if plan.remaining is empty after
// add_accounts(). Throws setup::Error if the tables exist but the secret is missing, because voters
// in existing tables can be identified only with the secret.
void add_tables(SetupPlan& plan);

// If the workers serve all sites in a network, adds the step that grants the missing privileges
// and creates the missing tables for the other sites. The step must be the plan's last step. The
// step never fails, because the first site can be served without the other sites. The step reports
// the sites that still lack privileges or tables.
void add_tables_of_sites(SetupPlan& plan);

// The following functions add or remove the files and lines that nginx needs for a site.

// If the site has a name, adds the steps that write the site's nginx files. A site without a name
// uses the nginx files in the package.
void add_nginx_files(SetupPlan& plan);

// Adds the step that inserts the lines for the site's nginx files into the requested nginx file. If
// no file was requested, a note lists the lines to add. Throws setup::Error if the file does not
// exist or contains no server { } block for the site.
void add_nginx_lines(SetupPlan& plan);

// Returns the site's files that nginx must include.
[[nodiscard]] setup::NginxIncludes includes_of(const setup::Site& site);

// Returns the port that browsers use for an origin, and whether browsers use TLS.
[[nodiscard]] setup::NginxListen port_of_browsers(const std::string& origin);

// Returns the system account of the web server that connects to the workers' socket. Behind Apache,
// this web server is the private nginx. The result is empty if the account is unknown.
[[nodiscard]] std::string account_of_web_server(const setup::Site& site);

// Returns advice for an operator whose web server does not pass requests for "origin" to the site's
// workers.
[[nodiscard]] std::string advice_for_nginx(const setup::Site& site, config::CmsName cms,
                                           const std::string& origin);

// Adds the steps that remove the site's lines from all nginx files.
void remove_nginx_lines(SetupPlan& plan);

// The following functions are for sites behind Apache. A site that was set up with --site NAME is
// never behind Apache.

// Returns whether Apache passes requests to the site's workers.
[[nodiscard]] bool is_behind_apache(const setup::Site& site);

// Returns the Apache files with a virtual host for "origin" that does not pass requests to the
// workers.
[[nodiscard]] std::vector<std::filesystem::path> apache_files_without_line(
    const std::string& origin);

// Returns the command that makes Apache pass requests to the workers, or an empty string if Apache
// does not serve the host in "origin".
[[nodiscard]] std::string setup_with_apache(const setup::Site& site, const std::string& origin);

// Adds the steps that start the private nginx, enable Apache's modules, and insert ratingd's line
// into the requested Apache file and into all other files in apache_files_without_line(). Throws
// setup::Error if the requested file does not exist, is not read by Apache, or does not define a
// virtual host for the host in "origin".
void add_apache(SetupPlan& plan, const std::string& origin);

// Adds the steps that remove the private nginx, and remove the site's line from all Apache files.
void remove_apache(SetupPlan& plan);

}  // namespace admin
