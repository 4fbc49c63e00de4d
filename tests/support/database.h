#pragma once

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "base/bytes.h"
#include "base/crypto.h"
#include "db/connection.h"
#include "db/migrations.h"
#include "store/state_store.h"

namespace support {

inline const std::string kPrefix = "wp_";

// A database of the test's own, with ratingd's tables, on the server whose socket the environment
// variable RATINGD_TEST_DB_SOCKET names. It goes with this object.
class Database {
 public:
  Database() : name_("ratingd_test_" + base::to_hex(base::random_bytes(8))) {
    admin().execute("CREATE DATABASE " + name_ + " CHARACTER SET utf8mb4");
    db::Connection connection(endpoint());
    db::migrate(connection, kPrefix, [](const db::Migration&) {});
    store::StateStore(kPrefix).note_zone(connection, base::Zone::named("Europe/Berlin").value());
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() { admin().execute("DROP DATABASE " + name_); }

  [[nodiscard]] db::Endpoint endpoint() const {
    db::Endpoint endpoint = server();
    endpoint.schema = name_;
    endpoint.statement_timeout = std::chrono::seconds(30);
    return endpoint;
  }

 private:
  static db::Endpoint server() {
    const char* socket = std::getenv("RATINGD_TEST_DB_SOCKET");
    if (socket == nullptr) throw std::runtime_error("RATINGD_TEST_DB_SOCKET is not set");
    db::Endpoint endpoint;
    endpoint.socket = socket;
    endpoint.user = "root";
    endpoint.schema = "mysql";
    return endpoint;
  }
  static db::Connection admin() { return db::Connection(server()); }

  const std::string name_;
};

}  // namespace support
