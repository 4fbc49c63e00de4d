#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"

namespace config {

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

}  // namespace config
