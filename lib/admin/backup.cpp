// The commands `backup` and `restore`.

#include "transfer/backup.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "admin/backup_files.h"
#include "admin/commands.h"
#include "admin/network.h"
#include "admin/output.h"
#include "base/clock.h"
#include "base/message.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "db/endpoint.h"
#include "identity/secrets.h"
#include "runtime/blocked_signals.h"
#include "setup/site.h"
#include "setup/step.h"
#include "setup/units.h"

namespace admin {
namespace {

namespace fs = std::filesystem;

std::string describe(const transfer::BackupHeader& header, const transfer::RowCounts& rows) {
  const auto count = [&](const char* table, std::string_view one, std::string_view many) {
    const auto found = rows.find(table);
    return base::counted(found == rows.end() ? 0 : found->second, one, many);
  };
  return fmt::format(
      "{}, {}, {} and {} of {}", count("votes", "vote", "votes"),
      count("balances", "aggregate", "aggregates"), count("settings", "setting", "settings"),
      count("templates", "template", "templates"), base::to_rfc3339(header.taken_at));
}

// Returns the secret from the backup, or nothing if the secret must not be installed. Throws
// std::runtime_error if the secret in the backup differs from the current secret and the operator
// has chosen neither --with-secret nor --keep-secret.
std::optional<identity::SecretFile> secret_to_install(const Invocation& call,
                                                      const transfer::BackupHeader& header) {
  const fs::path& own = call.config.secret_file;
  const bool is_wanted = call.has("with-secret");
  if (is_wanted && call.has("keep-secret")) {
    throw std::runtime_error("Use either --with-secret or --keep-secret.");
  }
  if (!header.secret) {
    if (!is_wanted) return std::nullopt;
    throw std::runtime_error("The backup has no secret: it was written without --with-secret.");
  }
  if (call.has("keep-secret")) return std::nullopt;
  auto secret = identity::parse_secret_file(*header.secret);
  if (!secret) throw std::runtime_error("the secret of the backup: " + secret.error());
  if (!fs::exists(own)) return *secret;
  if (identity::read_secret_file(own) == *secret) return std::nullopt;
  if (is_wanted) return *secret;
  throw std::runtime_error(
      fmt::format("The secret in the backup differs from {}. Repeat the command with --with-secret "
                  "to install the secret, so that the voters in the backup are recognized. To keep "
                  "the current secret, use --keep-secret.",
                  own.native()));
}

// Installs the secret. Saves the replaced secret in a file whose name ends with the current time.
void install_secret(const config::Config& config, const identity::SecretFile& secret) {
  const fs::path& file = config.secret_file;
  if (!fs::exists(file)) {
    identity::create_secret_file(file, secret);
    return;
  }
  identity::change_secret_file(file, [&](identity::SecretFile& content) {
    if (content == secret) return;
    const fs::path old = file.string() + "." + base::to_rfc3339(base::SystemClock().now());
    identity::create_secret_file(old, content);
    fmt::print("kept the previous secret as {}\n", old.native());
    content = secret;
  });
}

// Restarts the workers, or prints the command to restart them if they do not run on this host. A
// worker still running with the old secret would treat the voters in the restored backup as new
// voters.
void replace_workers(const Invocation& call) {
  const setup::Site site = setup::site_named(call.value("site").value_or(""));
  const std::string target = site.unit + ".target";
  const bool is_here = site.secret == call.config.secret_file && setup::has_systemd() &&
                       setup::run_program({"systemctl", "is-active", target}).status == 0;
  std::puts("If the site has several hosts, copy the secret to each of them and reload there.");
  if (is_here) {
    static_cast<void>(setup::replace_workers(site));
  } else {
    fmt::print("Now replace the workers: {}\n", setup::command_for(site, "reload"));
  }
}

void print_erasures(const Invocation& call, base::Time taken_at) {
  fmt::print(
      "\nData that was erased after {} is there again. Erase it again{}:\n  users     ratingctl "
      "clean ratings --user ID --confirm\n            (the CMS may keep a list of these "
      "requests)\n  visitors  ratingctl clean ratings --issuer NAME --subject ID --confirm\n  "
      "posts     ratingctl maintain --orphans=remove\nOld votes and addresses: ratingctl "
      "maintain\nNobody knows the visitors without a login who used DELETE /me. Only they can "
      "erase their data again.\n",
      base::to_rfc3339(taken_at),
      call.has(kAllSites) ? ", at each site with the option --url of this site" : "");
}

// --- Writing a backup ----------------------------------------------------------------------------

int back_up_site(const Invocation& call) {
  const config::Config& config = call.config;
  transfer::BackupHeader header;
  header.program = RATINGD_VERSION;
  if (call.has("with-secret")) {
    header.secret = identity::text_of(identity::read_secret_file(config.secret_file));
  }
  db::Connection connection(db::without_idle_limit(db::endpoint_of(config, kMaxWait)));
  if (!can_use_tables(connection, true)) return 1;
  const std::string& name = call.arguments.front();
  const runtime::BlockedSignals signals;
  BackupOutput output(name);
  const auto write = [&](std::string_view line) {
    if (signals.take()) throw Interrupted();
    output.write(line);
  };
  const transfer::Backup written = [&] {
    Progress progress("backing up");
    return transfer::write_backup(connection, header, write, std::ref(progress));
  }();
  output.finish();
  print_text(fmt::format("{} has {}{}", name == kStandardStream ? "The backup" : name,
                         describe(written.header, written.rows),
                         header.secret ? ", and the secret " + config.secret_file.string() : ""),
             stderr);
  return 0;
}

// Lists the data that is not in the backup.
void print_what_is_missing(const Invocation& call) {
  const config::Network& network = call.config.network;
  std::string text = "It does not contain:\n";
  if (!call.has("with-secret")) {
    text += "  the secret " + call.config.secret_file.string() +
            ", which identifies voters: keep it, too, or repeat the command with --with-secret\n";
  }
  if (network.exists && !call.has(kAllSites)) {
    text += "  the other sites of the network";
    text += network.serves_all ? ": --all-sites writes a backup of each site\n" : "\n";
  }
  text += "  the configuration of ratingd, and the data of the CMS itself";
  print_text(text, stderr);
}

fs::path file_of_site(const fs::path& folder, unsigned blog_id) {
  return folder / fmt::format("site-{}.backup", blog_id);
}

// --- Reading a backup ----------------------------------------------------------------------------

int restore_site(const Invocation& call, std::istream& file, const transfer::BackupHeader& header) {
  db::Connection connection = connect(call.config);
  if (!can_use_tables(connection, true)) return 1;
  const transfer::RowCounts rows = [&] {
    Progress progress("restoring");
    return transfer::restore_backup(connection, file, {.replaces_votes = call.has("replace")},
                                    std::ref(progress));
  }();
  fmt::print("restored {} (ratingd {}); days are counted in {}\n", describe(header, rows),
             base::printable(header.program), base::printable(header.zone));
  return 0;
}

// Call this function only after the restore has been committed, because the votes from before the
// restore need the old secret.
void finish_secret(const Invocation& call, const transfer::BackupHeader& header,
                   const std::optional<identity::SecretFile>& secret) {
  if (!header.secret) {
    fmt::print(
        "The backup has no secret. If {} has changed since the backup, all earlier voters become "
        "new voters.\n",
        call.config.secret_file.native());
  }
  if (!secret) return;
  install_secret(call.config, *secret);
  fmt::print("installed the secret of the backup as {}\n", call.config.secret_file.native());
  replace_workers(call);
}

// --- All sites in a network ----------------------------------------------------------------------

using Headers = std::map<unsigned, transfer::BackupHeader>;  // by site number

// Returns the headers of the backups in "folder". Throws std::runtime_error if the folder contains
// no backups, or if the backups come from different installations.
Headers read_headers(const fs::path& folder) {
  if (!fs::is_directory(folder)) throw std::runtime_error(folder.string() + " is not a folder");
  Headers headers;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    std::string_view rest = name;
    static_cast<void>(base::take_until(rest, '-'));
    const auto id = base::parse_number<unsigned>(base::take_until(rest, '.'));
    if (!id || entry.path() != file_of_site(folder, *id)) continue;
    std::ifstream file = open_backup(entry.path());
    headers[*id] = transfer::BackupReader(file).header();
  }
  if (headers.empty()) {
    throw std::runtime_error(folder.string() + " has no backups, such as site-1.backup");
  }
  const auto has_other_secret = [&](const auto& other) {
    return other.second.secret != headers.begin()->second.secret;
  };
  if (std::ranges::any_of(headers, has_other_secret)) {
    throw std::runtime_error("The backups in " + folder.string() + " have different secrets.");
  }
  return headers;
}

// Returns whether all backups belong to sites that have tables.
bool has_all_sites(const Invocation& call, const Headers& headers) {
  db::Connection connection = connect(call.config, kShortWait);
  std::set<unsigned> sites;
  for (const SiteOfNetwork& site : sites_of(connection, call.config)) {
    if (site.has_tables) sites.insert(site.place.blog_id);
  }
  bool has_all = true;
  for (const auto& [id, header] : headers) {
    if (sites.contains(id)) continue;
    has_all = false;
    print_text(fmt::format("site-{}.backup was not restored: the network has no such site, or the "
                           "site has no tables of ratingd",
                           id),
               stderr);
  }
  return has_all;
}

int restore_all_sites(const Invocation& call) {
  const fs::path folder = call.arguments.front();
  const Headers headers = read_headers(folder);
  const transfer::BackupHeader& first = headers.begin()->second;
  const auto secret = secret_to_install(call, first);
  base::Time taken_at = first.taken_at;
  for (const auto& [id, header] : headers) taken_at = std::min(taken_at, header.taken_at);
  int status = run_for_all_sites(call, [&](const Invocation& of_site) {
    const unsigned id = of_site.config.network.blog_id;
    if (!headers.contains(id)) {
      throw std::runtime_error(file_of_site(folder, id).string() +
                               " is missing; the ratings of this site were not changed");
    }
    std::ifstream file = open_backup(file_of_site(folder, id));
    return restore_site(of_site, file, headers.at(id));
  });
  if (!has_all_sites(call, headers)) status = std::max(status, 1);
  if (status != 0) {
    print_text("Not all sites were restored." +
                   std::string(secret ? " The secret of the backups was not installed." : "") +
                   " Correct the errors, and repeat the command with --replace.",
               stderr);
    return status;
  }
  print_erasures(call, taken_at);
  finish_secret(call, first, secret);
  return 0;
}

}  // namespace

int backup(const Invocation& call) {
  int status = 0;
  if (!call.has(kAllSites)) {
    status = back_up_site(call);
  } else if (!fs::is_directory(call.arguments.front())) {
    return refuse("ratingctl: backup --all-sites requires a folder");
  } else {
    status = run_for_all_sites(call, back_up_site, [](const Invocation& of_all, unsigned blog_id) {
      return std::vector{file_of_site(of_all.arguments.front(), blog_id).string()};
    });
  }
  if (status == 0) print_what_is_missing(call);
  return status;
}

int restore(const Invocation& call) {
  if (call.has(kAllSites)) return restore_all_sites(call);
  std::ifstream file = open_backup(call.arguments.front());
  const transfer::BackupHeader header = transfer::BackupReader(file).header();
  const auto secret = secret_to_install(call, header);
  if (const int status = restore_site(call, file, header); status != 0) return status;
  print_erasures(call, header.taken_at);
  if (call.config.network.exists) {
    std::puts("The other sites of the network were not changed.");
  }
  finish_secret(call, header, secret);
  return 0;
}

}  // namespace admin
