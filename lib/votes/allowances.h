#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "votes/rules.h"

namespace votes {

// Returns the lowest possible primary key for a counter whose window ends at "ends_at". REQUIRES:
// "ends_at" is a whole hour.
[[nodiscard]] std::string first_counter_until(base::Time ends_at);

// Counts the uses of the shared limits, and the uses that a batch has reserved for itself. If the
// writer's caller counts a limit itself, the limit has no entry here, and reserve() and use() do
// nothing.
struct Allowances {
  using Key = std::string;  // the counter's primary key
  struct Count {
    std::int64_t used = 0;      // uses in the limit's window, including the uses by this batch
    std::int64_t reserved = 0;  // uses that this batch has reserved and not used yet
    bool operator==(const Count&) const = default;
  };
  std::map<Key, Count> counts;

  // Plans one more use of "limit".
  void reserve(const SharedLimit& limit);
  // Counts one use of "limit". REQUIRES: the use was reserved.
  void use(const SharedLimit& limit);
  [[nodiscard]] std::int64_t used(const SharedLimit& limit) const;

  bool operator==(const Allowances&) const = default;
};

}  // namespace votes
