#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/object_analytics.h"

namespace store {

// Orders objects in memory as ObjectAnalytics::top() does in the database, but by exact fractions:
// no two that differ look equal. Used by one thread.
class Ranker {
 public:
  // "ranking" must outlive it.
  explicit Ranker(const Ranking& ranking) : ranking_(ranking) {}

  // REQUIRES: objects come in the order of their type and id; sums.total > 0.
  void add(std::string_view type, std::uint64_t id, const Sums& sums);

  // "limit" of those that the ranking lets in, after the first "offset". Called once.
  [[nodiscard]] Slice<RankedObject> slice(std::int64_t offset, std::int64_t limit);

 private:
  __extension__ using Wide = __int128;  // not of the standard, but of every 64-bit compiler here
  struct Value {
    Wide numerator, denominator;
  };
  struct Entry {
    Value value;
    Sums sums;
    std::uint64_t id;
    std::size_t type;  // in types_
  };

  [[nodiscard]] Value value_of(const Sums& sums) const;
  [[nodiscard]] bool comes_before(const Entry& a, const Entry& b) const;

  const Ranking& ranking_;
  std::vector<std::string> types_;  // in the order in which they came
  std::vector<Entry> entries_;
};

}  // namespace store
