#pragma once

#include <cppconn/connection.h>
#include <cppconn/exception.h>

#include <memory>
#include <utility>

#include "db/connection.h"

namespace db {

// The parts of Connector/C++ that this folder needs in addition to statements and results. These
// functions open sessions and convert the library's exceptions into this folder's exceptions.

// Connects to one of the endpoint's servers. If TLS is only preferred and the server does not offer
// it, connects without TLS. Never retries a failed handshake without TLS, because an attacker in
// between could make every handshake fail.
[[nodiscard]] std::unique_ptr<sql::Connection> connect(const Endpoint& endpoint,
                                                       const config::DatabaseServer& server);

// Returns whether a server that refuses connections with this code may be down. In this case,
// another server may now be the primary. A server that reports too many connections or a wrong
// password remains the primary.
[[nodiscard]] bool may_be_gone(int code);

// Throws this folder's exception that corresponds to the error.
[[noreturn]] void rethrow(const sql::SQLException& exception);

// Runs "work" and converts the client library's exceptions into this folder's exceptions.
template <typename Work>
auto translated(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const sql::SQLException& exception) {
    rethrow(exception);
  }
}

// DESIGN. These checks keep the client library from revealing the password during login. The server
// chooses the authentication method, and the library obeys. So it sends the password in clear text
// to a server that requests mysql_clear_password. If TLS was requested but the server does not
// offer it, the library continues without encryption. Its method caching_sha2_password then treats
// the session as encrypted and sends the password in clear text. Without a certificate to verify,
// no option prevents this.
//
// Therefore, a check runs before each of the library's methods, that is, before the library sends
// anything that is derived from the password:
//
//   - If TLS was requested and the server does not offer it, every method is refused.
//   - A method that sends the password itself is refused, unless TLS with a verified certificate
//     was requested. In this case, the library has verified the certificate before it sends
//     anything. A Unix socket is no exception, because wp-config.php names the socket and any
//     account on the host can create a socket.
//
// caching_sha2_password and sha256_password may send the password over unverified TLS, or encrypted
// with a key that the server provides. An eavesdropper cannot read it, but a server that
// impersonates the real one can (SECURITY.md).

// The error codes for these refusals. The library itself does not use them.
inline constexpr int kTlsNotOffered = 2997;
inline constexpr int kPasswordInClear = 2998;

// Installs the checks for the whole process. REQUIRES: called once, after the library was
// initialized and before the first connection.
void install_password_guard();

}  // namespace db
