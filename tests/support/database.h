#pragma once

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/crypto.h"
#include "base/text.h"
#include "config/config.h"
#include "db/connection.h"
#include "db/migrations.h"
#include "rollups/rollup_state.h"
#include "store/grants.h"
#include "support/tests_folder.h"
#include "wordpress/wordpress.h"

namespace support {

inline const std::string kPrefix = "wp_";

// Creates a database for one test on the server whose socket is given by the RATINGD_TEST_DB_SOCKET
// environment variable. The database contains empty CMS tables and ratingd's tables, which are
// created by ratingctl's account. The accounts of the workers and of ratingctl have the privileges
// in sql/grants.sql.
//
// Creating a database takes longer than most tests, so a later test in the same program resets the
// rows of an earlier test's database and reuses the database. Databases whose columns or privileges
// may have changed are not reused. The databases are not dropped, because the database server stops
// when the test program ends.
class Database {
 public:
  Database() : made_(take()) {}
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() {
    try {
      if (is_like_new_) release();
    } catch (const db::Failure&) {
      // Do not reuse the database, because a session still uses it.
    }
  }

  // Connects as the workers' account, which cannot change table columns or the rows of the CMS.
  [[nodiscard]] db::Endpoint endpoint() const { return made_.endpoint_of(made_.names.workers); }

  // Connects as the CMS, which may change the rows of its tables and create new tables.
  [[nodiscard]] db::Endpoint cms() const { return made_.endpoint_of(kRoot); }

  // Connects as the account that creates and changes the tables.
  [[nodiscard]] db::Endpoint ratingctl() const {
    is_like_new_ = false;
    return made_.endpoint_of(made_.names.ratingctl);
  }

  // Connects with all privileges, so that tests can damage the database.
  [[nodiscard]] db::Endpoint owner() const {
    is_like_new_ = false;
    return made_.endpoint_of(kRoot);
  }

  // Returns the name of the database and the names of its two accounts.
  [[nodiscard]] const store::GrantNames& names() const { return made_.names; }

 private:
  using Tables = std::vector<std::string>;

  static constexpr const char* kRoot = "root@localhost";

  struct Made {
    store::GrantNames names;
    Tables tables;
    Tables filled;  // tables with initial rows; "copies" has them, too
    std::string copies;

    [[nodiscard]] db::Endpoint endpoint_of(const std::string& account) const {
      db::Endpoint endpoint = server();
      endpoint.schema = names.database;
      endpoint.table_prefix = kPrefix;
      endpoint.user = account.substr(0, account.find('@'));
      return endpoint;
    }
  };

  static db::Endpoint server() {
    const char* socket = std::getenv("RATINGD_TEST_DB_SOCKET");
    if (socket == nullptr) throw std::runtime_error("RATINGD_TEST_DB_SOCKET is not set");
    db::Endpoint endpoint;
    endpoint.server.socket = socket;
    endpoint.user = "root";
    endpoint.schema = "mysql";
    endpoint.statement_timeout = std::chrono::seconds(30);
    return endpoint;
  }

  static std::vector<Made>& idle() {
    static std::vector<Made> databases;
    return databases;
  }
  static Made take() {
    if (idle().empty()) return make();
    Made made = std::move(idle().back());
    idle().pop_back();
    return made;
  }
  void release() {
    db::Connection connection(cms());
    if (tables_in(connection) != made_.tables) return;
    for (const std::string& table : made_.tables) connection.execute("DELETE FROM " + table);
    for (const std::string& table : made_.filled) {
      connection.execute("INSERT INTO " + table + " SELECT * FROM " + made_.copies + "." + table);
    }
    idle().push_back(std::move(made_));
  }

  static Made make() {
    const std::string id = base::to_hex(base::random_bytes(8));
    Made made{.names = {.database = "ratingd_test_" + id,
                        .table_prefix = kPrefix,
                        .cms_grants = wordpress::WordPress(config::WordPressSite()).grants(),
                        .workers = "workers_" + id + "@localhost",
                        .ratingctl = "ratingctl_" + id + "@localhost"},
              .tables = {},
              .filled = {},
              .copies = "ratingd_copies_" + id};
    db::Connection administrator(server());
    administrator.execute("CREATE DATABASE " + made.names.database + " CHARACTER SET utf8mb4");
    administrator.execute("CREATE USER " + made.names.workers + ", " + made.names.ratingctl);
    db::Connection root(made.endpoint_of(kRoot));
    make_tables_of_cms(root);
    for (const auto& statement : db::statements_of(store::grant_statements(made.names))) {
      root.execute(statement);
    }
    db::Connection connection(made.endpoint_of(made.names.ratingctl));
    db::migrate(connection, [](const db::Migration&) {});
    rollups::set_initial_zone(connection, base::Zone::named("Europe/Berlin").value());
    made.tables = tables_in(root);
    copy_filled_tables(root, made);
    return made;
  }

  // Creates the CMS tables from tests/sandbox/site.sql.
  static void make_tables_of_cms(db::Connection& root) {
    const std::string text = text_in_tests("sandbox/site.sql");
    for (const std::string& statement : db::statements_of(text)) {
      if (statement.find("INSERT INTO") != std::string::npos) return;
      root.execute(statement);
    }
  }

  static Tables tables_in(db::Connection& connection) {
    Tables tables;
    db::Rows row = connection.query("SHOW FULL TABLES WHERE table_type = 'BASE TABLE'");
    while (row.next()) tables.push_back(row.text(1));
    return tables;
  }

  static void copy_filled_tables(db::Connection& root, Made& made) {
    root.execute("CREATE DATABASE " + made.copies);
    for (const std::string& table : made.tables) {
      if (!root.query("SELECT 1 FROM " + table + " LIMIT 1").next()) continue;
      root.execute("CREATE TABLE " + made.copies + "." + table + " AS SELECT * FROM " + table);
      made.filled.push_back(table);
    }
  }

  Made made_;
  mutable std::atomic<bool> is_like_new_ = true;
};

// Returns the configuration of a site with this database and account.
inline config::Config config_for(const db::Endpoint& endpoint) {
  config::Config config;
  config.database.server.socket = endpoint.server.socket;
  config.database.name = endpoint.schema;
  config.database.user = endpoint.user;
  return config;
}

}  // namespace support
