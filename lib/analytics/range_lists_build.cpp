#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "analytics/packed.h"
#include "analytics/range_lists.h"
#include "analytics/rating_sums.h"
#include "base/timestamp.h"
#include "db/transaction.h"

namespace analytics {
namespace {

using model::Category;

constexpr std::int64_t kLastPart = std::numeric_limits<std::uint16_t>::max();

// The maximum number of entries in a row, because a row must not exceed the server's maximum packet
// size.
constexpr std::int64_t kEntriesOfRow = 8'000;
constexpr std::size_t kMostEntriesOfDay = 500'000;
// The maximum size of the lists, which stay in memory until they are written. Lists of this size
// suffice for about 30 million votes.
constexpr std::size_t kMostBytes = 128U << 20U;

struct Times {
  base::Time first, last;
};
using TimesById = ById<Times>;

// Serializes the sums in one category, in the same order as the ids in the list object_ids or
// user_ids.
class PackedSums {
 public:
  explicit PackedSums(bool has_signs) : has_signs_(has_signs) {}

  void add(std::size_t place, const Sums& sums) {
    packer_.add(place - next_place_);
    packer_.add_signed(sums.total);
    packer_.add_signed(sums.sum);
    if (has_signs_) {
      packer_.add_signed(sums.positive);
      packer_.add_signed(sums.negative);
    }
    next_place_ = place + 1;
    ++entries_;
  }

  [[nodiscard]] std::int64_t entries() const { return entries_; }

  // If the current row has entries, appends the row to "parts" and begins a new row.
  void finish(std::vector<ListPart>& parts, ListPart name) {
    if (entries_ == 0) return;
    name.entries = entries_;
    name.data = packer_.bytes();
    parts.push_back(std::move(name));
    *this = PackedSums(has_signs_);
  }

 private:
  bool has_signs_;
  Packer packer_;
  std::size_t next_place_ = 0;
  std::int64_t entries_ = 0;
};

// Builds the lists from rows that are added day by day.
class RangeLists {
 public:
  explicit RangeLists(const RangeSource& source) : source_(source) {}

  void add(const std::string& type, std::uint64_t id, Category category, const Sums& sums) {
    if (sums == Sums()) return;
    SumsById& of_type = sums_[type];
    const std::size_t place = of_type.place_of(id);
    analytics::add(of_type.at(place)[static_cast<std::size_t>(category)], sums);
    if (are_listed()) of_day_[{category, type}].emplace_back(place, sums);
  }

  void finish_day(std::int64_t day) {
    for (auto& [kind, entries] : of_day_) {
      if (entries.size() > kMostEntriesOfDay || day > kLastPart) is_too_long_ = true;
      std::ranges::sort(entries, {}, &std::pair<std::size_t, Sums>::first);
      PackedSums packed(source_.has_signs_of(kind.first));
      for (const auto& [place, sums] : entries) packed.add(place, sums);
      packed.finish(
          parts_,
          {.list = source_.days, .category = kind.first, .object_type = kind.second, .part = day});
      entries.clear();
    }
    give_up_if_long();
  }

  void finish_boundary(std::int64_t boundary) {
    if (!are_listed()) return;
    for (const auto& [type, of_type] : sums_) {
      for (const Category category : model::kCategories) {
        add_sums(category, type, of_type, boundary * kPartsOfBoundary);
      }
    }
    give_up_if_long();
  }

  // Appends the lists to "parts", unless they are too long. "times" contains the users' first and
  // last rating times.
  SumsByTypeAndId finish(std::vector<ListPart>& parts, const TimesById& times,
                         const std::vector<std::int64_t>& boundaries) {
    if (are_listed()) {
      Packer packer;
      for (const std::int64_t boundary : boundaries) packer.add_signed(boundary);
      parts_.push_back({.list = source_.ids, .data = packer.bytes()});
      for (const auto& [type, of_type] : sums_) add_ids(type, of_type, times);
      std::move(parts_.begin(), parts_.end(), std::back_inserter(parts));
    }
    return std::move(sums_);
  }

 private:
  [[nodiscard]] bool are_listed() const { return sums_.size() <= kListTypes && !is_too_long_; }

  void give_up_if_long() {
    for (; counted_ < parts_.size(); ++counted_) bytes_ += parts_[counted_].data.size();
    if (bytes_ > kMostBytes) is_too_long_ = true;
    if (are_listed()) return;
    parts_.clear();
    counted_ = 0;
  }

  void add_sums(Category category, const std::string& type, const SumsById& of_type,
                std::int64_t part) {
    PackedSums packed(source_.has_signs_of(category));
    ListPart name{.list = source_.sums, .category = category, .object_type = type, .part = part};
    std::size_t place = 0;
    for (const auto& [id, by_category] : of_type) {
      const Sums& sums = by_category[static_cast<std::size_t>(category)];
      if (sums != Sums()) packed.add(place, sums);
      ++place;
      if (packed.entries() < kEntriesOfRow) continue;
      packed.finish(parts_, name);
      ++name.part;
    }
    packed.finish(parts_, name);
  }

  void add_ids(const std::string& type, const SumsById& of_type, const TimesById& times) {
    ListPart part{.list = source_.ids, .object_type = type};
    Packer packer;
    const auto finish = [&] {
      part.data = packer.bytes();
      parts_.push_back(part);
      packer = {};
      part.entries = 0;
      ++part.part;
    };
    for (const auto& [id, sums] : of_type) {
      if (part.entries++ == kEntriesOfRow) finish();
      packer.add(id);
      if (source_.are_objects) continue;
      const Times* const found = times.find(id);
      packer.add_fixed(found == nullptr ? 0 : found->first.time_since_epoch().count());
      packer.add_fixed(found == nullptr ? 0 : found->last.time_since_epoch().count());
    }
    finish();
  }

  const RangeSource& source_;
  SumsByTypeAndId sums_;
  std::map<std::pair<Category, std::string>, std::vector<std::pair<std::size_t, Sums>>> of_day_;
  std::vector<ListPart> parts_;
  // bytes_ is the total size of the first counted_ elements of parts_.
  std::size_t counted_ = 0, bytes_ = 0;
  bool is_too_long_ = false;
};

std::vector<std::int64_t> ratings_of_days(db::Connection& connection, const DayRange& days) {
  RatingFilter filter;
  filter.days = days;
  std::vector<std::int64_t> ratings(static_cast<std::size_t>(days.length()));
  for (const SiteDay& day : site_days(connection, filter)) {
    ratings[static_cast<std::size_t>((day.day - days.first).count())] += day.totals.total();
  }
  return ratings;
}

void read_day(db::Connection& connection, const RangeSource& source, base::Day day,
              RangeLists& lists) {
  db::Rows row = connection.stream(source.rows + ("'" + base::to_date(day) + "'"));
  while (row.next()) {
    Sums sums{row.integer(4), row.integer(5)};
    if (source.are_objects) {
      sums.positive = row.integer(6);
      sums.negative = row.integer(7);
    }
    lists.add(row.text(1), row.unsigned_integer(2), static_cast<Category>(row.integer(3)), sums);
  }
}

}  // namespace

SumsByTypeAndId add_range_lists(std::vector<ListPart>& parts, db::Connection& connection,
                                const DayRange& days, const RangeSource& source) {
  // Without a snapshot, a vote that changes between two reads could be counted on both its old and
  // its new day.
  const db::Transaction snapshot = db::one_snapshot(connection);
  const auto ratings = ratings_of_days(connection, days);
  const auto boundaries = boundaries_of(ratings);
  RangeLists lists(source);
  std::size_t boundary = 0;
  for (std::size_t day = 0; day < ratings.size(); ++day) {
    const auto number = static_cast<std::int64_t>(day);
    if (ratings[day] > 0) {
      read_day(connection, source, days.first + std::chrono::days(number), lists);
      lists.finish_day(number);
    }
    if (number + 1 == boundaries[boundary]) {
      lists.finish_boundary(static_cast<std::int64_t>(boundary++));
    }
  }
  TimesById times;
  if (!source.are_objects) {
    for_times_of_users(connection, [&](std::uint64_t id, base::Time first, base::Time last) {
      times[id] = {first, last};
    });
  }
  return lists.finish(parts, times, boundaries);
}

}  // namespace analytics
