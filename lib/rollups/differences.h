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

// A callback that receives the number of rows read so far and the estimated number of all rows.
using VerifyProgress = std::function<void(std::int64_t done, std::int64_t all)>;

// The amounts that must be added to rows in a rollup so that the rows match the votes and
// aggregates. If all amounts are zero, only the time of the last rating differs.
//
// Each transaction that changes votes changes the sums by the same amount. So new votes do not
// change the difference between votes and sums, and a repair may add the difference to the sums at
// any later time (rollups/repair.h).
struct Difference {
  const Rollup& rollup;
  Rollup::Rows rows;
  std::set<Key> missing;  // keys of "rows" that are not in the table
};

// Finds the differences between the rollups and the sums of votes and aggregates. New votes may
// arrive during the search. Reads all votes and most rollups once, page by page, in constant memory
// (rollups/table_scan.h). Totals and votes are stored in the same order, so totals are compared
// object by object. The rows of the other rollups are compared by checksum, for one day or one
// range of users at a time (Checksum). The memory for the checksums depends on the number of days
// and users, not on the number of votes. Checksums may differ because of a wrong sum, or because a
// vote arrived during the search. So if checksums differ, their rows are compared one by one in one
// database snapshot.
//
// The callback "use" receives each difference and may use the connection. The callback "is_wanted"
// returns whether to search for more differences in a rollup. Throws the same exceptions as
// db::Connection.
struct DifferenceUse {
  std::function<void(const Difference& difference)> use;
  std::function<bool(const Rollup& rollup)> is_wanted = [](const Rollup&) { return true; };
};
void find_differences(db::Connection& connection, const VerifyProgress& progress,
                      const DifferenceUse& use);

// A voter whose row may be wrong, because the row is missing or because a vote is newer than the
// last active day in the row. The newer vote may be a held vote.
struct DoubtfulVoter {
  model::VoterId voter = 0;
  std::optional<base::Day> last_day;  // empty if the row is missing
};
// Finds all voters whose rows may be wrong and passes them to "use" in small groups. Throws the
// same errors as db::Connection.
void find_doubtful_voters(db::Connection& connection, const base::ZoneHistory& zones,
                          const std::function<void(const std::vector<DoubtfulVoter>&)>& use);

// A checksum of the sums in a set of rows. The checksum multiplies each sum by a random number that
// depends on the row's key, and adds the products modulo 2^64. Rows may be added in any order, and
// a row may be added in parts. If two sets of rows have the same sums for each key, the checksum of
// their difference is zero. If the sums differ, the checksum is zero with a probability of about
// 2^-60.
class Checksum {
 public:
  // Computes the random numbers for a key. The parts of the key must be added in order.
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

  // Returns the result of the last step of SplitMix64 (Steele, Lea, Flood, 2014).
  static constexpr std::uint64_t mixed(std::uint64_t value) {
    value = (value + kGolden) ^ ((value + kGolden) >> 30U);
    value *= 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31U);
  }

  std::uint64_t sum_ = 0;
};

}  // namespace rollups
