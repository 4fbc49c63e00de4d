#pragma once

#include <memory>
#include <utility>

#include "config/config.h"
#include "config/database.h"
#include "db/connection.h"
#include "db/primary.h"

namespace db {

// Returns the endpoint for the configured database. The endpoint's sessions wait up to
// "statement_timeout" for a response from the server. If there are several servers, all sessions of
// an endpoint and its copies use the same server. Therefore, all long-lived sessions must share one
// endpoint or its copies. A session must not be idle during a transaction, because any vote may
// need rows that the transaction has locked.
[[nodiscard]] inline Endpoint endpoint_of(const config::Config& config,
                                          std::chrono::seconds statement_timeout) {
  const config::Database& database = config.database;
  Endpoint endpoint;
  endpoint.server = database.server;
  if (!database.others.empty()) endpoint.primary = std::make_shared<Primary>(servers_of(database));
  endpoint.schema = database.name;
  endpoint.user = database.user;
  endpoint.password = database.password;
  endpoint.tls = database.tls;
  endpoint.tls_ca = database.tls_ca;
  endpoint.table_prefix = config.table_prefix;
  if (config.network.serves_all) endpoint.network_prefix = config.base_prefix;
  endpoint.statement_timeout = statement_timeout;
  endpoint.idle_transaction_timeout = std::chrono::seconds(10);
  return endpoint;
}

// Returns a copy of "endpoint" for tables with the given prefix.
[[nodiscard]] inline Endpoint for_tables(Endpoint endpoint, const std::string& prefix) {
  endpoint.table_prefix = prefix;
  return endpoint;
}

// Returns a copy of "endpoint" without a limit for idle transactions. Use the copy for read-only
// transactions that read rows in batches and are idle while the caller processes a batch.
[[nodiscard]] inline Endpoint without_idle_limit(Endpoint endpoint) {
  endpoint.idle_transaction_timeout = std::chrono::seconds(0);
  return endpoint;
}

// Returns a copy of "endpoint" with the given statement timeout.
[[nodiscard]] inline Endpoint with_timeout(Endpoint endpoint,
                                           std::chrono::seconds statement_timeout) {
  endpoint.statement_timeout = statement_timeout;
  return endpoint;
}

// Returns a copy of "endpoint" for sessions that run only short statements and may be closed when
// idle.
[[nodiscard]] inline Endpoint bounded(Endpoint endpoint, std::chrono::seconds statement_timeout) {
  endpoint.is_bounded = true;
  endpoint.is_replaceable = true;
  return with_timeout(std::move(endpoint), statement_timeout);
}

}  // namespace db
