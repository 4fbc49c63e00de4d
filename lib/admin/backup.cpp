#include "transfer/backup.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
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

#include "admin/commands.h"
#include "admin/network.h"
#include "admin/output.h"
#include "base/blocked_signals.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/message.h"
#include "base/parse.h"
#include "base/timestamp.h"
#include "db/endpoint.h"
#include "identity/secrets.h"
#include "setup/site.h"
#include "setup/step.h"
#include "setup/units.h"

namespace admin {
namespace {

namespace fs = std::filesystem;

// A file for its owner alone that gets its name when it is complete, and never replaces another.
// Without finish(), it is deleted. Errors of all functions: std::runtime_error.
class NewFile {
 public:
  explicit NewFile(const fs::path& path)
      : path_(path), unfinished_(path.string() + ".XXXXXX"), file_(make()) {}
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (!is_finished_) unlink(unfinished_.c_str());
  }

  void write(std::string_view text) {
    if (!base::write_all(file_, text)) throw file_error(path_);
  }

  void finish() {
    if (fsync(file_.number()) != 0 || !give_name()) throw file_error(path_);
    is_finished_ = true;
    const base::Descriptor folder(
        open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.is_open() || fsync(folder.number()) != 0) throw file_error(path_);
  }

 private:
  static fs::path folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
  }

  int make() {
    if (fs::exists(fs::symlink_status(path_))) {
      throw std::runtime_error(path_.string() + " is there already, and is never overwritten");
    }
    const int file = mkostemp(unfinished_.data(), O_CLOEXEC);  // with mode 0600
    if (file < 0) throw file_error(path_);
    return file;
  }

  // NFS cannot rename like this, and other file systems have no links.
  bool give_name() {
    const char* const old_name = unfinished_.c_str();
    if (renameat2(AT_FDCWD, old_name, AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) == 0) return true;
    return errno == EINVAL && link(old_name, path_.c_str()) == 0 && unlink(old_name) == 0;
  }

  const fs::path path_;
  std::string unfinished_;
  const base::Descriptor file_;
  bool is_finished_ = false;
};

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

// The secret of a backup that is to be installed, if any. Errors: std::runtime_error - the operator
// must decide.
std::optional<identity::SecretFile> secret_to_install(const Invocation& call,
                                                      const transfer::BackupHeader& header) {
  const fs::path& own = call.config.secret_file;
  const bool is_wanted = call.has("with-secret");
  if (is_wanted && call.has("keep-secret")) {
    throw std::runtime_error("Say either --with-secret or --keep-secret.");
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
  throw std::runtime_error(fmt::format(
      "The secret of the backup is another one than {}. Say --with-secret to install it, so that "
      "the voters of the backup are recognised, or --keep-secret.",
      own.native()));
}

// Keeps the file that was there beside it.
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
    fmt::print("kept the secret of before as {}\n", old.native());
    content = secret;
  });
}

// Until they are replaced, running workers take the voters of the backup for new ones.
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
      "\nWhat was erased after {} is there again. Repeat it{}:\n"
      "  users     ratingctl clean ratings --user ID --confirm\n"
      "            (the CMS may keep a list of these requests)\n"
      "  visitors  ratingctl clean ratings --issuer NAME --subject ID --confirm\n"
      "  posts     ratingctl maintain --orphans=remove\n"
      "Old votes and addresses: ratingctl maintain\n"
      "Visitors without a login who used DELETE /me are not known: only they can repeat it.\n",
      base::to_rfc3339(taken_at),
      call.has(kAllSites) ? ", at each site with the option --url of this site" : "");
}

// --- Writing a backup ----------------------------------------------------------------------------

constexpr const char* kStandard = "-";  // standard output or standard input, instead of a file

// The file of a backup, or standard output.
class Output {
 public:
  explicit Output(const std::string& name) {
    if (name != kStandard) {
      file_.emplace(name);
    } else if (isatty(STDOUT_FILENO) == 1) {
      throw std::runtime_error(
          "Standard output is a terminal, which would change the backup. Send it to a file, as in: "
          "ratingctl backup - >FILE (docker compose exec requires -T)");
    }
  }

  void write(std::string_view text) {
    if (file_) return file_->write(text);
    const base::Descriptor out(dup(STDOUT_FILENO));
    if (!out.is_open() || !base::write_all(out, text)) throw file_error("standard output");
  }

  void finish() {
    if (file_) file_->finish();
  }

 private:
  std::optional<NewFile> file_;
};

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
  const base::BlockedSignals signals;
  Output output(name);
  const auto write = [&](std::string_view line) {
    if (signals.take()) throw std::runtime_error("interrupted");
    output.write(line);
  };
  const transfer::Backup written = [&] {
    Progress progress("backing up");
    return transfer::write_backup(connection, header, write, std::ref(progress));
  }();
  output.finish();
  print_line(fmt::format("{} has {}{}", name == kStandard ? "The backup" : name,
                         describe(written.header, written.rows),
                         header.secret ? ", and the secret " + config.secret_file.string() : ""),
             stderr);
  return 0;
}

// What a restore of the backup would not bring back.
void print_what_is_missing(const Invocation& call) {
  const config::Network& network = call.config.network;
  std::string text = "It does not contain:\n";
  if (!call.has("with-secret")) {
    text += "  the secret " + call.config.secret_file.string() +
            ", which identifies voters: keep it as well, or add it by --with-secret\n";
  }
  if (network.exists && !call.has(kAllSites)) {
    text += "  the other sites of the network";
    text += network.serves_all ? ": --all-sites writes a backup of each site\n" : "\n";
  }
  text += "  the configuration of ratingd, and the data of the CMS itself";
  print_line(text, stderr);
}

fs::path file_of_site(const fs::path& folder, unsigned blog_id) {
  return folder / fmt::format("site-{}.backup", blog_id);
}

// --- Reading a backup ----------------------------------------------------------------------------

// Copies standard input, which a restore reads twice, into a file that has no name.
std::ifstream copy_of_input() {
  std::string name = (fs::temp_directory_path() / "ratingd.XXXXXX").string();
  const base::Descriptor file(mkostemp(name.data(), O_CLOEXEC));  // with mode 0600
  if (!file.is_open()) throw file_error(name);
  std::ifstream copy(name, std::ios::binary);
  unlink(name.c_str());
  std::array<char, 65536> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), stdin)) {
    if (!base::write_all(file, {buffer.data(), count})) throw file_error(name);
  }
  if (std::ferror(stdin) != 0) throw file_error("standard input");
  return copy;
}

std::ifstream open_backup(const fs::path& path) {
  if (path == kStandard) return copy_of_input();
  if (!fs::is_regular_file(path)) throw std::runtime_error(path.string() + " is not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw file_error(path);
  return file;
}

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

// After the commit, so that no lost connection leaves this secret beside other votes.
void finish_secret(const Invocation& call, const transfer::BackupHeader& header,
                   const std::optional<identity::SecretFile>& secret) {
  if (!header.secret) {
    fmt::print(
        "The backup has no secret. If {} is not the one of that time, all its voters are new.\n",
        call.config.secret_file.native());
  }
  if (!secret) return;
  install_secret(call.config, *secret);
  fmt::print("installed the secret of the backup as {}\n", call.config.secret_file.native());
  replace_workers(call);
}

// --- All sites of a network ----------------------------------------------------------------------

using Headers = std::map<unsigned, transfer::BackupHeader>;  // by the numbers of sites

// The backups in the folder. Errors: std::runtime_error - there are none, or they are of different
// installations.
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

// Returns whether each backup has a site with tables.
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
    print_line(fmt::format("site-{}.backup was not restored: the network has no such site, or the "
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
    print_line("Not all sites were restored." +
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
