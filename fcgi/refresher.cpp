#include "fcgi/refresher.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <system_error>

#include "db/endpoint.h"
#include "db/migrations.h"
#include "votes/counters.h"

namespace fcgi {
namespace {

constexpr std::chrono::hours kCounterGrace{1};  // tolerance for clock skew between hosts

// Returns whether only a configuration change can fix the error. A failed TLS handshake may succeed
// later, because the server may renew its certificate or finish a restart.
bool is_for_operator(const db::InsecureServer& refused) {
  return refused.code() != db::kTlsHandshakeFailed;
}

base::Descriptor open_folder(const std::filesystem::path& path) {
  const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) throw std::system_error(errno, std::generic_category(), path.string());
  return base::Descriptor(folder);
}

// Calls fcntl() with a struct flock of type "type", and returns the struct as modified by fcntl().
struct flock call(const base::Descriptor& folder, int command, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  if (fcntl(folder.number(), command, &lock) != 0) {
    throw std::system_error(errno, std::generic_category(), "fcntl");
  }
  return lock;
}

}  // namespace

DatabaseContact::DatabaseContact(const std::filesystem::path& runtime_dir)
    : folder_(open_folder(runtime_dir)) {}

// The shared lock is always granted, because no process ever takes an exclusive lock on the
// directory.
void DatabaseContact::set(bool has_contact) {
  call(folder_, F_OFD_SETLK, has_contact ? F_RDLCK : F_UNLCK);
}

bool DatabaseContact::has_another() const {
  return call(folder_, F_OFD_GETLK, F_WRLCK).l_type != F_UNLCK;
}

Refresher::Refresher(const config::Config& config, const db::Pool& sessions, const Targets& targets,
                     DatabaseContact* contact, const base::Clock& clock, const runtime::Log& log)
    : config_(config),
      targets_(targets),
      clock_(clock),
      log_(log),
      sessions_(sessions),
      contact_(contact) {}

void Refresher::refresh() {
  try {
    sessions_.with_session([&](db::Connection& connection) {
      try {
        refresh_with(connection);
      } catch (...) {
        targets_.foreign_changes.end();
        throw;
      }
    });
    if (is_disconnected_) log_.info("database_reconnected");
    is_disconnected_ = false;
  } catch (const db::Conflict& conflict) {
    log_.debug("refresh_postponed", {{"error", conflict.what()}});  // the next call tries again
  } catch (const db::SessionsBusy& busy) {
    log_.debug("refresh_postponed", {{"error", busy.what()}});
  } catch (const db::InsecureServer& refused) {
    if (!is_checked_ && is_for_operator(refused)) throw config::Error(refused.what());
    log_disconnected(refused);
  } catch (const db::Failure& failure) {
    log_disconnected(failure);
  }
  if (contact_ != nullptr) contact_->set(has_contact());
}

bool Refresher::lacks_contact() const {
  return contact_ != nullptr && !has_contact() && contact_->has_another();
}

void Refresher::require_contact() const {
  if (!lacks_contact()) return;
  throw config::Error(
      "this worker cannot use the database, but another one can; the lines above say why");
}

// Returns whether all reads and writes of the last refresh succeeded.
bool Refresher::has_contact() const {
  return targets_.site.state() != nullptr && !is_disconnected_ && unreadable_.empty();
}

void Refresher::refresh_with(db::Connection& connection) {
  log_server(connection);
  if (!check_tables(connection)) return;
  // Each read handles its own errors, so a failed read does not prevent the other reads.
  read_or_log("writers", [&] {
    try {
      targets_.foreign_changes.check(connection);
    } catch (...) {
      targets_.foreign_changes.end();
      throw;
    }
  });
  read_or_log("settings", [&] { targets_.site.refresh(connection); });
  read_or_log("logins", [&] { targets_.cms.refresh(connection); });
  if (targets_.site.state() == nullptr) return;
  if (targets_.site.state()->origins.empty()) log_unknown_origin();
  votes::delete_old_counters(connection, clock_.now() - kCounterGrace);
}

// Returns whether this program can use the tables. While a backup is restored, the tables may be
// missing for a moment, so a running worker throws WrongTables only if two successive checks fail.
bool Refresher::check_tables(db::Connection& connection) {
  const int version = db::schema_version(connection);
  if (!db::can_run_on(version)) {
    if (!is_checked_ || is_foreign_) {
      throw WrongTables(db::advice_for(version).text(),
                        version == 0 ? store::Tables::missing : store::Tables::of_another_version);
    }
    is_foreign_ = true;
    return false;
  }
  is_foreign_ = false;
  if (!is_checked_) require_zone(connection);
  is_checked_ = true;
  return true;
}

// Throws if no time zone is stored, for example after an interrupted migration, or if this host has
// no data about the stored zone.
void Refresher::require_zone(db::Connection& connection) const {
  try {
    static_cast<void>(rollups::read_state(connection));
  } catch (const db::Failure&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw WrongTables(error.what(), store::Tables::unusable);
  }
}

// If several database servers are configured, logs which server is used.
void Refresher::log_server(const db::Connection& connection) {
  if (config_.database.others.empty() || connection.server() == server_) return;
  server_ = connection.server();
  log_.info("database_server_selected", {{"server", server_}});
}

void Refresher::log_disconnected(const db::Failure& failure) {
  const bool is_logged = is_disconnected_;
  is_disconnected_ = true;
  if (is_logged) return;
  if (!db::refuses_account(failure.code())) {
    log_.warning("database_disconnected", {{"error", failure.what()}});
    return;
  }
  log_.warning("database_disconnected",
               {{"error", failure.what()}, {"advice", db::kAdviceForRefusedAccount}});
}

void Refresher::log_unknown_origin() {
  if (!is_origin_logged_) {
    log_.warning("site_origin_unknown",
                 {{"advice",
                   "the site has no address that browsers would send as an origin; run ratingctl "
                   "doctor"}});
  }
  is_origin_logged_ = true;
}

// Calls "read", which reads one part of the site's state. Logs errors that only an operator can
// fix, such as a missing table, privilege or time zone. If the database is unavailable or busy,
// rethrows the exception, because the database may recover without an operator.
template <typename Read>
void Refresher::read_or_log(const char* what, const Read& read) {
  try {
    read();
    unreadable_.erase(what);
  } catch (const db::ConnectionLost&) {
    throw;
  } catch (const db::Conflict&) {
    throw;
  } catch (const std::runtime_error& failure) {
    if (unreadable_.insert(what).second) {
      log_.error("refresh_failed", {{"part", what},
                                    {"error", failure.what()},
                                    {"advice", "run ratingctl doctor; old values stay in use"}});
    }
  }
}

}  // namespace fcgi
