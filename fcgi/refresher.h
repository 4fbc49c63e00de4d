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

// Tells each worker on this host whether any other worker can currently use the site's database.
// Each worker that can use the database holds a shared lock on the workers' runtime directory.
// Unlike shared memory, the lock does not depend on the worker's database configuration and is
// released when the process ends. Throws std::system_error if the directory cannot be opened or
// locked.
class DatabaseContact {
 public:
  explicit DatabaseContact(const std::filesystem::path& runtime_dir);

  // Publishes whether this worker can currently use the database.
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
// accepts writes. A failure that lasts for several calls is logged only once.
//
// Must be used by only one thread.
class Refresher {
 public:
  struct Targets {
    store::Site& site;
    cms::Cms& cms;
    rollups::ForeignChanges& foreign_changes;
  };

  // Each refresh() reports in "contact" whether it could use the database. "contact" is nullptr for
  // all sites except the first site, because only the first site's result is published. All
  // arguments except "sessions" must outlive this object.
  Refresher(const config::Config& config, const db::Pool& sessions, const Targets& targets,
            DatabaseContact* contact, const base::Clock& clock, const runtime::Log& log);
  Refresher(const Refresher&) = delete;
  Refresher& operator=(const Refresher&) = delete;

  // Reads the site's state once. If the database is unavailable, logs the failure and keeps the old
  // state. Blocks like db::Pool::with_session().
  //
  // Throws WrongTables if this program cannot use the tables, or if the tables contain no time
  // zone. After the first successful check of the tables, WrongTables is thrown only if two checks
  // in a row fail. Throws config::Error if the server does not offer TLS, or if it requests a
  // clear-text password although --db-tls forbids clear-text passwords. Before the first successful
  // check of the tables, also throws config::Error if the --db-tls-ca file cannot be read.
  void refresh();

  // Throws config::Error if this worker cannot use the database, but another worker on this host
  // can. The exception prevents a new worker without database access from replacing a worker with
  // access. Must be called after the first refresh().
  void require_contact() const;

  // Returns whether require_contact() would throw an error now. Workers notice an outage only at
  // their next refresh(), so a new worker may be the first to notice an outage.
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
