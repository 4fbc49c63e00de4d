#pragma once

#include <array>
#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/zone_history.h"
#include "db/bulk_statement.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/aggregate.h"

namespace rollups {

// DESIGN. A rollup is a table of sums over all counted votes and aggregates. all_rollups() declares
// each of them once: its table, the columns of its key, and the measures that it sums. What a vote
// or an aggregate contributes to a measure is computed by contribution_of(), and nowhere else. From
// these two follow
//   - what a transaction adds or takes away (rollups/rollup_changes.h), be it a batch of votes, an
//     import, a deletion, the retention, or the holding of votes,
//   - what verification compares with the tables (rollups/verification.h),
//   - what a repair writes (rollups/repair.h).
// A new rollup is one more declaration, and a migration that makes its table. Its key has a day, or
// begins with a user: verification compares the rows of one day, or of a range of users, at a time.
// Only totals are compared by object, in the order of the votes.
//
// Older names remain where programs of two versions meet: aggregates are the table
// ratingd_balances, "balance" in exports and "balances" in answers; activity pairs are the table
// ratingd_reach; materialized lists are the tables ratingd_kept_lists and ratingd_kept_periods;
// votes that were aggregated are "folded" in answers.

// The earliest day that the database can store; means "never".
inline constexpr base::Day kNeverActive = std::chrono::year(1000) / std::chrono::January / 1;

// Columns of keys.
enum class KeyColumn : std::uint8_t {
  object_id,
  object_type,
  category,
  day,
  previous_day,  // of an activity pair
  user_id,
  voter,
  source,  // of an aggregate
  slot,    // the writer's copy of a row that every vote changes
};

// What is summed. Times are microseconds since 1970; they take the least or greatest value instead.
enum class Measure : std::uint8_t {
  total,
  sum,
  positive,
  negative,
  voters,           // with an activity pair
  version,          // grows with each change
  first_event_at,   // of a vote, whether it counts or not
  last_event_at,    // the same
  last_counted_at,  // of what counts
  bins,             // the first of eleven
};
using Measures = std::array<std::int64_t, static_cast<std::size_t>(Measure::bins) +  //
                                              model::Totals::kBins>;

// A value of a key: a text, or a number (of a day, since 1970).
struct KeyPart {
  std::int64_t number = 0;
  std::string text = {};

  auto operator<=>(const KeyPart&) const = default;
};
using Key = boost::container::static_vector<KeyPart, 5>;  // each row of a scan makes one

// What one vote, aggregate or activity pair adds to the rollups.
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

// What is added (sign +1) or taken away (-1) with a vote, or an aggregate. A vote that is taken
// away leaves the times of its events. The first one was "first_at", unless the rating is older.
[[nodiscard]] Contribution contribution_of(const model::RatingKey& key,
                                           const model::OwnRating& rating,
                                           const base::ZoneHistory& zones, std::int64_t sign,
                                           base::Time first_at = base::Time::max());
[[nodiscard]] Contribution contribution_of(const Aggregate& aggregate, std::int64_t sign);
// A change of nothing but versions.
[[nodiscard]] Contribution contribution_of_change(const model::Object& object,
                                                  model::Category category);
// "count" voters who were active on "day" and, the last time before, on "previous_day".
[[nodiscard]] Contribution contribution_of_pair(base::Day day, base::Day previous_day,
                                                std::int64_t count);

// A declaration. A value that never changes.
class Rollup {
 public:
  // The rows of a rollup, or changes of them.
  using Rows = std::map<Key, Measures>;

  // "measures": "bins" stands for all eleven of them.
  Rollup(std::string_view table, Contribution::Part part, std::vector<KeyColumn> key,
         const std::vector<Measure>& measures);

  // The name after {prefix}ratingd_.
  [[nodiscard]] const std::string& table() const { return table_; }
  [[nodiscard]] const std::vector<KeyColumn>& key() const { return key_; }
  // Those of the key, then those of the measures.
  [[nodiscard]] const std::string& columns() const { return columns_; }
  [[nodiscard]] bool has(Measure measure) const;
  [[nodiscard]] bool counts(const Contribution& contribution) const {
    return (contribution.parts & part_) != 0;
  }
  [[nodiscard]] Key key_of(const Contribution& contribution) const;

  // Adds a contribution to the row that it belongs to, if it belongs into this rollup.
  void add(const Contribution& contribution, Rows& rows) const;
  // A row of the table. The slots of writers do not matter: the slot is 0.
  [[nodiscard]] std::pair<Key, Measures> row_in(const db::Rows& row) const;
  // Adds a row. Sums are added modulo 2^64, so adding a difference() to a damaged sum of any size
  // gives the right sum.
  void add(Key key, const Measures& more, Rows& rows) const;
  // Returns the measures that must be added to the row "stored" so that its sums become the sums of
  // "counted". The times are the times of "counted".
  [[nodiscard]] Measures difference(const Measures& counted, const Measures& stored) const;

  // Locks and changes the rows of the table, in key order.
  void write(db::Connection& connection, const Rows& rows) const;

  // read() returns the rows with the keys of "rows" in all slots. replace() deletes these rows, and
  // writes "rows" in their place. REQUIRES for replace(): lock_exclusive()
  // (rollups/rollup_state.h).
  [[nodiscard]] Rows read(db::Connection& connection, const Rows& rows) const;
  void replace(db::Connection& connection, const Rows& rows) const;

  // The columns of the measures, which come after those of the key in rows.
  [[nodiscard]] std::string measure_columns() const;
  // The sums among the measures, which must match those of votes and aggregates.
  [[nodiscard]] std::vector<std::int64_t> sums_in(const Measures& measures) const;

 private:
  void bind_key(db::Statement& statement, const Key& key) const;

  const std::string table_;
  const Contribution::Part part_;
  const std::vector<KeyColumn> key_;
  std::vector<std::size_t> measures_;
  std::string columns_;
  std::string of_key_;   // the condition of a row, whatever its slot is
  std::string marks_;    // their parameters
  std::string changes_;  // of a row that exists already
};

// All of them, in the order in which a transaction locks them: first those whose rows belong to a
// writer's slot, which no other writer locks; then the rows of objects, which other writers wait
// for until the commit.
[[nodiscard]] const std::vector<Rollup>& all_rollups();
// The one of the totals of objects.
[[nodiscard]] const Rollup& totals_rollup();
// The table of aggregates, which has the shape of a rollup; nothing is added to its rows.
[[nodiscard]] const Rollup& aggregates_table();

// Keys in SQL. The first key comes before all others.
[[nodiscard]] Key first_key(const std::vector<KeyColumn>& columns);
[[nodiscard]] std::vector<std::string> names_of(const std::vector<KeyColumn>& columns);
[[nodiscard]] Key key_in(const db::Rows& row, const std::vector<KeyColumn>& columns);
void bind(db::Statement& statement, KeyColumn column, const KeyPart& part);
// For people.
[[nodiscard]] std::string to_text(const std::vector<KeyColumn>& columns, const Key& key);

}  // namespace rollups
