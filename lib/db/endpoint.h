#pragma once

#include <memory>
#include <utility>

#include "config/config.h"
#include "db/connection.h"
#include "db/primary.h"

namespace db {

// Where the configured database is, for sessions that bear a server that is silent for
// "statement_timeout". Of several servers, the sessions of this endpoint and of its copies all go
// to the same one: a program that keeps sessions calls this once. None may stand still for long in
// a transaction: every vote needs rows that it may have locked.
[[nodiscard]] inline Endpoint endpoint_of(const config::Database& database,
                                          std::chrono::seconds statement_timeout) {
  Endpoint endpoint;
  endpoint.server = database.server;
  if (!database.others.empty()) endpoint.primary = std::make_shared<Primary>(servers_of(database));
  endpoint.schema = database.name;
  endpoint.user = database.user;
  endpoint.password = database.password;
  endpoint.tls = database.tls;
  endpoint.tls_ca = database.tls_ca;
  endpoint.statement_timeout = statement_timeout;
  endpoint.idle_transaction_timeout = std::chrono::seconds(10);
  return endpoint;
}

// The same, for sessions whose transactions only read, and wait for whoever takes what they read.
[[nodiscard]] inline Endpoint without_idle_limit(Endpoint endpoint) {
  endpoint.idle_transaction_timeout = std::chrono::seconds(0);
  return endpoint;
}

// The same, for sessions of another patience.
[[nodiscard]] inline Endpoint with_timeout(Endpoint endpoint,
                                           std::chrono::seconds statement_timeout) {
  endpoint.statement_timeout = statement_timeout;
  return endpoint;
}

// The same, for sessions that are for short statements alone.
[[nodiscard]] inline Endpoint bounded(Endpoint endpoint, std::chrono::seconds statement_timeout) {
  endpoint.is_bounded = true;
  return with_timeout(std::move(endpoint), statement_timeout);
}

}  // namespace db
