#include "setup/proof.h"

#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "base/crypto.h"
#include "base/descriptor.h"
#include "base/text.h"
#include "config/checked_site.h"
#include "db/endpoint.h"
#include "setup/accounts.h"
#include "store/grants.h"

namespace setup {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kTextBytes = 32;

std::string proof_table(const store::GrantNames& names) {
  return store::quoted_name(names.database) + "." +
         store::quoted_name(names.table_prefix + "ratingd_proof");
}

// Returns one SQL statement that creates the proof table (proof.h) with its row. If two statements
// were used, the site's own database account could replace the empty table before the row is
// inserted. "text" must be hexadecimal.
std::string create_proof(const store::GrantNames& names, const std::string& text) {
  return "CREATE TABLE " + proof_table(names) +
         " (proof CHAR(64) NOT NULL PRIMARY KEY) AS SELECT '" + text + "' AS proof";
}

std::string drop_statement(const store::GrantNames& names) {
  return "DROP TABLE IF EXISTS " + proof_table(names);
}

// Creates the proof table as root, and drops the table in the destructor.
class ProofTable {
 public:
  ProofTable(db::Connection& root, store::GrantNames names)
      : root_(root), names_(std::move(names)) {
    root_.execute(drop_statement(names_));  // a killed process may have left the table
    root_.execute(create_proof(names_, text_));
  }
  ProofTable(const ProofTable&) = delete;
  ProofTable& operator=(const ProofTable&) = delete;
  ~ProofTable() {
    try {
      root_.execute(drop_statement(names_));
    } catch (const db::Failure&) {
      // A leftover proof table is harmless, because the next run of setup drops the table and uses
      // a different text.
    }
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  db::Connection& root_;
  const store::GrantNames names_;
  const std::string text_ = base::to_hex(base::random_bytes(kTextBytes));
};

std::string columns_of(const store::Privilege& privilege) {
  return privilege.columns.empty() ? "1"
                                   : base::joined(privilege.columns, ", ", store::quoted_name);
}

constexpr uid_t kFirstOfPeople = 1000;          // login.defs: UID_MIN
constexpr const char* kWebServer = "www-data";  // as in systemd/ratingd.socket

// Returns the process that listens on the socket, and the system account of the database server. If
// systemd has opened the socket for the database server (mariadb.socket), root owns the process,
// and the server's account owns the socket. If the process is unknown, returns nothing and sets
// errno.
std::optional<ucred> listener_at(const fs::path& path) {
  sockaddr_un address{};
  if (path.native().size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return std::nullopt;
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.native().size());
  const base::Descriptor connection(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  ucred listener{};
  socklen_t size = sizeof listener;
  if (connect(connection.number(), generic, sizeof address) != 0 ||
      getsockopt(connection.number(), SOL_SOCKET, SO_PEERCRED, &listener, &size) != 0) {
    return std::nullopt;
  }
  if (listener.uid == 0) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return std::nullopt;
    listener.uid = status.st_uid;
    listener.gid = status.st_gid;
  }
  return listener;
}

bool is_web_server(uid_t account) {
  const passwd* const web = getpwnam(kWebServer);  // NOLINT(concurrency-mt-unsafe): one thread
  return web != nullptr && web->pw_uid == account;
}

bool is_owner_of(const fs::path& file, uid_t account) {
  struct stat status {};
  return stat(file.c_str(), &status) != 0 || status.st_uid == account;
}

// Returns whether any account except root and the database server's account may replace a file or
// folder.
bool may_be_exchanged(const fs::path& path, const ucred& server) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return true;
  if (status.st_uid != 0 && status.st_uid != server.uid) return true;
  if (!S_ISDIR(status.st_mode)) return false;
  const bool is_of_others = status.st_gid != 0 && status.st_gid != server.gid;
  return (status.st_mode & S_IWOTH) != 0 || (is_of_others && (status.st_mode & S_IWGRP) != 0);
}

// Returns the topmost file or folder in the path for which may_be_exchanged() returns true, or an
// empty path.
fs::path exchangeable_part(const fs::path& path, const ucred& server) {
  fs::path part;
  for (const fs::path& name : path) {
    part /= name;
    if (may_be_exchanged(part, server)) return part;
  }
  return {};
}

}  // namespace

db::Endpoint site_account(const config::Config& config, const config::Config& wp) {
  db::Endpoint endpoint = db::endpoint_of(config, kWaitOfSetup);
  endpoint.user = wp.database.user;
  endpoint.password = wp.database.password;
  return endpoint;
}

void require_reads(db::Connection& site, const store::GrantNames& names) {
  for (const store::Privilege& privilege : store::privileges_of(names, names.workers)) {
    if (privilege.table.starts_with(names.table_prefix + "ratingd_")) continue;
    try {
      site.query("SELECT " + columns_of(privilege) + " FROM " +
                 store::quoted_name(privilege.table) + " LIMIT 0");
    } catch (const db::ConnectionLost&) {
      throw;
    } catch (const db::Failure& failure) {
      throw Error("the account DB_USER in wp-config.php cannot read " + privilege.table +
                  " in the database " + privilege.schema + ": " + failure.what() +
                  "\nIf WordPress is new, first open /wp-admin/install.php of the site in a "
                  "browser. Otherwise grant the account its privileges.");
    }
  }
}

std::string proof_text(const config::Config& config, const std::string& password) {
  return base::to_hex(base::hmac_sha256(password, config::site_lines(config)));
}

std::string proof_sql(const store::GrantNames& names, const std::string& text) {
  return "-- This table proves to setup that the site uses this server. Setup drops it.\n" +
         drop_statement(names) + ";\n" + create_proof(names, text) + ";\nGRANT DROP ON " +
         proof_table(names) + " TO " + store::quoted_account(names.ratingctl) + ";\n";
}

bool reads_proof(db::Connection& site, const std::string& text) {
  try {
    db::Rows row = site.query("SELECT proof FROM {prefix}ratingd_proof");
    return row.next() && row.text(1) == text;
  } catch (const db::ConnectionLost&) {
    throw;
  } catch (const db::Failure&) {
    return false;  // the table does not exist, or the account has no access to it
  }
}

Step prove(db::Connection& root, const db::Endpoint& site, const store::GrantNames& names) {
  return {
      {"prove that the site's own account uses this database, with a temporary table"},
      [&root, site, names] {
        const ProofTable table(root, names);
        db::Connection session(site);
        if (reads_proof(session, table.text())) return;
        throw Error("the account DB_USER in wp-config.php cannot read all tables of the database " +
                    names.database +
                    ", so it does not prove that the database belongs to the site.\nGrant the "
                    "account SELECT on the whole database. If you know that the database is right, "
                    "set db-host or db-socket, db-name and table-prefix in the configuration of "
                    "ratingd and ratingctl instead.");
      },
      {}};
}

Step drop_proof(const config::Config& config, const std::string& account,
                const std::string& password, const store::GrantNames& names) {
  try {
    if (!has_table(*connect(config, account, password), names, "ratingd_proof")) return {};
  } catch (const db::Failure&) {
    return {};  // an account without access to the database cannot drop its tables
  }
  return {
      {"drop the table " + proof_table(names) + ", which setup used for a check"},
      [=] {
        connect(config, account, password)->execute("DROP TABLE IF EXISTS {prefix}ratingd_proof");
      },
      {}};
}

std::string why_not_trusted(const fs::path& socket, const fs::path& wp_config) {
  const auto server = listener_at(socket);
  // Do not trust a socket whose listening process is unknown. For example, an untrusted process
  // could make connect() fail by letting its connection queue fill up, and then accept the next
  // connection.
  if (!server) {
    return "no process answers there (" + std::generic_category().message(errno) +
           "). First start the database server";
  }
  if (server->uid != 0 && (server->uid >= kFirstOfPeople || is_web_server(server->uid) ||
                           is_owner_of(wp_config, server->uid))) {
    return "its owner is the account " + std::to_string(server->uid) +
           ", which is not a database server's account";
  }
  std::error_code error;
  for (const fs::path& path : {socket, fs::canonical(socket, error)}) {
    const fs::path part = exchangeable_part(path, *server);
    if (!part.empty()) return "other accounts can write to " + part.string();
  }
  return {};
}

}  // namespace setup
