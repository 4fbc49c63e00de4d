#pragma once

#include "db/connection.h"

namespace support {

// Returns whether the tests run on MariaDB and not on MySQL.
inline bool is_mariadb(db::Connection& connection) {
  return connection.query("SELECT 1 FROM DUAL WHERE VERSION() LIKE '%MariaDB%'").next();
}

}  // namespace support
