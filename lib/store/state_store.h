#pragma once

#include <optional>
#include <string>

#include "base/zone.h"
#include "db/connection.h"

namespace store {

// The small facts about this installation. Safe for concurrent use, each caller with its own
// connection. Errors of all functions: as db::Connection.
class StateStore {
 public:
  explicit StateStore(const std::string& table_prefix);

  // The time zone in which the rollups' days are counted. Throws std::runtime_error when it is not
  // there or not known on this host.
  [[nodiscard]] base::Zone zone(db::Connection& connection) const;

  // Notes "zone" if none is noted yet; days that are counted already keep their zone.
  void note_zone(db::Connection& connection, const base::Zone& zone) const;

 private:
  const std::string read_;
  const std::string insert_;
};

}  // namespace store
