#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/rollup.h"

namespace rollups {

// A callback that receives the number of rows read so far and an estimate of the total number of
// rows.
using VerifyProgress = std::function<void(std::int64_t done, std::int64_t all)>;

// The amounts to add to the rows of a rollup to make the rollup match the votes and aggregates. If
// all amounts for a row are zero, the row's sums are correct, but its time of the last rating is
// wrong.
//
// Each transaction that changes votes also adds the change to the stored sums, so the difference
// between a wrong sum and the correct sum stays constant. Therefore, a repair may correct a wrong
// sum at any later time (rollups/repair.h).
struct Difference {
  const Rollup& rollup;
  Rollup::Rows rows;
  std::set<Key> missing;  // keys of "rows" that are not in the table
};

// Searches for differences between the sums in the rollups and the sums of all votes and
// aggregates. New votes may arrive during the search. Reads all votes and most rollups once, page
// by page (rollups/table_scan.h). Totals and votes are stored in the same order, so the search
// compares totals object by object. For all rollups except totals, the search compares the
// checksums for one day or one range of users at a time (Checksum). The memory for checksums grows
// with the number of days and users, but not with the number of votes. If the checksum for a group
// of rows shows a difference, the search compares these rows individually in one database snapshot,
// because a vote may have arrived while the tables were being read.
//
// The "use" callback is called for each difference and may use the database connection. The
// "is_wanted" callback returns whether to continue the search in the given rollup. Throws the same
// exceptions as db::Connection.
struct DifferenceUse {
  std::function<void(const Difference& difference)> use;
  std::function<bool(const Rollup& rollup)> is_wanted = [](const Rollup&) { return true; };
};
void find_differences(db::Connection& connection, const VerifyProgress& progress,
                      const DifferenceUse& use);

// A voter who has no row in the voters table, or who has voted after the last active day stored in
// that row. If all votes after the stored last active day are held, the stored day is correct.
struct DoubtfulVoter {
  model::VoterId voter = 0;
  std::optional<base::Day> last_day;  // empty if the row is missing
};
// Finds all voters whose rows may be wrong, and passes them to the "use" callback in small groups.
// Throws the same errors as db::Connection.
void find_doubtful_voters(db::Connection& connection, const base::ZoneHistory& zones,
                          const std::function<void(const std::vector<DoubtfulVoter>&)>& use);

// A checksum of the sums in many rows. Each sum is multiplied by a random number that depends on
// the row's key, and the products are added modulo 2^64. Rows may be added in any order, and each
// row may be added in several parts. To compare two tables, add the rows of one table and subtract
// the rows of the other. If both tables have the same sums for each key, the checksum is zero. If
// the sums for a key differ, the checksum is zero with a probability of about 2^-60.
class Checksum {
 public:
  // Computes a hash of a row's key, from which the row's random numbers are derived. The columns of
  // the key must be added in order.
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

  // Adds the sums in the row with key "key" to the checksum.
  void count(const Key& key, const std::vector<std::int64_t>& sums) {
    std::uint64_t place = 0;
    for (const std::int64_t sum : sums) {
      const std::uint64_t random = mixed(key.hash_ + ++place * kGolden) | 1U;
      sum_ += random * static_cast<std::uint64_t>(sum);
    }
  }
  [[nodiscard]] bool is_zero() const { return sum_ == 0; }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;

  // The output function of the random number generator SplitMix64 (Steele, Lea, Flood, 2014).
  static constexpr std::uint64_t mixed(std::uint64_t value) {
    value = (value + kGolden) ^ ((value + kGolden) >> 30U);
    value *= 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31U);
  }

  std::uint64_t sum_ = 0;
};

}  // namespace rollups
