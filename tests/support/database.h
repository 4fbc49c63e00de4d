#pragma once

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "base/bytes.h"
#include "base/crypto.h"
#include "db/connection.h"
#include "db/migrations.h"
#include "store/grants.h"
#include "store/state_store.h"

namespace support {

inline const std::string kPrefix = "wp_";

// A database of the test's own on the server whose socket the environment variable
// RATINGD_TEST_DB_SOCKET names: the CMS's tables, empty, and ratingd's, made by ratingctl's
// account. It goes with this object, and so do its two accounts, whose rights are those of
// sql/grants.sql.
class Database {
 public:
  Database() {
    execute_as_root("CREATE DATABASE " + name_ + " CHARACTER SET utf8mb4");
    for (const std::string& account : {names_.workers, names_.ratingctl}) {
      execute_as_root("CREATE USER " + account);
    }
    make_tables_of_cms();
    db::Connection administrator(owner());
    for (const auto& statement : db::statements_of(store::grant_statements(names_))) {
      administrator.execute(statement);
    }
    db::Connection connection(endpoint_of(names_.ratingctl));
    db::migrate(connection, kPrefix, [](const db::Migration&) {});
    store::StateStore(kPrefix).note_zone(connection, base::Zone::named("Europe/Berlin").value());
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() {
    execute_as_root("DROP DATABASE " + name_);
    execute_as_root("DROP USER " + names_.workers + ", " + names_.ratingctl);
  }

  // As the workers' account, which cannot change a table's shape nor the CMS's rows.
  [[nodiscard]] db::Endpoint endpoint() const { return endpoint_of(names_.workers); }

  // As the account that makes and changes the tables.
  [[nodiscard]] db::Endpoint ratingctl() const { return endpoint_of(names_.ratingctl); }

  // With all rights: to put the CMS's rows there, and to break things.
  [[nodiscard]] db::Endpoint owner() const { return endpoint_of("root@localhost"); }

  // The names of the database and of its accounts.
  [[nodiscard]] const store::GrantNames& names() const { return names_; }

 private:
  [[nodiscard]] db::Endpoint endpoint_of(const std::string& account) const {
    db::Endpoint endpoint = server();
    endpoint.schema = name_;
    endpoint.user = account.substr(0, account.find('@'));
    return endpoint;
  }
  static db::Endpoint server() {
    const char* socket = std::getenv("RATINGD_TEST_DB_SOCKET");
    if (socket == nullptr) throw std::runtime_error("RATINGD_TEST_DB_SOCKET is not set");
    db::Endpoint endpoint;
    endpoint.socket = socket;
    endpoint.user = "root";
    endpoint.schema = "mysql";
    endpoint.statement_timeout = std::chrono::seconds(30);  // dropping a database takes its time
    return endpoint;
  }
  static void execute_as_root(const std::string& statement) {
    db::Connection(server()).execute(statement);
  }

  // The tables of the sandbox's site.
  void make_tables_of_cms() const {
    std::ifstream file(RATINGD_TESTS_FOLDER "/support/site.sql");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    db::Connection connection(owner());
    for (const std::string& statement : db::statements_of(text)) {
      if (statement.find("INSERT INTO") != std::string::npos) return;
      connection.execute(statement);
    }
  }

  const std::string id_ = base::to_hex(base::random_bytes(8));
  const std::string name_ = "ratingd_test_" + id_;
  const store::GrantNames names_{.database = name_,
                                 .table_prefix = kPrefix,
                                 .base_prefix = kPrefix,
                                 .users_table = kPrefix + "users",
                                 .usermeta_table = kPrefix + "usermeta",
                                 .workers = "workers_" + id_ + "@localhost",
                                 .ratingctl = "ratingctl_" + id_ + "@localhost"};
};

}  // namespace support
