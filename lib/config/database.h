#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// The parts of WordPress's DB_HOST, split as in wpdb::parse_db_host (class-wpdb.php).
struct DbHost {
  std::string host;
  unsigned port = 0;   // 0: none given. Larger than a port can be is possible.
  std::string socket;  // begins with '/', or is empty

  bool operator==(const DbHost&) const = default;
};

// Nothing if WordPress rejects it: two colons or more, and not an IPv6 address.
[[nodiscard]] std::optional<DbHost> parse_db_host(std::string_view text);

// The address that PHP connects to (mysqlnd_connection.c, get_scheme): "localhost" and an empty
// host mean the socket, whatever the port; any other host means TCP, whatever the socket.
[[nodiscard]] DatabaseServer server_of_php(const DbHost& from);

// The CMS's database.
struct Database {
  DatabaseServer server;
  std::vector<DatabaseServer> others;  // further servers, in the order in which they are tried
  std::string name;
  std::string user;
  std::string password;                                       // never logged
  std::optional<DatabaseTls> tls;                             // nothing: by the address, tls_of()
  std::string tls_ca = "/etc/ssl/certs/ca-certificates.crt";  // trusted certificate authorities
};

// All servers of a database, the first one first.
[[nodiscard]] std::vector<DatabaseServer> servers_of(const Database& database);

// Their names, separated by commas.
[[nodiscard]] std::string names_of_servers(const Database& database);

}  // namespace config
