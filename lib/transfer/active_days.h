#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/zone.h"
#include "model/rating.h"

namespace transfer {

// DESIGN. Adding past ratings needs the active days of their voters (votes/voter_days.h). Reading
// them from the votes again for each slice would take longer than everything else because a user
// with a hundred ratings is in a hundred slices. So the days are remembered from slice to slice.
//
// Votes that arrive in the meantime only append a last day. So a voter's remembered days are valid
// as long as the voter's row has the same last day. Each other operation that changes activity
// raises a number in the row of writer 0. A rebuild by version 0.3 raises the number of rebuilds in
// the rollup state. After such a change, and after an error, all days are forgotten.
//
// At most kMaxBytes are used. The voters are in two generations. If the memory is used up, the
// older generation is forgotten. Used by one thread.
class ActiveDays {
 public:
  static constexpr std::size_t kMaxBytes = 8U << 20U;

  using Days = std::vector<base::Day>;  // sorted, each once

  // A value that stays the same while no other operation changes past activity.
  struct Mark {
    std::string zone;
    std::int64_t rebuilds = 0;
    std::uint64_t changes = 0;  // the number of changes by writer 0
    bool operator==(const Mark&) const = default;
  };

  explicit ActiveDays(std::size_t max_bytes = kMaxBytes) : max_bytes_(max_bytes) {}
  ActiveDays(const ActiveDays&) = delete;
  ActiveDays& operator=(const ActiveDays&) = delete;

  // Begins a transaction. "now" is the current mark. REQUIRES: the voters whom the transaction
  // changes are locked, and "now" was read after they had been locked.
  void begin(const Mark& now);
  // Returns the active days of "voter", or nullptr if the days are unknown. "last_day" is the last
  // day in the voter's row. The result is valid until the next call to any function.
  [[nodiscard]] const Days* find(model::VoterId voter, base::Day last_day);
  // Remembers the voter's days after this transaction.
  void note(model::VoterId voter, const Days& days);
  // Must be called when the transaction was committed. REQUIRES: the transaction has counted
  // exactly one change in the row of writer 0.
  void commit();
  void forget();

 private:
  // The days as numbers, counted from 1970-01-01, which take half the memory of Days.
  using Packed = std::vector<std::int32_t>;
  using Generation = std::unordered_map<model::VoterId, Packed>;

  void keep(model::VoterId voter, Packed days);

  const std::size_t max_bytes_;
  Mark mark_;
  Generation young_, old_;
  std::size_t young_bytes_ = 0;
  Days found_;
  std::map<model::VoterId, Packed> noted_;  // added by the current transaction
};

}  // namespace transfer
