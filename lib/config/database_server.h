#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace config {

// The address of a database server: "socket", or if that is empty "host" and "port".
struct DatabaseServer {
  std::string host;
  unsigned port = 3306;                            // 1 ... 65535
  std::string socket = "/run/mysqld/mysqld.sock";  // absolute path; PHP uses it for "localhost"

  bool operator==(const DatabaseServer&) const = default;
};

// How a session with a database server is encrypted.
enum class DatabaseTls {
  off,
  preferred,  // if the server offers TLS, unverified
  required,   // always, unverified
  verify,     // always, with a valid certificate for the host name
};

// Each server that does not answer may cost a second, and all servers of a failover five.
inline constexpr std::size_t kMaxDatabaseServers = 4;

// "given", or the default: off for a server of this host (a socket or a loopback address),
// preferred for any other.
[[nodiscard]] DatabaseTls tls_of(const DatabaseServer& server, std::optional<DatabaseTls> given);

// "db1:3306", or the path of the socket.
[[nodiscard]] std::string name_of(const DatabaseServer& server);

}  // namespace config
