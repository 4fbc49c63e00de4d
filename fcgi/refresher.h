#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "base/clock.h"
#include "base/descriptor.h"
#include "cms/cms.h"
#include "config/config.h"
#include "db/pool.h"
#include "rollups/foreign_changes.h"
#include "rollups/rollup_state.h"
#include "runtime/log.h"
#include "store/site.h"

namespace fcgi {

// Tells the workers on this host whether another worker can use the site's database now. The
// workers share a lock on their runtime directory. Unlike shared memory, the lock does not depend
// on a worker's database configuration, and it is released when the process ends. Errors:
// std::system_error.
class DatabaseContact {
 public:
  explicit DatabaseContact(const std::filesystem::path& runtime_dir);

  // Publishes whether this worker can use the database now.
  void set(bool has_contact);

  // Returns whether another worker on this host can use the database.
  [[nodiscard]] bool has_another() const;

 private:
  const base::Descriptor folder_;
};

// Thrown if this program cannot use the tables.
class WrongTables : public config::Error {
 public:
  WrongTables(const std::string& advice, store::Tables tables)
      : config::Error(advice), tables_(tables) {}

  [[nodiscard]] store::Tables tables() const { return tables_; }

 private:
  store::Tables tables_;
};

// Reads a site's state from the database on each refresh() and checks that the database still
// accepts writes. A failure is logged only when it begins, not on each call.
//
// Must be used by only one thread.
class Refresher {
 public:
  struct Targets {
    store::Site& site;
    cms::Cms& cms;
    rollups::ForeignChanges& foreign_changes;
  };

  // "contact" is updated after each refresh(). It is nullptr for all sites except the first,
  // because only the first site's contact is published. All arguments except "sessions" must
  // outlive this object.
  Refresher(const config::Config& config, const db::Pool& sessions, const Targets& targets,
            DatabaseContact* contact, const base::Clock& clock, const runtime::Log& log);
  Refresher(const Refresher&) = delete;
  Refresher& operator=(const Refresher&) = delete;

  // Reads everything once. If the database is unavailable, logs this and keeps the old state.
  // Blocks like db::Pool::with_session().
  //
  // Errors: WrongTables - this program cannot use the tables, or no time zone is stored for them.
  //         Before the first successful check of the tables, WrongTables is thrown immediately.
  //         After that, it is thrown only if two checks in a row fail. config::Error - the server
  //         offers no TLS, or it requests a clear-text password although --db-tls forbids
  //         clear-text passwords, or the file of --db-tls-ca cannot be read. The error about the
  //         file is thrown only before the first successful check of the tables.
  void refresh();

  // Call this function after the first refresh(). A new worker that cannot use the database must
  // not replace a worker that can use it. Errors: config::Error - this worker cannot use the
  // database, but another worker on this host can.
  void require_contact() const;

  // Returns whether require_contact() would fail now. Workers notice an outage only at their next
  // refresh(), so a new worker may be the first worker to notice an outage.
  [[nodiscard]] bool lacks_contact() const;

 private:
  [[nodiscard]] bool has_contact() const;
  void refresh_with(db::Connection& connection);
  bool check_tables(db::Connection& connection);
  void require_zone(db::Connection& connection) const;
  void log_server(const db::Connection& connection);
  void log_disconnected(const db::Failure& failure);
  void log_unknown_origin();
  template <typename Read>
  void read_or_log(const char* what, const Read& read);

  const config::Config& config_;
  const Targets targets_;
  const base::Clock& clock_;
  const runtime::Log& log_;
  db::Pool sessions_;
  DatabaseContact* const contact_;
  std::string server_;       // the server that was logged last
  bool is_checked_ = false;  // the tables have been found usable
  bool is_foreign_ = false;  // the last check found tables with another version
  bool is_disconnected_ = false;
  bool is_origin_logged_ = false;
  std::set<std::string> unreadable_;  // the data that the last refresh could not read
};

}  // namespace fcgi
