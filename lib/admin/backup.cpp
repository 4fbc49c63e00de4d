#include "transfer/backup.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "admin/commands.h"
#include "admin/output.h"
#include "base/blocked_signals.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/message.h"
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

void print_erasures(const transfer::BackupHeader& header) {
  fmt::print(
      "\nWhat was erased after {} is there again. Repeat it:\n"
      "  users     ratingctl clean ratings --user ID --confirm\n"
      "            (the CMS may keep a list of these requests)\n"
      "  visitors  ratingctl clean ratings --issuer NAME --subject ID --confirm\n"
      "  posts     ratingctl maintain --orphans=remove\n"
      "Old votes and addresses: ratingctl maintain\n"
      "Visitors without a login who used DELETE /me are not known: only they can repeat it.\n",
      base::to_rfc3339(header.taken_at));
}

}  // namespace

int backup(const Invocation& call) {
  const config::Config& config = call.config;
  transfer::BackupHeader header;
  header.program = RATINGD_VERSION;
  const bool has_secret = call.has("with-secret");
  if (has_secret) {
    header.secret = identity::text_of(identity::read_secret_file(config.secret_file));
  }
  db::Connection connection(db::without_idle_limit(db::endpoint_of(config, kMaxWait)));
  if (!can_use_tables(connection, true)) return 1;
  const fs::path path = call.arguments.front();
  const base::BlockedSignals signals;
  NewFile file(path);
  const auto write = [&](std::string_view line) {
    if (signals.take()) throw std::runtime_error("interrupted");
    file.write(line);
  };
  const transfer::Backup written = [&] {
    Progress progress("backing up");
    return transfer::write_backup(connection, header, write, std::ref(progress));
  }();
  file.finish();
  fmt::print("{} has {}{}\n", path.native(), describe(written.header, written.rows),
             has_secret ? fmt::format(", and the secret {}", config.secret_file.native())
                        : fmt::format(". Keep {} as well: it identifies voters (--with-secret)",
                                      config.secret_file.native()));
  return 0;
}

int restore(const Invocation& call) {
  const config::Config& config = call.config;
  const fs::path path = call.arguments.front();
  if (!fs::is_regular_file(path)) throw std::runtime_error(path.string() + " is not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw file_error(path);
  const transfer::BackupHeader header = transfer::BackupReader(file).header();
  const auto secret = secret_to_install(call, header);
  db::Connection connection = connect(config);
  if (!can_use_tables(connection, true)) return 1;
  const transfer::RowCounts rows = [&] {
    Progress progress("restoring");
    return transfer::restore_backup(connection, file, {.replaces_votes = call.has("replace")},
                                    std::ref(progress));
  }();
  fmt::print("restored {} (ratingd {}); days are counted in {}\n", describe(header, rows),
             base::printable(header.program), base::printable(header.zone));
  print_erasures(header);
  if (!header.secret) {
    fmt::print(
        "The backup has no secret. If {} is not the one of that time, all its voters are new.\n",
        config.secret_file.native());
  }
  if (!secret) return 0;
  // After the commit, so that no lost connection leaves this secret beside other votes.
  install_secret(config, *secret);
  fmt::print("installed the secret of the backup as {}\n", config.secret_file.native());
  replace_workers(call);
  return 0;
}

}  // namespace admin
