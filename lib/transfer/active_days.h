#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/zone.h"
#include "model/rating.h"

namespace transfer {

// DESIGN. Caches the days on which voters were active, because imports read these days often. To
// add a past rating, an import needs all active days of the rating's voter (votes/voter_days.h). An
// import works in slices, and the ratings by one user may be spread over a hundred slices. Without
// the cache, the import would spend most of its time rereading the same active days.
//
// An active day added by a new vote is always later than all previous active days. A voter's cached
// days remain valid while the last active day in the voter's row stays the same. Except for votes,
// every operation that changes active days increments the sequence number of writer 0
// (rollups/writers.h). A rebuild by ratingd 0.3 increments the "rebuilds" column of the
// rollup_state table. The cache is cleared after an error and whenever a member of the Mark struct
// changes.
//
// The cached days use at most kMaxBytes of memory. When the cache is full, the older of its two
// generations of entries is deleted. The class is not thread-safe.
class ActiveDays {
 public:
  static constexpr std::size_t kMaxBytes = 8U << 20U;

  using Days = std::vector<base::Day>;  // sorted, without duplicates

  // Cached days remain valid only while no member of Mark changes.
  struct Mark {
    std::string zone;
    std::int64_t rebuilds = 0;
    std::uint64_t changes = 0;  // the number of changes by writer 0
    bool operator==(const Mark&) const = default;
  };

  explicit ActiveDays(std::size_t max_bytes = kMaxBytes) : max_bytes_(max_bytes) {}
  ActiveDays(const ActiveDays&) = delete;
  ActiveDays& operator=(const ActiveDays&) = delete;

  // Call begin() in each transaction after the transaction has locked the voters that it changes.
  // "now" is the Mark that the transaction read after locking the voters.
  void begin(const Mark& now);
  // Returns the active days of "voter", or nullptr if the cache contains no valid days. "last_day"
  // is the last active day in the voter's row. The returned pointer is valid until the next call to
  // any function of this object.
  [[nodiscard]] const Days* find(model::VoterId voter, base::Day last_day);
  // Records the active days that "voter" will have after the commit of the current transaction.
  void note(model::VoterId voter, const Days& days);
  // Call commit() after the current transaction has been committed. The transaction must have
  // incremented the sequence number of writer 0 exactly once.
  void commit();
  void forget();

 private:
  // Each day is stored as a 32-bit number of days since 1970-01-01, which takes half the memory of
  // base::Day.
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
