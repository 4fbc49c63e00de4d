#pragma once

#include "db/connection.h"

namespace support {

// Returns true for MariaDB, and false for MySQL.
inline bool is_mariadb(db::Connection& connection) {
  return connection.query("SELECT 1 FROM DUAL WHERE VERSION() LIKE '%MariaDB%'").next();
}

}  // namespace support
