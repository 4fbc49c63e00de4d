#include "votes/allowances.h"

#include <cassert>

namespace votes {
namespace {

bool is_counted_in_database(const SharedLimit& limit) { return !limit.counter.empty(); }

Allowances::Key key_of(const SharedLimit& limit) {
  return first_counter_until(limit.ends_at) + limit.counter;
}

}  // namespace

std::string first_counter_until(base::Time ends_at) {
  const auto hours = static_cast<std::uint32_t>(
      std::chrono::floor<std::chrono::hours>(ends_at).time_since_epoch().count());
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(hours >> shift);
  return bytes;
}

void Allowances::reserve(const SharedLimit& limit) {
  if (is_counted_in_database(limit)) ++counts[key_of(limit)].reserved;
}

void Allowances::use(const SharedLimit& limit) {
  if (!is_counted_in_database(limit)) return;
  Count& count = counts.at(key_of(limit));
  assert(count.reserved > 0);
  --count.reserved;
  ++count.used;
}

std::int64_t Allowances::used(const SharedLimit& limit) const {
  if (!is_counted_in_database(limit)) return 0;
  const auto found = counts.find(key_of(limit));
  return found == counts.end() ? 0 : found->second.used;
}

}  // namespace votes
