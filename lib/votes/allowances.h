#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "votes/rules.h"

namespace votes {

// The lowest primary key of the counters whose windows end at "ends_at", a whole hour.
[[nodiscard]] std::string first_counter_until(base::Time ends_at);

// The uses of the shared limits, and the uses that a batch has reserved for itself. If the caller
// of the writer counts a limit itself, the limit has no row here, and reserve() and use() do
// nothing.
struct Allowances {
  using Key = std::string;  // the counter's primary key
  struct Count {
    std::int64_t used = 0;      // in the limit's window, also by this batch
    std::int64_t reserved = 0;  // by this batch, and not used yet
    bool operator==(const Count&) const = default;
  };
  std::map<Key, Count> counts;

  // Plans one more use of "limit".
  void reserve(const SharedLimit& limit);
  // Counts one use. REQUIRES: the use was reserved.
  void use(const SharedLimit& limit);
  [[nodiscard]] std::int64_t used(const SharedLimit& limit) const;

  bool operator==(const Allowances&) const = default;
};

}  // namespace votes
