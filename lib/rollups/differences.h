#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/rollup.h"

namespace rollups {

// Called with the number of rows read so far, and the estimated number of all rows.
using VerifyProgress = std::function<void(std::int64_t done, std::int64_t all)>;

// The amounts that must be added to rows in a rollup so that the rows match the votes and
// aggregates. If all amounts are zero, only the time of the last rating differs.
//
// Each transaction that changes votes changes the sums by the same amount. So the difference
// between votes and sums stays the same while votes arrive, and it may be added to the sums at any
// later time (rollups/repair.h).
struct Difference {
  const Rollup& rollup;
  Rollup::Rows rows;
  std::set<Key> missing;  // keys of "rows" that are not in the table
};

// Compares the rollups with the votes and aggregates and finds the differences. Votes may arrive in
// the meantime. Reads all votes and most rollups once, in pages (rollups/table_scan.h) and in
// constant memory. The totals are stored in the order of the votes and are compared object by
// object. The other rollups are stored in another order. Their sums are compared by day, or by
// range of users, as checksums (Checksum). The memory for the checksums depends on the number of
// days and users, not on the number of votes. Checksums may differ because of a wrong sum, or
// because a vote arrived in the meantime. So if a checksum differs, its rows are compared one by
// one, in one snapshot.
//
// "use" is called with each difference and may use the connection. "is_wanted" returns whether more
// differences in the rollup are needed. Errors: same as db::Connection.
struct DifferenceUse {
  std::function<void(const Difference& difference)> use;
  std::function<bool(const Rollup& rollup)> is_wanted = [](const Rollup&) { return true; };
};
void find_differences(db::Connection& connection, const VerifyProgress& progress,
                      const DifferenceUse& use);

// A voter whose row may be wrong. Either the row is missing, or one of the voter's votes is newer
// than the last day in the row. The vote may be held.
struct DoubtfulVoter {
  model::VoterId voter = 0;
  std::optional<base::Day> last_day;  // empty if the row is missing
};
// Finds all voters whose rows may be wrong. Calls "use" with a few voters at a time. Errors: same
// as db::Connection.
void find_doubtful_voters(db::Connection& connection, const base::ZoneHistory& zones,
                          const std::function<void(const std::vector<DoubtfulVoter>&)>& use);

// A checksum over sums by key. For each row, the value is multiplied by the key's random number,
// and the checksum is the sum of these products, modulo 2^64. Rows may be added in any order, and a
// row may be added in parts. If two sets of rows have the same sums by key, the checksum of their
// difference is zero. Otherwise, it is zero with a probability of about 2^-60. A value type.
class Checksum {
 public:
  // Computes the random numbers for a key. Add the key's parts in order.
  class Key {
   public:
    explicit Key(std::uint64_t seed) : hash_(seed) {}
    Key& add(std::uint64_t part) {
      hash_ = mixed(hash_ ^ mixed(part));
      return *this;
    }
    Key& add(std::string_view part) {
      add(part.size());
      for (; !part.empty(); part.remove_prefix(std::min(part.size(), sizeof(std::uint64_t)))) {
        std::uint64_t word = 0;
        std::memcpy(&word, part.data(), std::min(part.size(), sizeof word));
        add(word);
      }
      return *this;
    }

   private:
    friend class Checksum;
    std::uint64_t hash_;
  };

  // Adds the sums in a row to the checksum.
  void count(const Key& key, const std::vector<std::int64_t>& sums) {
    std::uint64_t place = 0;
    for (const std::int64_t sum : sums) {
      const std::uint64_t random = mixed(key.hash_ + ++place * kGolden) | 1U;
      sum_ += random * static_cast<std::uint64_t>(sum);
    }
  }
  Checksum& operator+=(const Checksum& more) {
    sum_ += more.sum_;
    return *this;
  }
  [[nodiscard]] bool is_zero() const { return sum_ == 0; }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;

  // The finalizer of SplitMix64 (Steele, Lea, Flood, 2014).
  static constexpr std::uint64_t mixed(std::uint64_t value) {
    value = (value + kGolden) ^ ((value + kGolden) >> 30U);
    value *= 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31U);
  }

  std::uint64_t sum_ = 0;
};

}  // namespace rollups
