#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/database_server.h"

namespace config {

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
