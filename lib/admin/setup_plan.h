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

// --- The request and what it is about: setup_request.cpp ---

// What the operator wants of "ratingctl setup".
struct SetupRequest {
  setup::Site site;                 // without a wp_config if it has no WordPress
  std::filesystem::path wp_config;  // empty: to be found
  std::filesystem::path nginx;      // the file to edit; empty: none
  std::filesystem::path apache;     // the same
  std::string base_path;            // empty: by the site's address
  std::string blog_id;              // empty: 1
  bool serves_all = false;          // all sites of a network
  // Without WordPress: the other options of the site, by their names; all of them if it is new.
  std::map<std::string, std::string> options;
  bool is_removal = false;
  bool is_for_units = false;  // only to write the units of the site again
  bool is_dry = false;
  bool is_agreed = false;
};

// Errors: config::Error - flags that make no sense, or not together.
[[nodiscard]] SetupRequest setup_request(const Invocation& call);

// The configuration that a program would read with these arguments, from the files and the
// environment. Errors: config::Error.
[[nodiscard]] config::Config read_configuration(const std::vector<std::string>& arguments);

// As read_configuration(), for a file of a site that is set up. Errors: config::Error - also if it
// has other values than setup has recorded.
[[nodiscard]] config::Config read_recorded(const std::string& file);

// The workers' configuration of a site as it is on this host. Its password may be missing.
// Errors: config::Error.
[[nodiscard]] config::Config read_site(const setup::Site& site);

// The wp-config.php of the site: the one that it is set up with, the requested one, or the only one
// found that no other site of this host has. Errors: config::Error - none or several; it lists
// them.
[[nodiscard]] std::filesystem::path wp_config_of(const SetupRequest& request);

// The other sites of this host that are set up.
[[nodiscard]] std::vector<setup::Site> other_sites(const setup::Site& site);

// --- The plan: setup_plan.cpp, setup_removal.cpp ---

// What setup or its removal finds on this host, and what it will do. The steps use the rest.
struct SetupPlan {
  SetupRequest request;
  std::filesystem::path wp_config;
  config::Config config;  // of the workers
  setup::SiteOptions options;
  std::string home;  // the address of the site
  setup::Accounts accounts;
  // nullptr: root is refused. It reads no table of the site: the site's owner can make a view of
  // it, which does what its reader may do.
  std::unique_ptr<db::Connection> root;
  // The account of wp-config.php; nothing: it is computed, and the operator names the site.
  std::optional<db::Endpoint> site_account;
  std::unique_ptr<db::Connection> site;  // its session
  setup::Steps steps;
  std::vector<std::string> notes;  // what the operator should know, at the end
  std::string warning;             // not empty: the same, before the question and at the end
  bool lacks_nginx_lines = false;  // and a note says so
  // After the steps: the tables of some sites of the network could not be made or updated.
  bool lacks_tables_of_sites = false;
  std::string remaining;  // not empty: what the operator has to do before setup can go on
};

// Looks at the host and the database, and changes nothing. Errors: config::Error, setup::Error,
// db::Failure - the site cannot be set up; what() says what to do.
[[nodiscard]] std::unique_ptr<SetupPlan> plan_setup(const SetupRequest& request);

// As plan_setup(), but removes what it adds.
[[nodiscard]] std::unique_ptr<SetupPlan> plan_removal(const SetupRequest& request);

// Only the units of the site.
[[nodiscard]] std::unique_ptr<SetupPlan> plan_units(const SetupRequest& request);

// Where the programs are installed: "/usr".
[[nodiscard]] std::string install_prefix();

// What a file with a password has, without line feeds at its end; empty if there is none.
[[nodiscard]] std::string password_in(const std::filesystem::path& file);

// --- Its parts: setup_request.cpp, setup_database.cpp, setup_web_server.cpp ---

// For a wp-config.php with values that only PHP knows: writes all that ratingd reads of it to a
// file of the site, where the operator inserts the missing ones; plan.remaining says so. Errors: as
// wordpress::literal_wp_config(); setup::Error - values are missing in that file itself.
void leave_values_to_operator(SetupPlan& plan);

// Files of a site that setup makes for people: these values, and the statements for an
// administrator of the database.
[[nodiscard]] std::filesystem::path values_file(const setup::Site& site);
[[nodiscard]] std::filesystem::path sql_file(const setup::Site& site);

// The database accounts of a site, its secret and its tables, as steps of a setup.

// Adds a record of nothing, for a new site without a root of its database: until the proof, no
// command sends the passwords of its accounts to a server that wp-config.php names.
void add_empty_record(SetupPlan& plan);

// Adds the proof that the site's account uses this database and the record of it, or without
// WordPress the database, and the accounts and their rights. Where root is refused, for the reason
// "why_no_root": a file with SQL for an administrator, unless the accounts are complete.
// plan.remaining says then what to do with it. Errors: setup::Error - an account has a password
// that this host does not have.
void add_accounts(SetupPlan& plan, const std::string& why_no_root);

// Drops the table with the proof, if an administrator or a setup that was killed left one: at the
// end, since a setup that fails needs it again.
void add_end_of_proof(SetupPlan& plan);

// Adds the secret and the tables, and to a new secret without WordPress the first ticket key.
// REQUIRES: add_accounts() left nothing to do.
// Errors: setup::Error - the tables are there, but not the secret that belongs to their votes.
void add_tables(SetupPlan& plan);

// Of a network whose sites are all served, adds the rights and the tables of sites that lack them.
// The step does not fail: it reports sites that remain so, and the first site is served without
// them. It is to be the last one.
void add_tables_of_sites(SetupPlan& plan);

// What nginx needs for a site, as steps of a setup or of its removal.

// Adds the files of a site with a name.
void add_nginx_files(SetupPlan& plan);

// Adds the lines that include them to the requested file; without one, a note says what to add.
// Errors: setup::Error - the file is not there, or has no server { } for the site.
void add_nginx_lines(SetupPlan& plan);

// The files of the site that nginx includes.
[[nodiscard]] setup::NginxIncludes includes_of(const setup::Site& site);

// What to do if nginx does not pass requests for "host" to the site's workers.
[[nodiscard]] std::string advice_for_nginx(const setup::Site& site, config::CmsName cms,
                                           const std::string& host);

// Removes these lines from all files that have them.
void remove_nginx_lines(SetupPlan& plan);

// The steps for a site behind Apache. A site with a name is never behind it.

// Whether Apache passes requests to the site's workers.
[[nodiscard]] bool is_behind_apache(const setup::Site& site);

// The command that lets Apache pass them, if Apache serves "host"; otherwise empty.
[[nodiscard]] std::string setup_with_apache(const setup::Site& site, const std::string& host);

// Adds the private nginx, Apache's modules, and the line in the requested file. Errors:
// setup::Error - the file is not there, Apache does not read it, or it does not serve "host".
void add_apache(SetupPlan& plan, const std::string& host);

// Removes that line from all files that have it, and the private nginx.
void remove_apache(SetupPlan& plan);

}  // namespace admin
