#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admin/setup_request.h"
#include "db/connection.h"
#include "db/endpoint.h"
#include "setup/accounts.h"
#include "setup/site_files.h"
#include "setup/step.h"

namespace admin {

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
  bool lacks_nginx_lines = false;  // and a note says so
  std::string remaining;           // not empty: what the operator has to do before setup can go on
};

// Looks at the host and the database, and changes nothing. Errors: config::Error, setup::Error,
// db::Failure - the site cannot be set up; what() says what to do.
[[nodiscard]] std::unique_ptr<SetupPlan> plan_setup(const SetupRequest& request);

// The same, to remove what plan_setup() adds.
[[nodiscard]] std::unique_ptr<SetupPlan> plan_removal(const SetupRequest& request);

// Only the units of the site.
[[nodiscard]] std::unique_ptr<SetupPlan> plan_units(const SetupRequest& request);

// The statements for an administrator of the database, as a file of the site.
[[nodiscard]] std::filesystem::path sql_file(const setup::Site& site);

// What a file with a password has, without line feeds at its end; empty if there is none.
[[nodiscard]] std::string password_in(const std::filesystem::path& file);

// Where the programs are installed: "/usr".
[[nodiscard]] std::string install_prefix();

}  // namespace admin
