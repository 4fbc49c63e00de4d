#include "votes/counters.h"

#include <cassert>
#include <span>
#include <vector>

#include "db/bulk_statement.h"

namespace votes {
namespace {

bool is_counted_in_database(const SharedLimit& limit) { return !limit.counter.empty(); }

std::string key_of(const SharedLimit& limit) {
  return first_counter_until(limit.ends_at) + limit.counter;
}

constexpr db::BulkStatement kAddToCounters(
    {"INSERT INTO {prefix}ratingd_counters (counter, used) VALUES ", "(?,?)", ",",
     " ON DUPLICATE KEY UPDATE used = used + VALUES(used)"});
constexpr db::BulkStatement kReadCounters(
    {"SELECT counter, used FROM {prefix}ratingd_counters FORCE INDEX (PRIMARY) WHERE counter IN (",
     "?", ",", ")"});
constexpr db::BulkStatement kRemoveCounters(
    {"DELETE FROM {prefix}ratingd_counters WHERE counter IN (", "?", ",", ")"});

}  // namespace

std::string first_counter_until(base::Time ends_at) {
  const auto hours = static_cast<std::uint32_t>(
      std::chrono::floor<std::chrono::hours>(ends_at).time_since_epoch().count());
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(hours >> shift);
  return bytes;
}

void delete_old_counters(db::Connection& connection, base::Time before) {
  connection.execute(
      "DELETE FROM {prefix}ratingd_counters WHERE counter < ? ORDER BY counter LIMIT 500",
      first_counter_until(before));
}

void Counters::reserve(const SharedLimit& limit) {
  if (is_counted_in_database(limit)) ++counts_[key_of(limit)].reserved;
}

void Counters::lock() { end_lock(static_cast<std::int64_t>(add(reserved()))); }

void Counters::begin_lock() { add(reserved()); }

void Counters::end_lock(std::int64_t changed) {
  if (counts_.empty() || changed == static_cast<std::int64_t>(counts_.size())) return;
  kReadCounters.query(
      connection_, reserved(),
      [](db::Statement& statement, const auto& row) { statement.bind(row.first); },
      [&](const db::Rows& row) {
        Count& count = counts_.at(row.text(1));
        count.used = row.integer(2) - count.reserved;
      });
}

std::map<Counters::Key, std::int64_t> Counters::reserved() const {
  std::map<Key, std::int64_t> planned;
  for (const auto& [key, count] : counts_) planned.emplace(key, count.reserved);
  return planned;
}

std::int64_t Counters::used(const SharedLimit& limit) const {
  const auto found = counts_.find(key_of(limit));
  return found == counts_.end() ? 0 : found->second.used;
}

void Counters::use(const SharedLimit& limit) {
  if (!is_counted_in_database(limit)) return;
  Count& count = counts_.at(key_of(limit));
  assert(count.reserved > 0);
  --count.reserved;
  ++count.used;
}

void Counters::settle() {
  std::map<Key, std::int64_t> returned;
  std::vector<Key> unused;
  for (auto& [key, count] : counts_) {
    if (count.used == 0) {
      unused.push_back(key);
    } else if (count.reserved > 0) {
      returned.emplace(key, -count.reserved);
    }
    count.reserved = 0;
  }
  add(returned);
  kRemoveCounters.execute(connection_, unused);
}

std::uint64_t Counters::add(const std::map<Key, std::int64_t>& changes) {
  return kAddToCounters.execute(connection_, changes,
                                [](db::Statement& statement, const auto& row, bool repetition) {
                                  statement.bind(row.first, repetition ? 0 : row.second);
                                });
}

}  // namespace votes
