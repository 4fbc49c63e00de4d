#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "db/bulk_statement.h"
#include "db/connection.h"
#include "model/rating.h"

namespace store {

// The names of the eleven columns bin0 ... bin10 of the rollup tables, with commas between them.
[[nodiscard]] std::string bin_columns();

// The totals of an object at one moment, and the versions of their rows, by category: 0 where there
// is none yet. Every change of a row raises its version.
struct Counted {
  model::Stats stats;
  std::array<std::uint64_t, model::kCategories.size()> versions{};

  bool operator==(const Counted&) const = default;
};

// Reads rollups. Safe for concurrent use, each caller with its own connection.
class RollupStore {
 public:
  explicit RollupStore(const std::string& table_prefix);

  // The totals of "objects", in one statement for each 64. Objects that nobody rated are there with
  // zeros. Errors: as db::Connection.
  [[nodiscard]] std::map<model::Object, Counted> read(db::Connection& connection,
                                                      std::span<const model::Object> objects) const;

 private:
  const db::BulkStatement read_totals_;
};

}  // namespace store
