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

// DESIGN. A rollup is a table with sums of all counted votes and aggregates. The function
// all_rollups() declares the table, the key columns and the measures of each rollup. Only the
// function contribution_of() computes the amounts that a vote or an aggregate adds to the measures.
// A transaction changes the rollups when it writes, imports, deletes, aggregates or holds votes
// (rollups/rollup_changes.h). Verification compares the rollups with the votes and aggregates
// (rollups/verification.h). A repair corrects the rollups (rollups/repair.h).
//
// To add a rollup, declare the rollup in all_rollups() and write a migration that creates the
// table. The key of the rollup must contain a day or begin with a user, because verification
// compares the rows for one day or for a range of users at a time. Only totals are compared object
// by object.
//
// Interfaces with other program versions still use older names. Aggregates are called "balance" in
// exports, "balances" in responses, and ratingd_balances in the database. Activity pairs are stored
// in the table ratingd_reach. Materialized lists are stored in the tables ratingd_kept_lists and
// ratingd_kept_periods. Votes that were aggregated are called "folded" in responses.

// The earliest day that the database can store, which represents "never".
inline constexpr base::Day kNeverActive = std::chrono::year(1000) / std::chrono::January / 1;

// The columns that may be part of a key.
enum class KeyColumn : std::uint8_t {
  object_id,
  object_type,
  category,
  day,
  previous_day,  // in activity pairs
  user_id,
  voter,
  source,  // in aggregates
  slot,    // the copy of a row that every vote changes; each writer uses one copy
};

// The columns that are not part of a key. Most of these columns are sums. The other columns store
// the earliest or the latest of the added timestamps, in microseconds since 1970.
enum class Measure : std::uint8_t {
  total,
  sum,
  positive,
  negative,
  voters,           // the number of voters in an activity pair
  version,          // increases with each change
  first_event_at,   // the time of the first vote, even if the vote does not count
  last_event_at,    // the time of the last vote, even if the vote does not count
  last_counted_at,  // the time of the last vote that counts
  bins,             // the first of eleven bins
};
using Measures = std::array<std::int64_t, static_cast<std::size_t>(Measure::bins) +  //
                                              model::Totals::kBins>;

// A string or a number in a key. A day is represented by the number of days since 1970.
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

// Returns the amounts that a vote or an aggregate adds to the rollups (if "sign" is +1) or
// subtracts from the rollups (if "sign" is -1). A withdrawn vote does not change the times of the
// first and last vote. "first_at" is the time of the voter's first vote with the key and has no
// effect if the rating is older.
[[nodiscard]] Contribution contribution_of(const model::RatingKey& key,
                                           const model::OwnRating& rating,
                                           const base::ZoneHistory& zones, std::int64_t sign,
                                           base::Time first_at = base::Time::max());
[[nodiscard]] Contribution contribution_of(const Aggregate& aggregate, std::int64_t sign);
// Returns a contribution that increases the version of the totals and changes nothing else.
[[nodiscard]] Contribution contribution_of_change(const model::Object& object,
                                                  model::Category category);
// Returns the contribution for "count" voters who were active on "day" and whose previous active
// day is "previous_day".
[[nodiscard]] Contribution contribution_of_pair(base::Day day, base::Day previous_day,
                                                std::int64_t count);

// The immutable declaration of a rollup.
class Rollup {
 public:
  // Rows in a rollup, or changes to these rows.
  using Rows = std::map<Key, Measures>;

  // In the list "measures", the value "bins" represents all eleven bins.
  Rollup(std::string_view table, Contribution::Part part, std::vector<KeyColumn> key,
         const std::vector<Measure>& measures);

  // Returns the table's name without the prefix "{prefix}ratingd_".
  [[nodiscard]] const std::string& table() const { return table_; }
  [[nodiscard]] const std::vector<KeyColumn>& key() const { return key_; }
  // Returns the key columns, followed by the columns for the measures.
  [[nodiscard]] const std::string& columns() const { return columns_; }
  [[nodiscard]] bool has(Measure measure) const;
  [[nodiscard]] bool counts(const Contribution& contribution) const {
    return (contribution.parts & part_) != 0;
  }
  [[nodiscard]] Key key_of(const Contribution& contribution) const;

  // If the contribution affects this rollup, adds the contribution to its row in "rows".
  void add(const Contribution& contribution, Rows& rows) const;
  // Returns the key and the measures from a table row. Sets the slot to 0, so the copies of a row
  // for different writers have the same key.
  [[nodiscard]] std::pair<Key, Measures> row_in(const db::Rows& row) const;
  // Adds the measures of a row to "rows". Sums are added modulo 2^64. So adding the result of
  // difference() corrects even a very large damaged sum.
  void add(Key key, const Measures& more, Rows& rows) const;
  // Returns the measures that must be added to the row "stored" so that the sums in this row equal
  // the sums in "counted". The result contains the timestamps from "counted".
  [[nodiscard]] Measures difference(const Measures& counted, const Measures& stored) const;

  // Locks and changes rows in the table, in key order.
  void write(db::Connection& connection, const Rows& rows) const;

  // The function read() returns the table rows that have the keys in "rows", from all slots. The
  // function replace() replaces these table rows with "rows". A transaction that calls replace()
  // must have called lock_exclusive() before (rollups/rollup_state.h).
  [[nodiscard]] Rows read(db::Connection& connection, const Rows& rows) const;
  void replace(db::Connection& connection, const Rows& rows) const;

  // Returns the columns for the measures, which follow the key columns in each row.
  [[nodiscard]] std::string measure_columns() const;
  // Returns the measures that must match the sums of votes and aggregates.
  [[nodiscard]] std::vector<std::int64_t> sums_in(const Measures& measures) const;

 private:
  void bind_key(db::Statement& statement, const Key& key) const;

  const std::string table_;
  const Contribution::Part part_;
  const std::vector<KeyColumn> key_;
  std::vector<std::size_t> measures_;
  std::string columns_;
  std::string of_key_;   // the condition that selects the rows with a key, in all slots
  std::string marks_;    // the parameters of the condition "of_key_"
  std::string changes_;  // the assignments for an existing row
};

// Returns all rollups, in the order in which a transaction locks their rows. The first rollups have
// separate rows for each slot, so writers with different slots do not wait for each other. Rows for
// objects are locked last, because other writers that need these rows must wait until the commit.
[[nodiscard]] const std::vector<Rollup>& all_rollups();
// Returns the rollup that contains the totals of objects.
[[nodiscard]] const Rollup& totals_rollup();
// Returns the table of aggregates. The table has the same columns as a rollup, but is not a rollup,
// because nothing is added to existing rows.
[[nodiscard]] const Rollup& aggregates_table();

// The following functions use keys in SQL. The function first_key() returns a key that is less than
// all other keys.
[[nodiscard]] Key first_key(const std::vector<KeyColumn>& columns);
[[nodiscard]] std::vector<std::string> names_of(const std::vector<KeyColumn>& columns);
[[nodiscard]] Key key_in(const db::Rows& row, const std::vector<KeyColumn>& columns);
void bind(db::Statement& statement, KeyColumn column, const KeyPart& part);
// Returns the key as a human-readable string.
[[nodiscard]] std::string to_text(const std::vector<KeyColumn>& columns, const Key& key);

}  // namespace rollups
