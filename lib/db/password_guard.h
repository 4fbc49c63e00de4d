#pragma once

namespace db {

// DESIGN. What the client library sends to a server that logs a session in. The server chooses the
// authentication method, and the library obeys: it hands the password itself to a server that asks
// for mysql_clear_password, and it goes on without encryption where TLS was asked for and the
// server offers none. Its method caching_sha2_password then even takes the session for encrypted
// and sends the password in the clear. No option prevents this without a certificate to check.
//
// So each method of the library gets a check in front, which runs before the first byte that is
// made of the password is sent:
//
//   - where TLS was asked for and the server offers none, every method is refused;
//   - a method that sends the password itself is refused, unless TLS was asked for with the
//     server's certificate verified, which the library has then checked before it sends anything,
//     or the session uses a Unix socket, on which nobody else can listen.
//
// caching_sha2_password and sha256_password may send the password through TLS that is not verified,
// or encrypted with a key that the server gives: nobody on the way can read it, but whoever poses
// as the server can (SECURITY.md).

// Numbers of these refusals, among those of the library's own errors.
inline constexpr int kTlsNotOffered = 2997;
inline constexpr int kPasswordInClear = 2998;

// Puts the checks in front of the library's methods, for the whole process. REQUIRES: called once,
// after the library was initialized and before the first connection.
void install_password_guard();

}  // namespace db
