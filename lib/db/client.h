#pragma once

#include <cppconn/connection.h>
#include <cppconn/exception.h>

#include <memory>
#include <utility>

#include "db/connection.h"

namespace db {

// What this folder needs of Connector/C++ apart from statements and results: sessions, and the
// conversion of its exceptions to this folder's.

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

// DESIGN. What the client library sends to a server during login. The server chooses the
// authentication method, and the library obeys: it sends the password in clear text to a server
// that requests mysql_clear_password, and it continues without encryption if TLS was requested but
// the server does not offer it. Its method caching_sha2_password then treats the session as
// encrypted and sends the password in clear text. No option prevents this without a certificate to
// verify.
//
// Therefore a check runs before each of the library's methods, before the first byte that is
// derived from the password is sent:
//
//   - where TLS was asked for and the server offers none, every method is refused;
//   - a method that sends the password itself is refused, unless TLS was asked for with the
//     server's certificate verified, which the library has then checked before it sends anything.
//     A Unix socket is no exception: wp-config.php names it, and any account of the host can make
//     one.
//
// caching_sha2_password and sha256_password may send the password over unverified TLS, or encrypted
// with a key that the server provides: an eavesdropper cannot read it, but an impostor of the
// server can (SECURITY.md).

// Error codes of these refusals, beside the library's own codes.
inline constexpr int kTlsNotOffered = 2997;
inline constexpr int kPasswordInClear = 2998;

// Installs the checks for the whole process. REQUIRES: called once, after the library was
// initialised and before the first connection.
void install_password_guard();

}  // namespace db
