#pragma once

#include <cppconn/connection.h>
#include <cppconn/exception.h>

#include <memory>
#include <utility>

#include "db/connection.h"

namespace db {

// These functions open sessions with the client library, Connector/C++, and convert the library's
// exceptions into the exceptions in db/connection.h.

// Connects to "server", which must belong to the endpoint. If TLS is only preferred and the server
// does not offer TLS, connects without encryption. After a failed TLS handshake, never connects
// without encryption, because an attacker on the network could make every handshake fail.
[[nodiscard]] std::unique_ptr<sql::Connection> connect(const Endpoint& endpoint,
                                                       const config::DatabaseServer& server);

// Returns whether a server that refuses connections with this error code may be down. If the server
// is down, another server may now be the primary. Errors such as "too many connections" or "wrong
// password" do not mean that the server is down.
[[nodiscard]] bool may_be_gone(int code);

// Throws the exception from db/connection.h that corresponds to the client library's exception.
[[noreturn]] void rethrow(const sql::SQLException& exception);

// Runs "work" and converts the client library's exceptions into the exceptions in db/connection.h.
template <typename Work>
auto translated(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const sql::SQLException& exception) {
    rethrow(exception);
  }
}

// DESIGN. The following checks keep the client library from revealing the password during login.
// The client library uses any authentication method that the server requests. For example, if a
// server requests mysql_clear_password, the library sends the password in clear text. If TLS was
// requested but the server does not offer it, the client library continues without encryption. The
// library's caching_sha2_password method treats a session as encrypted if TLS was merely requested,
// and sends the password in clear text. Without certificate verification, no library option
// protects the password.
//
// Therefore, ratingd checks each login before the client sends anything derived from the password.
// If TLS was requested and the server does not offer it, the check rejects every authentication
// method. Methods that send the password itself are rejected unless TLS with a verified certificate
// was requested. If certificate verification was requested, the library verifies the certificate
// before it sends anything. Passwords are also protected on Unix sockets, because any account on
// the host could create the socket named in wp-config.php.
//
// The caching_sha2_password and sha256_password methods may send the password over unverified TLS,
// or encrypt the password with the server's key. Unverified TLS and the server's key protect the
// password from eavesdroppers, but not from a server that impersonates the real server
// (SECURITY.md).

// The error codes for rejected authentication methods. The client library itself never uses the
// codes 2997 and 2998.
inline constexpr int kTlsNotOffered = 2997;
inline constexpr int kPasswordInClear = 2998;

// Installs the password checks for the whole process. Call this function once, after the client
// library is initialized and before the first connection.
void install_password_guard();

}  // namespace db
