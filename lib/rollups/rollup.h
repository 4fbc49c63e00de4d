#pragma once

#include <array>
#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/zone.h"
#include "db/bulk_statement.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/aggregate.h"

namespace rollups {

// DESIGN. A rollup is a table with sums over all counted votes and aggregates. all_rollups()
// declares each rollup once: its table, its key columns, and the measures that it sums. Only
// contribution_of() computes the amounts that a vote or an aggregate adds to the measures. Three
// kinds of code use these two functions:
//   - A transaction changes the rollups (rollups/rollup_changes.h). The transaction may write a
//     batch of votes, import or delete ratings, aggregate old votes, or hold votes.
//   - Verification compares the rollups with the votes and aggregates (rollups/verification.h).
//   - A repair corrects the rollups (rollups/repair.h).
// To add a rollup, add a declaration, and a migration that creates its table. The rollup's key must
// contain a day or begin with a user, because verification compares the rows of one day, or of a
// range of users, at a time. Only totals are compared object by object, in the order of the votes.
//
// Older names remain in places where two versions of the program meet. Aggregates are called
// "balance" in exports, "balances" in responses, and ratingd_balances in the database. Activity
// pairs are stored in the table ratingd_reach. Materialized lists are stored in the tables
// ratingd_kept_lists and ratingd_kept_periods. Votes that were aggregated are called "folded" in
// responses.

// The earliest day that the database can store. It stands for "never".
inline constexpr base::Day kNeverActive = std::chrono::year(1000) / std::chrono::January / 1;

// Key columns.
enum class KeyColumn : std::uint8_t {
  object_id,
  object_type,
  category,
  day,
  previous_day,  // in activity pairs
  user_id,
  voter,
  source,  // in aggregates
  slot,    // selects the copy of a row that every vote changes; each writer uses one copy
};

// The columns that are not part of a key. Most of these columns are sums. Other measures are
// timestamps in microseconds since 1970. For these measures, the table stores the earliest or the
// latest of the added timestamps.
enum class Measure : std::uint8_t {
  total,
  sum,
  positive,
  negative,
  voters,           // the number of voters in an activity pair
  version,          // rises with each change
  first_event_at,   // time of the first vote, whether it counts or not
  last_event_at,    // time of the last vote, whether it counts or not
  last_counted_at,  // time of the last vote that counts
  bins,             // the first of eleven bins
};
using Measures = std::array<std::int64_t, static_cast<std::size_t>(Measure::bins) +  //
                                              model::Totals::kBins>;

// A value in a key: a string or a number. A day is the number of days since 1970.
struct KeyPart {
  std::int64_t number = 0;
  std::string text = {};

  auto operator<=>(const KeyPart&) const = default;
};
using Key = boost::container::static_vector<KeyPart, 5>;  // avoids the heap in scans

// The amounts that one vote, aggregate or activity pair adds to the rollups.
struct Contribution {
  enum Part : std::uint8_t { to_object = 1, to_user = 2, to_activity = 4 };

  unsigned parts = 0;  // a set of Part
  model::Object object = {};
  model::Category category = model::Category::binary;
  base::Day day = kNeverActive;
  base::Day previous_day = kNeverActive;
  std::uint64_t user_id = 0;
  std::uint8_t slot = 0;
  Measures measures{};

  [[nodiscard]] std::int64_t& operator[](Measure measure) {
    return measures[static_cast<std::size_t>(measure)];
  }
};

// Returns the amounts that a vote or an aggregate adds to the rollups (sign +1) or subtracts from
// them (sign -1). A withdrawn vote does not change the times of the first and last vote. "first_at"
// is the time of the voter's first vote with this key. "first_at" has no effect if the rating is
// older.
[[nodiscard]] Contribution contribution_of(const model::RatingKey& key,
                                           const model::OwnRating& rating,
                                           const base::ZoneHistory& zones, std::int64_t sign,
                                           base::Time first_at = base::Time::max());
[[nodiscard]] Contribution contribution_of(const Aggregate& aggregate, std::int64_t sign);
// Returns a contribution that only raises the totals' version.
[[nodiscard]] Contribution contribution_of_change(const model::Object& object,
                                                  model::Category category);
// Returns the contribution for "count" voters who were active on "day" and whose previous active
// day is "previous_day".
[[nodiscard]] Contribution contribution_of_pair(base::Day day, base::Day previous_day,
                                                std::int64_t count);

// The declaration of a rollup. It is immutable.
class Rollup {
 public:
  // Rows in a rollup, or changes to these rows.
  using Rows = std::map<Key, Measures>;

  // In "measures", "bins" stands for all eleven bins.
  Rollup(std::string_view table, Contribution::Part part, std::vector<KeyColumn> key,
         const std::vector<Measure>& measures);

  // Returns the table's name without {prefix}ratingd_.
  [[nodiscard]] const std::string& table() const { return table_; }
  [[nodiscard]] const std::vector<KeyColumn>& key() const { return key_; }
  // Returns the key columns, followed by the columns for the measures.
  [[nodiscard]] const std::string& columns() const { return columns_; }
  [[nodiscard]] bool has(Measure measure) const;
  [[nodiscard]] bool counts(const Contribution& contribution) const {
    return (contribution.parts & part_) != 0;
  }
  [[nodiscard]] Key key_of(const Contribution& contribution) const;

  // If the contribution belongs to this rollup, adds it to the contribution's row.
  void add(const Contribution& contribution, Rows& rows) const;
  // Returns the key and the measures from a table row. Here, copies of a row for different writers
  // have the same key, because the slot is set to 0.
  [[nodiscard]] std::pair<Key, Measures> row_in(const db::Rows& row) const;
  // Adds a row. Sums are added modulo 2^64. So if the sum in a row is damaged, adding a
  // difference() results in the right sum, no matter how large the damaged sum is.
  void add(Key key, const Measures& more, Rows& rows) const;
  // Returns the measures that must be added to the row "stored" so that its sums equal the sums in
  // "counted". The timestamps in the result come from "counted".
  [[nodiscard]] Measures difference(const Measures& counted, const Measures& stored) const;

  // Locks and changes the table's rows, in key order.
  void write(db::Connection& connection, const Rows& rows) const;

  // read() returns the rows with the keys in "rows", in all slots. replace() deletes these rows and
  // writes "rows" in their place. REQUIRES for replace(): the transaction has called
  // lock_exclusive() (rollups/rollup_state.h).
  [[nodiscard]] Rows read(db::Connection& connection, const Rows& rows) const;
  void replace(db::Connection& connection, const Rows& rows) const;

  // Returns the columns for the measures. In rows, they come after the key columns.
  [[nodiscard]] std::string measure_columns() const;
  // Returns the measures that are sums, which must match the votes and aggregates.
  [[nodiscard]] std::vector<std::int64_t> sums_in(const Measures& measures) const;

 private:
  void bind_key(db::Statement& statement, const Key& key) const;

  const std::string table_;
  const Contribution::Part part_;
  const std::vector<KeyColumn> key_;
  std::vector<std::size_t> measures_;
  std::string columns_;
  std::string of_key_;   // the condition that selects the rows with a key, in all slots
  std::string marks_;    // the parameters of this condition
  std::string changes_;  // the assignments for an existing row
};

// Returns all rollups, in the order in which a transaction locks them. The rows of the first
// rollups belong to a writer's slot, so no other writer locks these rows. The objects' rows come
// later, because other writers wait for them until the commit.
[[nodiscard]] const std::vector<Rollup>& all_rollups();
// Returns the rollup with the objects' totals.
[[nodiscard]] const Rollup& totals_rollup();
// Returns the table of aggregates. This table has the same columns as a rollup. But it is not a
// rollup, because nothing is added to its rows.
[[nodiscard]] const Rollup& aggregates_table();

// Functions for keys in SQL. first_key() returns a key that comes before all other keys.
[[nodiscard]] Key first_key(const std::vector<KeyColumn>& columns);
[[nodiscard]] std::vector<std::string> names_of(const std::vector<KeyColumn>& columns);
[[nodiscard]] Key key_in(const db::Rows& row, const std::vector<KeyColumn>& columns);
void bind(db::Statement& statement, KeyColumn column, const KeyPart& part);
// Returns the key as a string that people can read.
[[nodiscard]] std::string to_text(const std::vector<KeyColumn>& columns, const Key& key);

}  // namespace rollups
