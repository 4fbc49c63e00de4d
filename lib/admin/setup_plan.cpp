#include "admin/setup_plan.h"

#include <fmt/core.h>

#include <optional>
#include <system_error>
#include <utility>

#include "admin/doctor.h"
#include "admin/migrate.h"
#include "base/bytes.h"
#include "base/origin.h"
#include "config/options.h"
#include "db/endpoint.h"
#include "db/migrations.h"
#include "identity/secrets.h"
#include "setup/files.h"
#include "setup/find_wordpress.h"
#include "setup/nginx.h"
#include "setup/units.h"
#include "store/removal.h"
#include "wordpress/site_reader.h"

namespace admin {
namespace fs = std::filesystem;
namespace {

using setup::Error;
using setup::Step;

constexpr std::chrono::seconds kMaxWait{30};

// The site's own tables, as root or, where root is refused, as WordPress's account.
std::unique_ptr<db::Connection> connect_as_reader(const SetupPlan& plan) {
  db::Endpoint endpoint = db::endpoint_of(plan.config.database, kMaxWait);
  if (plan.root != nullptr) {
    endpoint.user = "root";
    endpoint.password = "";
  } else {
    const config::Config wp = read_configuration({"--wp-config=" + plan.wp_config.string()});
    endpoint.user = wp.database.user;
    endpoint.password = wp.database.password;
  }
  return std::make_unique<db::Connection>(endpoint);
}

void read_home(SetupPlan& plan, db::Connection& reader) {
  plan.home = plan.config.home;
  if (!plan.home.empty()) return;
  std::optional<std::string> home;
  try {
    home = wordpress::SiteReader(plan.config.table_prefix).option(reader, "home");
  } catch (const db::ConnectionLost&) {
    throw;
  } catch (const db::Failure& failure) {
    throw Error(fmt::format(
        "WordPress's tables cannot be read in the database {}: {}\nIf WordPress is new, first open "
        "/wp-admin/install.php of the site in a browser.",
        plan.config.database.name, failure.what()));
  }
  if (!home)
    throw Error("WordPress's table of options has no address (home); install WordPress first");
  plan.home = *home;
}

// Administrators of WordPress choose the address, and it becomes part of files of root.
std::string path_of_home(const SetupPlan& plan) {
  const auto path = base::path_of(plan.home);
  if (!path || base::printable(*path) != *path) {
    throw Error("the site's address is not one of http or https: " + base::printable(plan.home));
  }
  return *path;
}

// The base path follows the address, unless the configuration has one.
void choose_base_path(SetupPlan& plan) {
  const std::string path = path_of_home(plan);
  plan.home = *base::origin_of(plan.home) + path;
  const setup::Site& site = plan.request.site;
  const setup::SiteOptions packaged;
  std::error_code error;
  plan.options.blog_id = plan.config.network.blog_id;
  if (fs::exists(site.workers_file, error)) {
    plan.options.base_path = plan.config.base_path;
  } else if (!plan.request.base_path.empty()) {
    plan.options.base_path = plan.request.base_path;
  } else {
    plan.options.base_path = path + packaged.base_path;
  }
  if (!config::is_base_path(plan.options.base_path)) {
    throw Error("no base path of the API can follow from the site's address " + plan.home +
                "; give one with --base-path");
  }
  if (site.name.empty() && !path.empty() && plan.options.base_path == packaged.base_path) {
    throw Error(plan.home +
                " is in a folder, and the files of the package are for a site at /. "
                "Give the site a name and files of its own: ratingctl setup --site " +
                (setup::is_site_name(path.substr(1)) ? path.substr(1) : "NAME"));
  }
}

bool is_same_site(const config::Config& a, const config::Config& b) {
  return a.database.server == b.database.server && a.database.name == b.database.name &&
         a.table_prefix == b.table_prefix;
}

void refuse_site_of_others(const SetupPlan& plan) {
  for (const setup::Site& other : other_sites(plan.request.site)) {
    bool is_same = false;
    try {
      is_same = is_same_site(plan.config, read_site(other));
    } catch (const config::Error&) {
      // A site that does not work is no reason against this one.
    }
    if (is_same) throw Error("this site is set up already: " + other.workers_file.string());
  }
}

config::Config read_config_of(const SetupRequest& request, const fs::path& wp_config) {
  std::vector<std::string> arguments = {"--wp-config=" + wp_config.string()};
  std::error_code error;
  if (fs::exists(request.site.workers_file, error)) {
    arguments.push_back("--config=" + request.site.workers_file.string());
  } else if (request.site.name.empty()) {
    throw Error(request.site.workers_file.string() +
                " is missing; install the package again, or copy etc/ratingd.conf from the source");
  }
  if (!fs::exists(request.site.workers_password, error)) {
    arguments.emplace_back("--db-password-file=/dev/null");
  }
  if (!request.base_path.empty()) arguments.push_back("--base-path=" + request.base_path);
  if (!request.blog_id.empty()) arguments.push_back("--blog-id=" + request.blog_id);
  try {
    config::Config config = read_configuration(arguments);
    if (config.not_read.empty()) return config;
    throw config::Error(config.not_read.front());
  } catch (const config::Error& wrong) {
    throw Error(fmt::format(
        "{}\nWhat wp-config.php does not say as a literal value goes into {} and {}.", wrong.what(),
        request.site.workers_file.string(), request.site.ratingctl_file.string()));
  }
}

void add_files(SetupPlan& plan) {
  const setup::Site& site = plan.request.site;
  setup::Steps& steps = plan.steps;
  if (!site.name.empty()) steps.push_back(setup::create_folder(site.folder));
  if (plan.wp_config != site.wp_config) {
    steps.push_back(setup::link_file(site.wp_config, plan.wp_config));
  }
  steps.push_back(setup::create_file(site.workers_password, plan.accounts.workers_password + "\n",
                                     0600, "a random password"));
  steps.push_back(setup::create_file(
      site.ratingctl_password, plan.accounts.ratingctl_password + "\n", 0600, "a random password"));
  if (!site.name.empty()) {
    steps.push_back(setup::create_file(site.workers_file, setup::workers_conf(site, plan.options),
                                       0644, "the workers' configuration"));
    steps.push_back(setup::create_file(site.ratingctl_file,
                                       setup::ratingctl_conf(site, plan.options), 0644,
                                       "ratingctl's configuration"));
  }
}

// The secret of an earlier installation is used again: voters keep their identity by it.
Step make_secret(const fs::path& file) {
  std::error_code error;
  if (fs::exists(file, error)) return {};
  const auto is_made = std::make_shared<bool>(false);
  return {
      {"create the secret " + file.string() + ", which identifies voters: keep it with backups"},
      [=] {
        identity::make_secret(file);
        *is_made = true;
      },
      [=] {
        if (*is_made) fs::remove(file);
      }};
}

// Whether both accounts are there and have these passwords. Errors: Error - one has another.
bool has_accounts(const SetupPlan& plan) {
  bool all = true;
  for (const auto& [account, password, file] :
       {std::tuple(plan.accounts.names.workers, plan.accounts.workers_password,
                   plan.request.site.workers_password),
        std::tuple(plan.accounts.names.ratingctl, plan.accounts.ratingctl_password,
                   plan.request.site.ratingctl_password)}) {
    std::error_code error;
    if (fs::exists(file, error) && setup::can_connect(plan.config, account, password)) continue;
    all = false;
    if (plan.root == nullptr || !setup::account_exists(*plan.root, account)) continue;
    throw Error(fmt::format(
        "the database account {} exists, but its password is not in {}. If another host uses this "
        "account, copy the file, and the secret, from there. Otherwise remove the account: DROP "
        "USER "
        "{}",
        account, file.string(), account));
  }
  return all;
}

// The version of the tables, for root or for ratingctl's account. 0: none that can be seen.
int version_of_tables(const SetupPlan& plan) {
  if (plan.root != nullptr) {
    return db::schema_version(*plan.root, plan.config.table_prefix);
  }
  try {
    db::Connection connection(db::endpoint_of(
        read_configuration({"--config=" + plan.request.site.ratingctl_file.string()}).database,
        kMaxWait));
    return db::schema_version(connection, plan.config.table_prefix);
  } catch (const db::Failure&) {
    return 0;  // no right to them yet
  }
}

// Tables that this setup made, as long as nobody has voted.
void drop_new_tables(const config::Config& config) {
  db::Connection connection(db::endpoint_of(config.database, kMaxWait));
  const auto tables = store::own_tables(connection, config.table_prefix);
  for (const store::OwnTable& table : tables) {
    const bool has_votes = table.name == config.table_prefix + "ratingd_votes" &&
                           store::count_rows_of(connection, table) > 0;
    if (has_votes) throw Error("there are votes in the new tables");
  }
  store::remove(connection, tables);
}

Step migrate_tables(const SetupPlan& plan) {
  const int version = version_of_tables(plan);
  if (version >= db::newest_version()) return {};
  const std::string file = plan.request.site.ratingctl_file.string();
  const auto config_of = [file] { return read_configuration({"--config=" + file}); };
  return {{fmt::format("{} the tables {}ratingd_... in the database {}",
                       version == 0 ? "create" : "update", plan.config.table_prefix,
                       plan.config.database.name)},
          [=] { static_cast<void>(migrate(config_of())); },
          [=] {
            if (version == 0) drop_new_tables(config_of());
          }};
}

// The accounts and their rights; or a file for the administrator, and nothing after it.
void add_database(SetupPlan& plan, const std::string& why_no_root) {
  const bool has_both = has_accounts(plan);
  const bool has_all = has_both && setup::have_rights(plan.config, plan.accounts);
  const fs::path file = sql_file(plan.request.site);
  if (has_all) {
    plan.steps.push_back(setup::remove_file(file));
    return;
  }
  if (plan.root == nullptr) {
    plan.steps.push_back(
        setup::write_file(file, setup::accounts_sql(plan.accounts), 0600,
                          "SQL that creates two accounts and grants their rights"));
    plan.remaining = fmt::format(
        "{}.\nLet an administrator of the database run {}, which has passwords in it; for "
        "example:\n"
        "  mariadb -h {} -u root -p <{}\nThen repeat this command.",
        why_no_root, file.string(),
        plan.config.database.server.host.empty() ? "localhost" : plan.config.database.server.host,
        file.string());
    return;
  }
  if (!has_both) plan.steps.push_back(setup::create_accounts(*plan.root, plan.accounts));
  plan.steps.push_back(setup::grant_rights(*plan.root, plan.accounts));
}

void note_plugin(SetupPlan& plan, const std::string& reason) {
  plan.notes.push_back(fmt::format(
      "{}. For the shortcode and the block, copy {}/share/ratingd/ratingd-widgets.php to "
      "WordPress's folder wp-content/mu-plugins.",
      reason, install_prefix()));
}

void add_plugin(SetupPlan& plan) {
  const auto folder = setup::plugin_folder(plan.wp_config);
  if (!folder) return note_plugin(plan, "WordPress's folder mu-plugins was not found");
  try {
    const Step made = setup::create_folder(*folder);
    const Step written = setup::write_file(*folder / "ratingd-widgets.php",
                                           std::string(setup::packaged_file("ratingd-widgets.php")),
                                           0644, "the shortcode [ratingd] and the block");
    plan.steps.push_back(made);
    plan.steps.push_back(written);
  } catch (const std::runtime_error& unusable) {
    note_plugin(plan, unusable.what());
  }
}

void add_nginx_files(SetupPlan& plan) {
  const setup::Site& site = plan.request.site;
  if (site.name.empty()) return;
  plan.steps.push_back(setup::create_folder(site.nginx_server.parent_path()));
  plan.steps.push_back(setup::write_file(site.nginx_upstream,
                                         setup::nginx_upstream(site, plan.options), 0644,
                                         "for nginx's http { }"));
  plan.steps.push_back(setup::write_file(site.nginx_server, setup::nginx_server(site, plan.options),
                                         0644, "for the site's server { }"));
}

Step check_installation(const setup::Site& site) {
  return {
      {"check the installation (ratingctl doctor)"},
      [file = site.workers_file.string()] {
        if (doctor(read_configuration({"--config=" + file})) != 0) {
          throw Error("the installation is not complete; correct what is marked \"fail\" above");
        }
      },
      {}};
}

void add_units(SetupPlan& plan, bool has_new_files) {
  const setup::Site& site = plan.request.site;
  const Step units = setup::write_units(site, install_prefix());
  plan.steps.push_back(units);
  if (setup::has_systemd()) {
    plan.steps.push_back(setup::start_units(site, has_new_files || !units.actions.empty()));
    return;
  }
  plan.notes.push_back(fmt::format(
      "No systemd runs here, so nothing was started. Start the workers with --config={}; each gets "
      "the listening socket {} as its standard input (man ratingd).",
      site.workers_file.string(), site.socket.string()));
}

std::string lines_for_nginx(const setup::NginxIncludes& lines) {
  return "  in http { }:    include " + lines.upstream + ";\n  in server { }:  include " +
         lines.server + ";";
}

void note_nginx_lines(SetupPlan& plan, const std::string& host) {
  const auto lines = nginx_includes(plan.request.site);
  if (!setup::nginx_files_with(lines).empty()) return;
  const auto files = setup::nginx_files_for(host);
  const std::string file = files.empty() ? "FILE" : files.front().string();
  plan.notes.push_back(fmt::format(
      "nginx does not pass requests to ratingd yet. Add these lines to {}, or let setup do it: "
      "ratingctl setup{} --nginx {}\n{}",
      files.empty() ? "the file with the server { } of " + host : file,
      plan.request.site.name.empty() ? "" : " --site " + plan.request.site.name, file,
      lines_for_nginx(lines)));
}

void add_nginx_lines(SetupPlan& plan) {
  const std::string origin = base::origin_of(plan.home).value_or("");
  const std::string host(base::host_of(origin));
  const fs::path& file = plan.request.nginx;
  if (file.empty()) return note_nginx_lines(plan, host);
  const auto text = setup::content_of(file);
  if (!text) throw Error("--nginx: there is no file " + file.string());
  const auto lines = nginx_includes(plan.request.site);
  bool has_upstream = false;
  for (const fs::path& other : setup::nginx_files()) {
    has_upstream |=
        setup::includes(setup::parse_nginx(setup::content_of(other).value_or("")), lines.upstream);
  }
  std::string edited;
  try {
    edited = setup::with_includes(*text, lines, host, !has_upstream);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}\nAdd the lines by hand:\n{}", file.string(), error.what(),
                            lines_for_nginx(lines)));
  }
  if (edited == *text) return;
  plan.steps.push_back(setup::edit_nginx(
      {{file, edited}}, {"add to " + file.string() +
                         " the lines below, after nginx -t with a copy, and reload nginx:\n" +
                         lines_for_nginx(lines)}));
}

}  // namespace

std::unique_ptr<SetupPlan> plan_setup(const SetupRequest& request) {
  auto plan = std::make_unique<SetupPlan>();
  const setup::Site& site = request.site;
  plan->request = request;
  plan->wp_config = wp_config_of(request);
  plan->config = read_config_of(request, plan->wp_config);
  refuse_site_of_others(*plan);

  std::string why_no_root;
  plan->root = setup::connect_as_root(plan->config, why_no_root);
  read_home(*plan, *connect_as_reader(*plan));
  choose_base_path(*plan);
  plan->accounts.names = setup::account_names(site, plan->config);
  plan->accounts.workers_password = password_in(site.workers_password);
  plan->accounts.ratingctl_password = password_in(site.ratingctl_password);
  for (auto* password : {&plan->accounts.workers_password, &plan->accounts.ratingctl_password}) {
    if (password->empty()) *password = setup::new_password();
  }

  add_files(*plan);
  plan->steps.push_back(make_secret(site.secret));
  const bool has_new_files = !setup::actions_of(plan->steps).empty();
  add_database(*plan, why_no_root);
  if (!plan->remaining.empty()) return plan;
  plan->steps.push_back(migrate_tables(*plan));
  add_plugin(*plan);
  add_nginx_files(*plan);
  const std::size_t checked = plan->steps.size();
  add_units(*plan, has_new_files);
  add_nginx_lines(*plan);
  if (!setup::actions_of(plan->steps).empty()) {
    plan->steps.insert(plan->steps.begin() + static_cast<std::ptrdiff_t>(checked),
                       check_installation(site));
  }
  return plan;
}

std::unique_ptr<SetupPlan> plan_units(const SetupRequest& request) {
  auto plan = std::make_unique<SetupPlan>();
  plan->request = request;
  std::error_code error;
  if (!fs::exists(request.site.workers_file, error)) {
    throw Error("there is no site " + request.site.name);
  }
  plan->steps.push_back(setup::write_units(request.site, install_prefix()));
  return plan;
}

setup::NginxIncludes nginx_includes(const setup::Site& site) {
  return {site.nginx_upstream.string(), site.nginx_server.string()};
}

fs::path sql_file(const setup::Site& site) { return site.folder / "accounts.sql"; }

std::string password_in(const fs::path& file) {
  std::string text = setup::content_of(file).value_or("");
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

std::string install_prefix() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const bool is_installed = !error && program.parent_path().filename() == "bin";
  return is_installed ? program.parent_path().parent_path().string() : "/usr";
}

}  // namespace admin
