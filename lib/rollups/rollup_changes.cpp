#include "rollups/rollup_changes.h"

#include <algorithm>

#include "db/bulk_statement.h"
#include "db/transaction.h"
#include "rollups/table_scan.h"
#include "store/rating_key_sql.h"

namespace rollups {
namespace {

using model::RatingKey;
using model::VoterId;

constexpr std::int64_t kEmptyAtOnce = 1000;  // rows that are deleted in one transaction

void delete_from(db::Connection& connection, const std::string& table, const char* column,
                 const auto& voters) {
  if (voters.empty()) return;
  const std::string head = "DELETE FROM " + table + " WHERE " + column + " IN (";
  db::BulkStatement({head, "?", ",", ")"}).execute(connection, voters);
}

constexpr db::BulkStatement kSaveLastDays(
    {"INSERT INTO {prefix}ratingd_voters (voter, last_day) VALUES ", "(?,?)", ",",
     " ON DUPLICATE KEY UPDATE ratings = CASE WHEN last_day = VALUES(last_day) THEN ratings"
     " ELSE 0 END, last_day = VALUES(last_day)"});

constexpr db::BulkStatement kLookUpLastRatedAt(
    {"UPDATE {prefix}ratingd_totals AS changed FORCE INDEX (PRIMARY) SET last_rated_at = GREATEST("
     "COALESCE((SELECT voted.rated_at FROM {prefix}ratingd_votes AS voted"
     " FORCE INDEX (by_object) WHERE voted.object_id = changed.object_id"
     " AND voted.object_type = changed.object_type AND voted.category = changed.category"
     " AND voted.held = 0 ORDER BY voted.rated_at DESC LIMIT 1),"
     " CAST('1000-01-01' AS DATETIME(6))), "
     "COALESCE((SELECT MAX(summed.last_rated_at) FROM {prefix}ratingd_balances AS summed"
     " WHERE summed.object_id = changed.object_id"
     " AND summed.object_type = changed.object_type AND summed.category = changed.category),"
     " CAST('1000-01-01' AS DATETIME(6)))) WHERE ",
     "(object_id = ? AND object_type = ? AND category = ? AND last_rated_at <= ?)", " OR ", ""});

}  // namespace

void look_up_last_rated_at(db::Connection& connection, const WithdrawnTimes& withdrawn) {
  kLookUpLastRatedAt.execute(connection, withdrawn, [](db::Statement& statement, const auto& row) {
    const auto& [key, rated_at] = row;
    statement.bind(key.object.id, key.object.type, key.category, rated_at);
  });
}

void RollupChanges::add(const RatingKey& key, const model::OwnRating& rating, base::Time first_at) {
  count(key, rating, first_at, +1);
}

void RollupChanges::withdraw(const RatingKey& key, const model::OwnRating& rating) {
  subtract(key, rating);
  note_withdrawal(key.object, key.category, rating.rated_at);
}

void RollupChanges::add(const Aggregate& aggregate) { count(contribution_of(aggregate, +1)); }

void RollupChanges::withdraw(const Aggregate& aggregate) {
  count(contribution_of(aggregate, -1));
  if (aggregate.sums.last_rated_at) {
    note_withdrawal(aggregate.key.object, aggregate.key.category, *aggregate.sums.last_rated_at);
  }
}

void RollupChanges::note_withdrawal(const model::Object& object, model::Category category,
                                    base::Time rated_at) {
  base::Time& newest = withdrawn_[{object, category}];
  newest = std::max(newest, rated_at);
}

void RollupChanges::add_part(Contribution::Part part, const RatingKey& key,
                             const model::OwnRating& rating, base::Time first_at) {
  Contribution contribution = contribution_of(key, rating, zones_, +1, first_at);
  contribution.parts &= part;
  count(std::move(contribution));
}

void RollupChanges::count(const RatingKey& key, const model::OwnRating& rating, base::Time first_at,
                          std::int64_t sign) {
  count(contribution_of(key, rating, zones_, sign, first_at));
}

void RollupChanges::count(Contribution contribution) {
  contribution.slot = slot_;
  for (std::size_t i = 0; i < rows_.size(); ++i) all_rollups()[i].add(contribution, rows_[i]);
}

bool RollupChanges::note_activity(VoterId voter, base::Day day) {
  const base::Day last = last_day(voter);
  if (day <= last) return false;
  add_activity_pair(day, last, +1);
  last_days_[voter] = day;
  return true;
}

void RollupChanges::replace_activity(VoterId voter, const Days& before, const Days& after) {
  // Skip the activity pairs at the beginning and the end that are the same in "before" and "after".
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t first = 0;
  while (first < shorter && before[first] == after[first]) ++first;
  std::size_t same = 0;
  while (first + same < shorter &&
         before[before.size() - 1 - same] == after[after.size() - 1 - same]) {
    ++same;
  }
  if (same > 0) --same;  // the pair that ends on the first unchanged day has changed
  count_activity_pairs(before, first, before.size() - same, -1);
  count_activity_pairs(after, first, after.size() - same, +1);
  const base::Day last_day = after.empty() ? kNeverActive : after.back();
  const auto [known, is_unknown] = last_days_.try_emplace(voter, last_day);
  if (is_unknown || known->second != last_day) replaced_.insert(voter);
  known->second = last_day;
}

void RollupChanges::remove_voter(VoterId voter, const Days& days) {
  removed_.insert(voter);
  count_activity_pairs(days, 0, days.size(), -1);
  last_days_[voter] = kNeverActive;
}

// Two successive active days of a voter form an activity pair. For the pairs whose later days are
// days[first] to days[end - 1], adds a voter if "sign" is +1, or removes a voter if "sign" is -1.
void RollupChanges::count_activity_pairs(const Days& days, std::size_t first, std::size_t end,
                                         std::int64_t sign) {
  for (std::size_t i = first; i < end; ++i) {
    add_activity_pair(days[i], i == 0 ? kNeverActive : days[i - 1], sign);
  }
}

// Adds "count" to the number of voters who were active on "day" and whose previous active day was
// "previous_day".
void RollupChanges::add_activity_pair(base::Day day, base::Day previous_day, std::int64_t count) {
  this->count(contribution_of_pair(day, previous_day, count));
}

void RollupChanges::write(db::Connection& connection) const {
  write_last_days(connection);
  delete_from(connection, "{prefix}ratingd_voters", "voter", removed_);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Rollup& rollup = all_rollups()[i];
    rollup.write(connection, rows_[i]);
    if (rollup.has(Measure::last_counted_at)) look_up_last_rated_at(connection, withdrawn_);
  }
  delete_users(connection, removed_);
}

void RollupChanges::write_last_days(db::Connection& connection) const {
  std::set<VoterId> changed = replaced_;
  for (const auto& [voter, day] : stored_days_) {
    if (last_days_.at(voter) == day) {
      changed.erase(voter);
    } else {
      changed.insert(voter);
    }
  }
  kSaveLastDays.execute(connection, changed, [&](db::Statement& statement, VoterId voter) {
    statement.bind(voter, last_days_.at(voter));
  });
}

void RollupChanges::delete_users(db::Connection& connection,
                                 const std::set<VoterId>& voters) const {
  const std::vector<VoterId> users(voters.begin(), voters.lower_bound(model::kAnonymousBit));
  delete_from(connection, "{prefix}ratingd_users", "user_id", users);
}

void delete_empty_days(db::Connection& connection) {
  using enum KeyColumn;
  const std::vector<KeyColumn> key = {day, user_id, category, object_type};
  // The index hint makes MySQL use the primary key even if the DELETE statement deletes only a
  // single row (transfer/bulk_rows.h).
  constexpr db::BulkStatement kRemove(
      {"DELETE days FROM {prefix}ratingd_user_daily AS days FORCE INDEX (PRIMARY)"
       " WHERE total = 0 AND sum = 0 AND (day, user_id, category, object_type) IN (",
       "(?,?,?,?)", ",", ")"});
  TableScan empty(connection, {"{prefix}ratingd_user_daily", key, "", "total = 0 AND sum = 0"},
                  kEmptyAtOnce);
  while (empty.next()) {
    std::vector<Key> keys = {empty.key()};
    while (std::ssize(keys) < kEmptyAtOnce && empty.next()) keys.push_back(empty.key());
    db::in_transaction(connection, [&] {
      kRemove.execute(connection, keys, [&](db::Statement& statement, const Key& row) {
        for (std::size_t i = 0; i < key.size(); ++i) bind(statement, key[i], row[i]);
      });
    });
  }
}

}  // namespace rollups
