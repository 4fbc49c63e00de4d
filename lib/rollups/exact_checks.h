#pragma once

#include <string>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/verification.h"

namespace rollups {

// Compares parts of the rollups with the votes and aggregates, each in one statement, and so in one
// consistent snapshot. Each function returns at most kMaxMismatches rows. Used by one thread.
// Errors: as db::Connection.
class ExactChecks {
 public:
  // "connection" must outlive this.
  ExactChecks(db::Connection& connection, const std::string& table_prefix, base::Zone zone);

  [[nodiscard]] std::vector<RollupMismatch> daily(base::Day day);
  [[nodiscard]] std::vector<RollupMismatch> site_daily(base::Day day);
  [[nodiscard]] std::vector<RollupMismatch> user_daily(base::Day day);
  // Of users from "first" to below "end".
  [[nodiscard]] std::vector<RollupMismatch> users(std::uint64_t first, std::uint64_t end);
  // Whether votes may be newer than the last days of their voters (rollups/shortened_activity.h).
  [[nodiscard]] bool is_activity_shortened();
  // Whether the voter's last day is before a counted vote, and may not be.
  [[nodiscard]] std::vector<RollupMismatch> voter(model::VoterId voter);
  // A voter who was active on a day has either a later activity pair or this day as the last one.
  [[nodiscard]] std::vector<RollupMismatch> activity_pairs();

 private:
  std::vector<RollupMismatch> of_day(const char* rollup, const std::string& text, base::Day day,
                                     int tables_with_days);

  db::Connection& connection_;
  const base::Zone zone_;
  const std::string daily_, site_daily_, user_daily_, users_, voter_, activity_pairs_,
      find_shortened_;
};

}  // namespace rollups
