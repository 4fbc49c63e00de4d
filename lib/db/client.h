#pragma once

#include <cppconn/connection.h>
#include <cppconn/exception.h>

#include <memory>
#include <utility>

#include "db/connection.h"

namespace db {

// What this folder needs of Connector/C++ beside its statements and results: sessions, and its
// exceptions as those of this folder.

// Connects as the endpoint says; with a preferred TLS that the server does not offer, without. A
// failed handshake is never retried without TLS: an attacker in between could make each handshake
// fail.
[[nodiscard]] std::unique_ptr<sql::Connection> connect(const Endpoint& endpoint,
                                                       const config::DatabaseServer& server);

// Whether a server that refuses connections may be down, so that another one may be the primary. A
// server that reports too many connections or a wrong password keeps its role.
[[nodiscard]] bool may_be_gone(int code);

// Throws what the error means.
[[noreturn]] void rethrow(const sql::SQLException& exception);

// Runs "work" and converts the client library's exceptions to this folder's.
template <typename Work>
auto translated(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const sql::SQLException& exception) {
    rethrow(exception);
  }
}

}  // namespace db
