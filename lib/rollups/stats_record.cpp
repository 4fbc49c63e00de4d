#include "rollups/stats_record.h"

#include <cassert>
#include <cstring>
#include <initializer_list>

namespace rollups {
namespace {

using model::Category;
using Record = StatsCache::Record;

// The bins that values of "category" fall into (model::bin_of).
std::span<const std::size_t> bins_of(Category category) {
  static constexpr std::array<std::size_t, 2> kBinary = {0, 10};
  static constexpr std::array<std::size_t, 3> kBipolar = {0, 5, 10};
  static constexpr std::array<std::size_t, 11> kScale = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  switch (category) {
    case Category::binary:
      return kBinary;
    case Category::bipolar:
      return kBipolar;
    case Category::scale:
      break;
  }
  return kScale;
}

static_assert(2 + 3 + 11 + 2 * model::kCategories.size() == StatsCache::kWords);

}  // namespace

// For each category: the sum, the time of the last rating in microseconds since 1970, the bins.
Record record_of(const VersionedStats& counted) {
  Record record{counted.versions, {}};
  std::size_t next = 0;
  const auto put = [&](std::int64_t value) {
    record.words[next++] = static_cast<std::uint64_t>(value);
  };
  for (const Category category : model::kCategories) {
    const model::Totals& totals = counted.stats[static_cast<std::size_t>(category)];
    put(totals.sum);
    put(totals.last_rated_at.value_or(base::Time()).time_since_epoch().count());
    for (const std::size_t bin : bins_of(category)) put(totals.bins[bin]);
  }
  return record;
}

model::Stats stats_in(const Record& record) {
  model::Stats stats;
  std::size_t next = 0;
  const auto take = [&] { return static_cast<std::int64_t>(record.words[next++]); };
  for (const Category category : model::kCategories) {
    model::Totals& totals = stats[static_cast<std::size_t>(category)];
    totals.sum = take();
    const base::Time last_rated_at{std::chrono::microseconds(take())};
    for (const std::size_t bin : bins_of(category)) totals.bins[bin] = take();
    if (totals.total() > 0) totals.last_rated_at = last_rated_at;
  }
  return stats;
}

// The length, then the text.
Record record_of(const std::string& type) {
  Record record;
  assert(type.size() <= sizeof record.words - sizeof record.words[0]);
  record.words[0] = type.size();
  std::memcpy(&record.words[1], type.data(), type.size());
  return record;
}

std::string type_in(const Record& record) {
  std::string type(record.words[0], '\0');
  std::memcpy(type.data(), &record.words[1], type.size());
  return type;
}

}  // namespace rollups
