#pragma once

#include "config/config.h"
#include "db/connection.h"

namespace db {

// Where the configured database is, for sessions that bear a server that is silent for
// "statement_timeout".
[[nodiscard]] inline Endpoint endpoint_of(const config::Database& database,
                                          std::chrono::seconds statement_timeout) {
  Endpoint endpoint;
  endpoint.host = database.host;
  endpoint.port = database.port;
  endpoint.socket = database.socket;
  endpoint.schema = database.name;
  endpoint.user = database.user;
  endpoint.password = database.password;
  endpoint.statement_timeout = statement_timeout;
  return endpoint;
}

// The same, for sessions that are for short statements alone.
[[nodiscard]] inline Endpoint bounded_endpoint_of(const config::Database& database,
                                                  std::chrono::seconds statement_timeout) {
  Endpoint endpoint = endpoint_of(database, statement_timeout);
  endpoint.is_bounded = true;
  return endpoint;
}

}  // namespace db
