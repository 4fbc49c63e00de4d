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

// DESIGN. A rollup is a table that contains sums of all counted votes and aggregates. The table,
// key columns and measures of each rollup are declared in all_rollups(). Only contribution_of()
// computes how a vote or an aggregate changes the measures. A transaction that writes, imports,
// deletes, aggregates or holds votes also updates the rollups (rollups/rollup_changes.h).
// Verification compares the rollups with the votes and aggregates (rollups/verification.h). A
// repair corrects the rollups (rollups/repair.h).
//
// To add a rollup, declare it in all_rollups() and write a migration that creates its table. The
// key of a new rollup must contain a day or begin with a user, because verification compares the
// rows for one day or for a range of users at a time. The only exception is the totals rollup,
// which verification compares object by object.
//
// The database, exports and responses still use older names, so that different versions can work
// together. Aggregates are called "balance" in exports, "balances" in responses, and
// ratingd_balances in the database. Activity pairs are stored in the ratingd_reach table.
// Materialized lists are stored in the ratingd_kept_lists and ratingd_kept_periods tables. Votes
// that have become part of an aggregate are called "folded" in responses.

// The earliest day that the database can store. It represents "never".
inline constexpr base::Day kNeverActive = std::chrono::year(1000) / std::chrono::January / 1;

// The columns that the key of a rollup may contain.
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

// The columns of a rollup that are not part of its key. A measure is a sum, or an earliest or
// latest time in microseconds since 1970.
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

// One column of a key, which contains a string or a number. A day is represented by the number of
// days since 1970.
struct KeyPart {
  std::int64_t number = 0;
  std::string text = {};

  auto operator<=>(const KeyPart&) const = default;
};
using Key = boost::container::static_vector<KeyPart, 5>;  // avoids the heap in scans

// The amounts that one vote, one aggregate or one activity pair adds to the rollups.
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

// Returns the amounts that a vote or an aggregate adds to the rollups if "sign" is +1, or subtracts
// if "sign" is -1. If a vote is withdrawn, the stored times of the first and last vote do not
// change. "first_at" is the time of the voter's first vote with the key "key", and is ignored if
// "rating.rated_at" is earlier.
[[nodiscard]] Contribution contribution_of(const model::RatingKey& key,
                                           const model::OwnRating& rating,
                                           const base::ZoneHistory& zones, std::int64_t sign,
                                           base::Time first_at = base::Time::max());
[[nodiscard]] Contribution contribution_of(const Aggregate& aggregate, std::int64_t sign);
// Returns a contribution that increases the version of an object's totals but does not change any
// sum.
[[nodiscard]] Contribution contribution_of_change(const model::Object& object,
                                                  model::Category category);
// Returns a contribution for "count" voters who were active on "day" and whose previous active day
// was "previous_day".
[[nodiscard]] Contribution contribution_of_pair(base::Day day, base::Day previous_day,
                                                std::int64_t count);

// An immutable description of a rollup table.
class Rollup {
 public:
  // The rows of a rollup, or the changes to these rows.
  using Rows = std::map<Key, Measures>;

  // In the "measures" argument, Measure::bins stands for all eleven bins.
  Rollup(std::string_view table, Contribution::Part part, std::vector<KeyColumn> key,
         const std::vector<Measure>& measures);

  [[nodiscard]] const std::string& table() const { return table_; }
  [[nodiscard]] const std::vector<KeyColumn>& key() const { return key_; }
  // Returns the names of the key columns, followed by the names of the measure columns.
  [[nodiscard]] const std::string& columns() const { return columns_; }
  [[nodiscard]] bool has(Measure measure) const;
  [[nodiscard]] bool counts(const Contribution& contribution) const {
    return (contribution.parts & part_) != 0;
  }
  [[nodiscard]] Key key_of(const Contribution& contribution) const;

  // If "contribution" affects this rollup, adds its measures to the matching row in "rows".
  void add(const Contribution& contribution, Rows& rows) const;
  // Reads the key and the measures from a row in the table. Sets the slot in the key to 0, so that
  // rows whose keys differ only in the slot are summed.
  [[nodiscard]] std::pair<Key, Measures> row_in(const db::Rows& row) const;
  // Adds the measures "more" to the row with the key "key" in "rows". Sums are added modulo 2^64.
  // Because sums wrap around, adding the result of difference() corrects a damaged sum even on
  // overflow.
  void add(Key key, const Measures& more, Rows& rows) const;
  // Returns the measures to add to the row "stored" so that its sums become equal to the sums in
  // "counted". The times in the result are copied from "counted".
  [[nodiscard]] Measures difference(const Measures& counted, const Measures& stored) const;

  // Writes the changes, and therefore locks the rows, in key order.
  void write(db::Connection& connection, const Rows& rows) const;

  // read() returns the stored rows whose keys appear in "rows", summed over all slots. replace()
  // deletes the stored rows whose keys appear in "rows", and then inserts "rows". A transaction
  // that calls replace() must first call lock_exclusive() (rollups/rollup_state.h).
  [[nodiscard]] Rows read(db::Connection& connection, const Rows& rows) const;
  void replace(db::Connection& connection, const Rows& rows) const;

  // Returns the names of the measure columns, which follow the key columns in each row.
  [[nodiscard]] std::string measure_columns() const;
  // Returns the measures that verification compares with the sums of votes and aggregates.
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

// Returns all rollups, in the order in which a transaction must lock their rows. Rollups with a
// separate row for each slot come first, because writers with different slots do not wait for each
// other. Rollups without slots come last, because their row locks block other writers for the same
// object or user until the commit.
[[nodiscard]] const std::vector<Rollup>& all_rollups();
// Returns the rollup that contains each object's totals.
[[nodiscard]] const Rollup& totals_rollup();
// Describes the aggregates table. The table is not a rollup but has the same kinds of columns.
[[nodiscard]] const Rollup& aggregates_table();

// The following functions read keys from SQL results and write keys to SQL statements. The key
// returned by first_key() is less than any key in the table.
[[nodiscard]] Key first_key(const std::vector<KeyColumn>& columns);
[[nodiscard]] std::vector<std::string> names_of(const std::vector<KeyColumn>& columns);
[[nodiscard]] Key key_in(const db::Rows& row, const std::vector<KeyColumn>& columns);
void bind(db::Statement& statement, KeyColumn column, const KeyPart& part);
// Formats the key as human-readable text.
[[nodiscard]] std::string to_text(const std::vector<KeyColumn>& columns, const Key& key);

}  // namespace rollups
