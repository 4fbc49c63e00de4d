#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/zone.h"
#include "model/rating.h"

namespace transfer {

// DESIGN. Stores voters' active days during an import, because they are needed to add past ratings
// (votes/voter_days.h). An import works in slices, and a user with a hundred ratings may be in a
// hundred slices. Most of the time would be spent on reading the user's active days again for each
// slice.
//
// New votes only append a last active day. So the stored days of a voter are valid as long as the
// last day in the voter's row has not changed. All other operations that change activity increase a
// number in the row of writer 0. A rebuild by version 0.3 increases the number of rebuilds in the
// rollup state. After such an operation or rebuild, and after an error, all stored days are
// removed.
//
// The stored days use at most kMaxBytes of memory. The voters are divided into two generations. If
// the memory is full, the older generation is removed. The class is not thread-safe.
class ActiveDays {
 public:
  static constexpr std::size_t kMaxBytes = 8U << 20U;

  using Days = std::vector<base::Day>;  // sorted, without duplicates

  // A value that changes whenever a different operation changes past activity.
  struct Mark {
    std::string zone;
    std::int64_t rebuilds = 0;
    std::uint64_t changes = 0;  // the number of changes by writer 0
    bool operator==(const Mark&) const = default;
  };

  explicit ActiveDays(std::size_t max_bytes = kMaxBytes) : max_bytes_(max_bytes) {}
  ActiveDays(const ActiveDays&) = delete;
  ActiveDays& operator=(const ActiveDays&) = delete;

  // Begins a transaction. The transaction must first have locked the voters that it changes, and
  // then have read the current mark "now".
  void begin(const Mark& now);
  // Returns the active days of "voter", or nullptr if no valid days are stored. "last_day" is the
  // last active day in the voter's row. The result is valid until any function of the object is
  // called again.
  [[nodiscard]] const Days* find(model::VoterId voter, base::Day last_day);
  // Stores the active days of "voter" after the current transaction.
  void note(model::VoterId voter, const Days& days);
  // Must be called after the commit of the transaction, which must have counted exactly one change
  // in the row of writer 0.
  void commit();
  void forget();

 private:
  // The number of each day since 1970-01-01, which needs half the memory of a value in Days.
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
