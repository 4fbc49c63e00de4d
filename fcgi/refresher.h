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

// Which workers of this host can use the site's database at the moment: a lock that they share, on
// their runtime directory. It does not depend on the database that a worker is configured for, as
// shared memory does, and ends with the process. Errors: std::system_error.
class DatabaseContact {
 public:
  explicit DatabaseContact(const std::filesystem::path& runtime_dir);

  // Whether this worker can use the database now.
  void set(bool has_contact);

  // Whether another worker can.
  [[nodiscard]] bool has_another() const;

 private:
  const base::Descriptor folder_;
};

// Tables that are not for this program.
class WrongTables : public config::Error {
 public:
  WrongTables(const std::string& advice, store::Tables tables)
      : config::Error(advice), tables_(tables) {}

  [[nodiscard]] store::Tables tables() const { return tables_; }

 private:
  store::Tables tables_;
};

// Reads the state of a site from the database on each refresh(), and checks that the database may
// still be written to. A failure is logged when it begins, not on each call.
//
// Used by one thread.
class Refresher {
 public:
  struct Targets {
    store::Site& site;
    cms::Cms& cms;
    rollups::ForeignChanges& foreign_changes;
  };

  // "contact" is set after each refresh(); nullptr: for a site whose contact does not matter. All
  // arguments except "sessions" must outlive this object.
  Refresher(const config::Config& config, const db::Pool& sessions, const Targets& targets,
            DatabaseContact* contact, const base::Clock& clock, const runtime::Log& log);
  Refresher(const Refresher&) = delete;
  Refresher& operator=(const Refresher&) = delete;

  // Reads everything once. If the database is unavailable, this is logged and the old state stays.
  // Blocks as db::Pool::with_session().
  //
  // Errors: WrongTables - the tables are not for this program: at once until the tables have been
  //         found usable, later if they are so twice in a row; or, until then, no time zone is
  //         noted for them. config::Error - until then, the server offers no TLS or asks for the
  //         password in clear text and --db-tls does not allow it, or the file of --db-tls-ca
  //         cannot be read.
  void refresh();

  // Called after the first refresh(): a worker that can be replaced must not be replaced by one
  // that is worse off. Errors: config::Error - this worker cannot use the database, but another
  // worker of this host can.
  void require_contact() const;

  // Whether require_contact() fails now. Workers notice an outage at their next refresh(), so a
  // new one may be the first to meet it.
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
  std::string server_;       // the last one logged
  bool is_checked_ = false;  // the tables have been found usable
  bool is_foreign_ = false;  // the last check found tables of another version
  bool is_disconnected_ = false;
  bool is_origin_logged_ = false;
  std::set<std::string> unreadable_;  // what the last refresh could not read
};

}  // namespace fcgi
