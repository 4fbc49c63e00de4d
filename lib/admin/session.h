#pragma once

#include "config/config.h"
#include "db/connection.h"

namespace admin {

// Where the configured database is. Commands may wait long for a statement: "statement_timeout".
[[nodiscard]] inline db::Endpoint endpoint_of(const config::Database& database,
                                              std::chrono::seconds statement_timeout) {
  db::Endpoint endpoint;
  endpoint.host = database.host;
  endpoint.port = database.port;
  endpoint.socket = database.socket;
  endpoint.schema = database.name;
  endpoint.user = database.user;
  endpoint.password = database.password;
  endpoint.statement_timeout = statement_timeout;
  return endpoint;
}

inline constexpr std::chrono::hours kPatient{24};

}  // namespace admin
