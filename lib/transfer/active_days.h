#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/zone.h"
#include "model/rating.h"

namespace transfer {

// DESIGN. To add past ratings, the voters' active days must be known (votes/voter_days.h). A user
// with a hundred ratings may be in a hundred slices. Reading the user's days from the votes again
// for each slice would take longer than everything else, so the days are remembered from slice to
// slice.
//
// Votes that arrive in the meantime only append a last day. So a voter's remembered days are valid
// as long as the voter's row has the same last day. Every other operation that changes activity
// raises a number in the row of writer 0. A rebuild by version 0.3 raises the number of rebuilds in
// the rollup state. After such a change, and after an error, all days are forgotten.
//
// The days use at most kMaxBytes. The voters are divided into two generations. If the memory is
// used up, the older generation is forgotten. Must be used by only one thread.
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

  // Begins a transaction. "now" is the current mark. REQUIRES: the transaction has locked the
  // voters that it changes, and has read "now" afterwards.
  void begin(const Mark& now);
  // Returns the active days of "voter", or nullptr if the days are unknown. "last_day" is the last
  // day in the voter's row. The result is valid until the next call to any function.
  [[nodiscard]] const Days* find(model::VoterId voter, base::Day last_day);
  // Remembers the voter's days after this transaction.
  void note(model::VoterId voter, const Days& days);
  // Must be called after the transaction was committed. REQUIRES: the transaction has counted
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
