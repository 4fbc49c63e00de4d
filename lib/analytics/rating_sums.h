#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analytics/rating_filter.h"
#include "db/connection.h"
#include "model/rating.h"

namespace analytics {

// A hash table that maps the ids of objects or users to values. The entries are in the order in
// which their ids were added. Not safe for concurrent use.
template <typename Value>
class ById {
 public:
  using Entry = std::pair<std::uint64_t, Value>;

  // Returns the value for the id. A new id gets the value zero. The reference is valid as long as
  // this object exists.
  Value& operator[](std::uint64_t id) { return at(place_of(id)); }

  // Returns the position of the id's entry, and appends an entry if the id is new.
  std::size_t place_of(std::uint64_t id) {
    if (2 * entries_.size() >= slots_.size()) grow();
    std::uint32_t& slot = slots_[slot_of(id)];
    if (slot == kFree) {
      slot = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back(id, Value());
    }
    return slot;
  }
  Value& at(std::size_t place) { return entries_[place].second; }

  // Returns the value for the id, or nullptr if there is none.
  [[nodiscard]] const Value* find(std::uint64_t id) const {
    if (slots_.empty()) return nullptr;
    const std::uint32_t slot = slots_[slot_of(id)];
    return slot == kFree ? nullptr : &entries_[slot].second;
  }

  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};
  static constexpr unsigned kFirstBits = 4;

  // Returns the slot that contains the id, or the free slot in which to store the id. The search
  // begins at the id's hash (Knuth's multiplicative hash).
  [[nodiscard]] std::size_t slot_of(std::uint64_t id) const {
    std::size_t slot = id * 0x9E3779B97F4A7C15U >> (64 - bits_);
    while (slots_[slot] != kFree && entries_[slots_[slot]].first != id) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }

  void grow() {
    bits_ = slots_.empty() ? kFirstBits : bits_ + 1;
    slots_.assign(std::size_t{1} << bits_, kFree);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      slots_[slot_of(entries_[i].first)] = static_cast<std::uint32_t>(i);
    }
  }

  std::deque<Entry> entries_;         // grows without copying, because there may be many entries
  std::vector<std::uint32_t> slots_;  // positions in entries_
  unsigned bits_ = 0;                 // the binary logarithm of the number of slots
};

using SumsByCategory = std::array<Sums, model::kCategories.size()>;

[[nodiscard]] inline std::int64_t total_of(const SumsByCategory& sums) {
  std::int64_t total = 0;
  for (const Sums& one : sums) total += one.total;
  return total;
}

inline void add(Sums& sums, const Sums& more) {
  sums.total += more.total;
  sums.sum += more.sum;
  sums.positive += more.positive;
  sums.negative += more.negative;
}
inline void add(SumsByCategory& sums, const SumsByCategory& more) {
  for (std::size_t i = 0; i < sums.size(); ++i) add(sums[i], more[i]);
}

// Returns the category with the most ratings. In case of a tie, returns the first category.
[[nodiscard]] inline model::Category most_used(const SumsByCategory& sums) {
  const auto* const most = std::max_element(
      sums.begin(), sums.end(), [](const Sums& a, const Sums& b) { return a.total < b.total; });
  return model::Category(most - sums.begin());
}

// The sums of objects or users, ordered by type and then id. An object or user whose total is 0 may
// be missing.
using SumsById = ById<SumsByCategory>;
using SumsByTypeAndId = std::map<std::string, SumsById>;

// DESIGN. A list for several days contains the sum of each object's rows. The rows are summed here
// rather than in the database server, because the server would use a temporary table, which takes
// several times as long as reading the rows. The rows are read a few days at a time, so that a
// query that needs too many rows can be aborted early. If a range covers most of the days, only the
// days outside the range are read, and their sums are subtracted from the totals.

// Specifies whether sums include the numbers of positive and negative ratings.
enum class Signs { omitted, included };

// Sum up the rollups for objects or users that match the filter. Sums for users never include the
// numbers of positive and negative ratings. Both functions read one row per day for each object or
// user, keep all sums in memory, and return nothing if reading takes longer than "time_limit". The
// filter for sum_up_users() must not contain ids. Throw the same exceptions as db::Connection.
[[nodiscard]] std::optional<SumsByTypeAndId> sum_up_objects(db::Connection& connection,
                                                            const RatingFilter& filter, Signs signs,
                                                            std::chrono::milliseconds time_limit);
[[nodiscard]] std::optional<SumsByTypeAndId> sum_up_users(db::Connection& connection,
                                                          const RatingFilter& filter,
                                                          std::chrono::milliseconds time_limit);

// Like sum_up_users(), but sums over all object types. The caller must have started a transaction
// with db::one_snapshot().
[[nodiscard]] std::optional<SumsById> sum_up_users_of_all_types(
    db::Connection& connection, const RatingFilter& filter, std::chrono::milliseconds time_limit);

// The sums of one object's ratings in one category on one day. Ratings that do not count are
// omitted.
struct ObjectDay {
  model::Object object;
  model::Category category = model::Category::binary;
  base::Day day;
  Sums sums;
};

// Returns an entry for each object, day and category with ratings, in any order. Performs one
// lookup per object and day. Throws the same exceptions as db::Connection.
[[nodiscard]] std::vector<ObjectDay> days_of_objects(db::Connection& connection,
                                                     std::span<const model::Object> objects,
                                                     const DayRange& days);

// The sums for one category on one day. "totals" contains no timestamps.
struct SiteDay {
  base::Day day;
  model::Category category = model::Category::binary;
  model::Totals totals;
};

// The following functions read the rollups for the whole site. All functions throw the same
// exceptions as db::Connection.

// Returns the first day with ratings.
[[nodiscard]] std::optional<base::Day> first_day(db::Connection& connection);

// Returns the site's sums, ordered by day and category. Days without ratings are omitted. If the
// filter has ids, reads one row for each object on each day, and throws TakesTooLong if reading
// takes longer than kSumTimeLimit. If the filter has ids, the bins for the category "scale" are
// wrong, because all ratings are counted in the middle bin. Call totals_of_scale() to get the
// correct bins.
[[nodiscard]] std::vector<SiteDay> site_days(db::Connection& connection,
                                             const RatingFilter& filter);

// Returns the sums of site_days(), without the numbers of positive and negative ratings.
[[nodiscard]] SumsByCategory site_sums(db::Connection& connection, const RatingFilter& filter);

// Returns how many voters added or changed a rating on the given days. Voters who later withdrew
// their rating are included.
[[nodiscard]] std::int64_t active_voters(db::Connection& connection, const DayRange& days);

}  // namespace analytics
