#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "db/bulk_statement.h"
#include "db/connection.h"
#include "model/rating.h"
#include "rollups/aggregate.h"
#include "rollups/rollup_changes.h"
#include "rollups/writers.h"
#include "store/rating_key_sql.h"
#include "votes/suspicion.h"

namespace transfer {

// Chooses how many rows a bulk operation processes in its next transaction (a "slice"). Each slice
// should take approximately the target time, because a vote may have to wait until the slice ends.
// Larger slices are more efficient, because each row of sums is updated only once per slice. If a
// slice conflicts with other transactions, later slices are smaller. In a database cluster, a slice
// may be rolled back because another node commits a vote during the slice. The class is not
// thread-safe.
class Slices {
 public:
  static constexpr std::chrono::milliseconds kTargetTime{40};
  // Operations that add or delete ratings lock the sums only at the end of a slice, so their target
  // times are longer than kTargetTime: kTargetTimeOfRatings while votes arrive, and
  // kTargetTimeAlone while no votes arrive. In a database cluster, the target time is always
  // kTargetTime, because all votes wait until the slice ends (rollups/writers.h).
  static constexpr std::chrono::milliseconds kTargetTimeOfRatings{80}, kTargetTimeAlone{400};
  static constexpr std::size_t kLeast = 64, kFirst = 256, kMost = 8192;

  Slices() = default;
  // Returns a Slices object with the target times for operations that add or delete ratings.
  // "connection" must outlive the result.
  [[nodiscard]] static Slices of_ratings(db::Connection& connection) {
    Slices slices;
    if (!connection.is_multi_primary()) slices.votes_of_ = &connection;
    return slices;
  }

  [[nodiscard]] std::size_t rows() const { return rows_; }

  // Calls "work" and chooses the size of the next slice based on the duration of the call. "work"
  // must process "rows" rows in one transaction. Returns the result of "work".
  template <typename Work>
  auto run(std::size_t rows, const Work& work) {
    const base::Stopwatch stopwatch;
    auto result = work();
    adapt(rows, stopwatch.elapsed_exactly());
    return result;
  }

  // Calls "work" with the number of rows that the slice should contain. After a conflict, calls
  // "work" again with a smaller number. Throws db::Conflict if even a slice with one row conflicts.
  // Other exceptions thrown by "work" propagate to the caller.
  template <typename Work>
  auto run(const Work& work) {
    for (;;) {
      const std::size_t rows = rows_;
      try {
        return run(rows, [&] { return work(rows); });
      } catch (const db::Conflict&) {
        if (rows == 1) throw;
      }
      rows_ = rows / 2;
    }
  }

  void adapt(std::size_t rows, std::chrono::nanoseconds elapsed) {
    if (votes_of_ != nullptr) look_for_votes();
    const auto fitting =
        static_cast<std::size_t>(static_cast<double>(rows) *
                                 static_cast<double>(target_time_ / std::chrono::nanoseconds(1)) /
                                 static_cast<double>(std::max<std::int64_t>(elapsed.count(), 1)));
    rows_ = std::clamp(std::min(fitting, 2 * rows_), std::min(kLeast, 2 * rows_), kMost);
  }

 private:
  using WriterRows = std::map<std::uint64_t, rollups::WriterRow>;

  // Chooses a shorter target time if a vote writer has committed votes since the last slice.
  void look_for_votes() {
    WriterRows writers = rollups::read_writer_rows(*votes_of_);
    writers.erase(0);
    target_time_ = writers == writers_ ? kTargetTimeAlone : kTargetTimeOfRatings;
    writers_ = std::move(writers);
  }

  db::Connection* votes_of_ = nullptr;
  WriterRows writers_ = {};  // the vote writers' rows after the last slice
  std::chrono::milliseconds target_time_ = kTargetTime;
  std::size_t rows_ = kFirst;
};

// Calls "work" with all rows. If "work" throws db::Conflict, calls itself with the first half of
// the rows and then with the second half. Throws db::Conflict if even a call with a single row
// conflicts. The rows before the conflicting row remain processed. Other exceptions thrown by
// "work" propagate to the caller.
template <typename Row, typename Work>
void in_parts(std::span<Row> rows, const Work& work) {
  try {
    return work(rows);
  } catch (const db::Conflict&) {
    if (rows.size() < 2) throw;
  }
  const std::size_t middle = rows.size() / 2;
  in_parts(rows.first(middle), work);
  in_parts(rows.subspan(middle), work);
}

// A stored rating with its reason and visitor.
struct StoredRating {
  struct Hold {  // set if the rating is held and therefore not counted
    votes::Reasons reasons = 0;
    base::Time held_at;
    bool operator==(const Hold&) const = default;
  };
  model::RatingKey key;
  model::Thousandths value = 0;  // the value, which is valid in its category
  base::Time created_at;         // not after rated_at
  base::Time rated_at;
  std::optional<Hold> hold;
  std::string address;  // as stored in the votes table, up to 17 bytes
  std::optional<model::FrontEndVisitor> visitor = {};  // the visitor of a front end who is the
                                                       // anonymous voter
  std::string reason = {};                             // the voter's reason, or empty if the rating
                                                       // has no reason

  bool operator==(const StoredRating&) const = default;
};

// Rollup rows that change with every vote have several copies, each identified by a slot number
// (votes/batch_store.h). Bulk operations use the slot kBulkSlot. No vote writer uses kBulkSlot, so
// votes do not wait for rows changed by bulk operations.
inline constexpr std::uint8_t kBulkSlot = 255;

// DESIGN. Bulk operations change many past ratings while votes arrive. Bulk operations are merges
// (transfer/rating_merge.h), removals (transfer/rating_removal.h), and the aggregation of old votes
// (transfer/retention.h). Each call is one transaction with at most kRatingsAtOnce rows, so that
// votes never wait long. After a conflict with another transaction, the call is split into several
// transactions. Bulk operations lock votes in the same order as a batch of votes
// (votes/vote_batch.h), and then lock aggregates. Bulk operations also update all rollups. Bulk
// operations neither apply the voting rules nor hold suspicious ratings.
//
// The classes for bulk operations are not thread-safe. A failed call can safely be repeated:
// changes committed before the error are kept. All functions throw the same exceptions as
// db::Connection. Throws db::Conflict only after several attempts, and db::BadData if a value does
// not fit in its column.
inline constexpr std::size_t kRatingsAtOnce = Slices::kMost;
inline constexpr int kAttemptsOfPart = 4;  // the number of attempts for each part of a divided call
                                           // (in_parts())

// Locks and changes rows for bulk operations. All functions must be called in a transaction. The
// class is not thread-safe. Throws the same exceptions as db::Connection.
class BulkRows {
 public:
  struct Row {  // a row in the votes table
    model::Thousandths value = 0;
    base::Time created_at, rated_at;
    bool is_held = false;
  };
  using Votes = std::map<model::RatingKey, Row>;
  using Voters = std::set<model::VoterId>;
  using Aggregates = std::map<rollups::Aggregate::Key, model::Totals>;
  using AggregateKeys = std::set<rollups::Aggregate::Key>;

  // "connection" must outlive this object.
  explicit BulkRows(db::Connection& connection) : connection_(connection) {}

  // Locks the rollup state and the rows of "voters", and reads the voters' last active days.
  [[nodiscard]] rollups::RollupChanges lock(const Voters& voters) const;

  // Locks and returns the stored votes with the keys in "keys". The row_in() function converts a
  // result row of the kLockVotes statement.
  [[nodiscard]] Votes lock_votes(const std::set<model::RatingKey>& keys) const;
  [[nodiscard]] static Row row_in(const db::Rows& row);
  // Deletes the given votes and returns the number of deleted rows.
  std::uint64_t delete_votes(const Votes& votes) const;
  void delete_holds(const Votes& votes) const;
  // Returns the voters in "voters" who have neither counted nor held votes.
  [[nodiscard]] Voters voters_without_votes(const Voters& voters) const;
  // Deletes the rows of "voters" from the ratingd_visitors table. The voters must be locked and
  // must not have any votes.
  void delete_visitors(const Voters& voters) const;

  // Returns the stored aggregates with the keys in "keys", without locking them.
  [[nodiscard]] Aggregates find_aggregates(const AggregateKeys& keys) const;
  // Locks and returns the aggregates with the keys in "keys". If an aggregate is missing, first
  // inserts an aggregate without votes, because a missing row cannot be locked.
  [[nodiscard]] Aggregates lock_aggregates(const AggregateKeys& keys) const;
  void save_aggregates(const Aggregates& aggregates) const;
  void delete_aggregates(const Aggregates& aggregates) const;

 private:
  [[nodiscard]] Aggregates aggregates_of(const db::BulkStatement& statement,
                                         const AggregateKeys& keys) const;

  db::Connection& connection_;
};

// add_rating() adds one rating to "sums", and add_sums() adds the sums in "more" to "sums".
void add_rating(model::Totals& sums, model::Category category, model::Thousandths value,
                base::Time rated_at);
void add_sums(model::Totals& sums, const model::Totals& more);

// The SQL statements for bulk operations. Database servers process a list of rows, such as (a, b)
// IN ((1, 2), (3, 4)), twice as fast as an equivalent condition with AND and OR. In MariaDB, an
// UPDATE or simple DELETE statement with only one row in its IN list scans the whole table. A
// statement such as "DELETE t FROM votes AS t" avoids the scan and uses the index.

inline constexpr db::BulkStatement kLockVotes(
    {"SELECT object_id, object_type, category, voter, value, created_at, rated_at, held"
     " FROM {prefix}ratingd_votes FORCE INDEX (PRIMARY)"
     " WHERE (object_id, object_type, category, voter) IN (",
     "(?,?,?,?)", ",", ") FOR UPDATE"});
inline constexpr std::string_view kInsertVotesHead =
    "INSERT INTO {prefix}ratingd_votes (object_id, object_type, category, voter, value, held,"
    " created_at, rated_at, address) VALUES ";
inline constexpr db::BulkStatement kSaveVotes(
    {kInsertVotesHead, "(?,?,?,?,?,?,?,?,?)", ",",
     " ON DUPLICATE KEY UPDATE value = VALUES(value),"
     " created_at = LEAST(created_at, VALUES(created_at)), rated_at = VALUES(rated_at),"
     " address = VALUES(address)"});
inline constexpr db::BulkStatement kInsertVotes({kInsertVotesHead, "(?,?,?,?,?,?,?,?,?)", ",",
                                                 " ON DUPLICATE KEY UPDATE voter = VALUES(voter)"});
// The statement has an alias because only a DELETE statement with a table alias supports an index
// hint. Without the hint, the server chooses a different index, and the DELETE statement takes
// twice as long.
inline constexpr db::BulkStatement kDeleteVotes(
    {"DELETE votes FROM {prefix}ratingd_votes AS votes FORCE INDEX (PRIMARY)"
     " WHERE (object_id, object_type, category, voter) IN (",
     "(?,?,?,?)", ",", ")"});
inline constexpr db::BulkStatement kDeleteVotesOfVoters(
    {"DELETE votes FROM {prefix}ratingd_votes AS votes FORCE INDEX (by_voter) WHERE voter IN (",
     "?", ",", ")"});
inline constexpr db::BulkStatement kReadVotesOfVoters(
    {"SELECT object_id, object_type, category, voter, value, created_at, rated_at, held"
     " FROM {prefix}ratingd_votes FORCE INDEX (by_voter) WHERE voter IN (",
     "?", ",", ")"});
inline constexpr db::BulkStatement kFindVoters(
    {"SELECT DISTINCT voter FROM {prefix}ratingd_votes FORCE INDEX (by_voter) WHERE voter IN (",
     "?", ",", ")"});
inline constexpr db::BulkStatement kEraseAddresses(
    {"UPDATE {prefix}ratingd_votes FORCE INDEX (PRIMARY) SET address = '', agent = 0 WHERE ",
     "(object_id = ? AND object_type = ? AND category = ? AND voter = ?"
     " AND rated_at < ? AND (address <> '' OR agent <> 0))",
     " OR ", ""});

inline constexpr std::string_view kInsertAggregatesHead =
    "INSERT INTO {prefix}ratingd_balances (object_id, object_type, category, day, source, sum,"
    " bin0, bin1, bin2, bin3, bin4, bin5, bin6, bin7, bin8, bin9, bin10, last_rated_at) VALUES ";
inline constexpr db::BulkStatement kMakeAggregates(
    {kInsertAggregatesHead, "(?,?,?,?,?,0,0,0,0,0,0,0,0,0,0,0,0,'1000-01-01')", ",",
     " ON DUPLICATE KEY UPDATE sum = sum"});
inline constexpr std::string_view kSelectAggregatesHead =
    "SELECT object_id, object_type, category, day, source, sum, bin0, bin1, bin2, bin3, bin4,"
    " bin5, bin6, bin7, bin8, bin9, bin10, last_rated_at FROM {prefix}ratingd_balances"
    " FORCE INDEX (PRIMARY) WHERE (object_id, object_type, category, day, source) IN (";
inline constexpr db::BulkStatement kFindAggregates({kSelectAggregatesHead, "(?,?,?,?,?)", ",",
                                                    ")"});
inline constexpr db::BulkStatement kLockAggregates({kSelectAggregatesHead, "(?,?,?,?,?)", ",",
                                                    ") FOR UPDATE"});
inline constexpr db::BulkStatement kSaveAggregates(
    {kInsertAggregatesHead, "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", ",",
     " ON DUPLICATE KEY UPDATE sum = VALUES(sum), bin0 = VALUES(bin0), bin1 = VALUES(bin1),"
     " bin2 = VALUES(bin2), bin3 = VALUES(bin3), bin4 = VALUES(bin4), bin5 = VALUES(bin5),"
     " bin6 = VALUES(bin6), bin7 = VALUES(bin7), bin8 = VALUES(bin8), bin9 = VALUES(bin9),"
     " bin10 = VALUES(bin10), last_rated_at = VALUES(last_rated_at)"});
inline constexpr db::BulkStatement kDeleteAggregates(
    {"DELETE sums FROM {prefix}ratingd_balances AS sums FORCE INDEX (PRIMARY)"
     " WHERE (object_id, object_type, category, day, source) IN (",
     "(?,?,?,?,?)", ",", ")"});

}  // namespace transfer
