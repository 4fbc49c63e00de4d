#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace config {

// A database server's address. The address is "socket" or, if "socket" is empty, "host" and "port".
struct DatabaseServer {
  std::string host;
  unsigned port = 3306;                            // 1 to 65535
  std::string socket = "/run/mysqld/mysqld.sock";  // absolute path, used by PHP for "localhost"

  bool operator==(const DatabaseServer&) const = default;
};

// The encryption mode for sessions with a database server.
enum class DatabaseTls {
  off,
  preferred,  // TLS without verification, if the server offers it
  required,   // always TLS, without verification
  verify,     // always TLS, with a valid certificate for the host name
};

// The maximum number of database servers. An unresponsive server can delay a session by one second,
// and a failover across all servers can take five seconds.
inline constexpr std::size_t kMaxDatabaseServers = 4;

// Returns "given" or, if it is not set, the default TLS mode. The default TLS mode is "off" for a
// server on this host (a socket or a loopback address), and "preferred" for any other server.
[[nodiscard]] DatabaseTls tls_of(const DatabaseServer& server, std::optional<DatabaseTls> given);

// Returns a server's name, such as "db1:3306", or the path of its socket.
[[nodiscard]] std::string name_of(const DatabaseServer& server);

// The parts of WordPress's DB_HOST constant. DB_HOST is split in the same way as in
// wpdb::parse_db_host (class-wpdb.php).
struct DbHost {
  std::string host;
  unsigned port = 0;   // 0 if there is none; may be larger than a valid port
  std::string socket;  // begins with '/' or is empty

  bool operator==(const DbHost&) const = default;
};

// Returns nothing if WordPress would reject "text" as the value of DB_HOST. WordPress rejects a
// value with two or more colons that is not an IPv6 address.
[[nodiscard]] std::optional<DbHost> parse_db_host(std::string_view text);

// Returns the address to which PHP connects (mysqlnd_connection.c, get_scheme). For the host
// "localhost" or an empty host, PHP connects to the socket and ignores the port. For any other
// host, PHP connects over TCP and ignores the socket.
[[nodiscard]] DatabaseServer server_of_php(const DbHost& from);

// The CMS's database.
struct Database {
  DatabaseServer server;
  std::vector<DatabaseServer> others;  // the other servers, in the order in which they are tried
  std::string name;
  std::string user;
  std::string password;                                       // never logged
  std::optional<DatabaseTls> tls;                             // empty for the default from tls_of()
  std::string tls_ca = "/etc/ssl/certs/ca-certificates.crt";  // trusted certificate authorities
};

// Returns all servers of a database, with the preferred server first.
[[nodiscard]] std::vector<DatabaseServer> servers_of(const Database& database);

// Returns the names of all servers, separated by commas.
[[nodiscard]] std::string names_of_servers(const Database& database);

}  // namespace config
