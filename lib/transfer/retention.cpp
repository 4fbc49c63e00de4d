#include "transfer/retention.h"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analytics/materialized_lists.h"
#include "base/timestamp.h"
#include "db/bulk_statement.h"
#include "db/transaction.h"
#include "rollups/rollup_state.h"
#include "store/named_values.h"
#include "store/rating_key_sql.h"
#include "store/reasons.h"
#include "transfer/bulk_rows.h"
#include "transfer/locks.h"
#include "transfer/rating_removal.h"

namespace transfer {
namespace {

constexpr std::string_view kProgressName = "addresses_erased_before";
constexpr std::int64_t kVotesOfSlice = 500;
constexpr std::chrono::minutes kAggregationLockTimeout{5};

// Returns the end time of the slice that begins at the time "from". Votes with the same timestamp
// are always in the same slice.
base::Time slice_end(db::Connection& connection, base::Time from, base::Time before) {
  db::Rows row = connection.query(
      "SELECT rated_at FROM {prefix}ratingd_votes FORCE INDEX (by_time) WHERE rated_at >= ?"
      " AND rated_at < ? ORDER BY rated_at LIMIT 1 OFFSET ?",
      from, before, kVotesOfSlice);
  if (!row.next()) return before;
  const base::Time end = row.time(1);
  return end > from ? end : from + std::chrono::microseconds(1);
}

}  // namespace

std::int64_t erase_old_addresses(db::Connection& connection, base::Time before) {
  const auto progress = store::read_value(connection, kProgressName);
  base::Time from = base::from_datetime(progress.value_or("")).value_or(base::Time());
  // The stored progress is the time up to which addresses have been erased. If the retention
  // setting was increased or a clock was fast, the stored progress is later than "before" and must
  // be set back, so that later calls do not skip votes.
  if (from > before) store::save_value(connection, kProgressName, base::to_datetime(before));
  std::uint64_t erased = 0;
  while (from < before) {
    const base::Time end = slice_end(connection, from, before);
    erased += db::in_transaction(connection, [&] {
      const std::uint64_t changed = connection.execute(
          "UPDATE {prefix}ratingd_votes FORCE INDEX (by_time) SET address = '', agent = 0"
          " WHERE rated_at >= ? AND rated_at < ? AND (address <> '' OR agent <> 0)",
          from, end);
      store::save_value(connection, kProgressName, base::to_datetime(end));
      return changed;
    });
    from = end;
  }
  return static_cast<std::int64_t>(erased);
}

std::uint64_t aggregate_old_ratings(db::Connection& connection, base::Time before) {
  const auto lock = lock_changes(connection, kAggregationLockTimeout);
  const Aggregation aggregation(connection);
  std::uint64_t aggregated = 0;
  while (const std::size_t more = aggregation.aggregate(before)) aggregated += more;
  if (aggregated == 0) return 0;
  rollups::delete_empty_days(connection);
  // The materialized lists of users are outdated, because they still include the ratings that are
  // now aggregated.
  analytics::invalidate_lists(connection);
  return aggregated;
}

// --- Aggregation ---------------------------------------------------------------------------------

namespace {

using model::RatingKey;

constexpr std::string_view kAggregatedBefore = "folded_before";  // the name of the stored value

}  // namespace

std::size_t Aggregation::aggregate(base::Time before) const {
  for (auto keys = oldest_votes(before); !keys.empty(); keys = oldest_votes(before)) {
    std::size_t aggregated = 0;
    in_parts(std::span<const RatingKey>(keys), [&](const auto& part) {
      aggregated +=
          db::in_transaction(connection_, [&] { return aggregate_in_slice(part, before); });
    });
    if (aggregated > 0) return aggregated;  // if 0, the votes were changed before they were locked
  }
  return 0;
}

std::optional<base::Time> Aggregation::aggregated_before() const {
  const auto text = store::read_value(connection_, kAggregatedBefore);
  return text ? base::from_datetime(*text) : std::nullopt;
}

void Aggregation::clear_aggregated_before() const {
  store::remove_value(connection_, kAggregatedBefore);
}

void Aggregation::note_aggregated_before(base::Time before) const {
  store::raise_value(connection_, kAggregatedBefore, base::to_datetime(before));
}

std::vector<RatingKey> Aggregation::oldest_votes(base::Time before) const {
  return connection_
      .query(
          "SELECT object_id, object_type, category, voter FROM {prefix}ratingd_votes"
          " FORCE INDEX (by_time) WHERE rated_at < ? AND held = 0 ORDER BY rated_at LIMIT ?",
          before, Slices::kFirst)
      .all(store::key_in);
}

std::size_t Aggregation::aggregate_in_slice(std::span<const RatingKey> keys,
                                            base::Time before) const {
  Voters voters;
  for (const RatingKey& key : keys) voters.insert(key.voter);
  Changes changes = rows_.lock(voters);
  Votes votes = rows_.lock_votes({keys.begin(), keys.end()});
  std::erase_if(votes, [&](const auto& vote) {
    return vote.second.is_held || vote.second.rated_at >= before;
  });

  Aggregates aggregated;
  AggregateKeys aggregate_keys;
  Voters active;
  const base::ZoneHistory& zones = changes.zones();
  for (const auto& [key, row] : votes) {
    changes.subtract(key, {row.value, row.rated_at});
    const rollups::Aggregate::Key aggregate{key.object, key.category, zones.day_of(row.rated_at),
                                            kRetention};
    add_rating(aggregated[aggregate], key.category, row.value, row.rated_at);
    aggregate_keys.insert(aggregate);
    active.insert(key.voter);
  }
  Aggregates sums = rows_.lock_aggregates(aggregate_keys);
  for (auto& [key, more] : aggregated) {
    changes.add({key, more});
    add_sums(sums.at(key), more);
  }
  rows_.save_aggregates(sums);
  rows_.delete_votes(votes);
  store::remove_reasons(connection_, votes);
  const Voters without_votes = rows_.voters_without_votes(active);
  changes.write(connection_);
  changes.delete_users(connection_, without_votes);
  note_aggregated_before(before);
  return votes.size();
}

// --- Voters without votes ------------------------------------------------------------------------

namespace {

using model::VoterId;

constexpr std::chrono::minutes kMaintenanceLockTimeout{5};  // an import during the night may take a
                                                            // long time
constexpr const char* kHasNoVotes =
    " AND NOT EXISTS (SELECT 1 FROM {prefix}ratingd_votes AS votes FORCE INDEX (by_voter)"
    " WHERE votes.voter = idle.voter)";

struct IdleVoter {
  VoterId voter = 0;
  base::Day last_day;
};

struct IdleAt {
  base::Day today;    // last active days before this day are over
  base::Time before;  // no rule needs timestamps before this time
};

// Voters are processed in slices, in order of their ids. Returns the last id in a slice of up to
// "rows" voters with ids greater than "after". Returns nothing if no voter has an id greater than
// "after".
std::optional<VoterId> end_of_slice(db::Connection& connection, VoterId after, std::size_t rows) {
  const auto voters = connection
                          .query(
                              "SELECT voter FROM {prefix}ratingd_voters FORCE INDEX (PRIMARY)"
                              " WHERE voter > ? ORDER BY voter LIMIT ?",
                              after, rows)
                          .all([](const db::Rows& row) { return row.unsigned_integer(1); });
  return voters.empty() ? std::nullopt : std::optional(voters.back());
}

std::vector<IdleVoter> idle_voters(db::Connection& connection, VoterId after, VoterId end,
                                   const IdleAt& at) {
  static const std::string kText =
      std::string(
          "SELECT voter, last_day FROM {prefix}ratingd_voters AS idle FORCE INDEX (PRIMARY)"
          " WHERE voter > ? AND voter <= ? AND last_day < ? AND last_rated_at < ?") +
      kHasNoVotes;
  return connection.query(kText, after, end, at.today, at.before).all([](const db::Rows& row) {
    return IdleVoter{row.unsigned_integer(1), row.day(2)};
  });
}

// Erases the time of the last rating and the number of new ratings in the voters' rows. Skips
// voters who have voted since their rows were read. Returns the number of changed rows.
std::size_t erase_times(db::Connection& connection, std::span<const VoterId> voters,
                        const IdleAt& at) {
  static const std::string kHead =
      std::string(
          "UPDATE {prefix}ratingd_voters AS idle SET last_rated_at = '1970-01-01', ratings = 0"
          " WHERE (last_rated_at > '1970-01-01' OR ratings <> 0)") +
      kHasNoVotes + " AND (";
  return db::BulkStatement({kHead, "(voter = ? AND last_day < ?)", " OR ", ")"})
      .execute(connection, voters,
               [&](db::Statement& statement, VoterId voter) { statement.bind(voter, at.today); });
}

}  // namespace

void forget_last_rating(db::Connection& connection, VoterId voter, const VoterLimits& limits) {
  const bool needs_time = limits.cooldown.count() > 0;
  if (needs_time && limits.has_daily_maximum) return;
  db::in_transaction(connection, [&] {
    connection.execute(std::string("UPDATE {prefix}ratingd_voters AS idle"
                                   " SET last_rated_at = IF(? = 1, last_rated_at, '1970-01-01'),"
                                   " ratings = IF(? = 1, ratings, 0) WHERE voter = ?") +
                           kHasNoVotes,
                       std::int64_t{needs_time ? 1 : 0},
                       std::int64_t{limits.has_daily_maximum ? 1 : 0}, voter);
  });
}

IdleVoters forget_idle_voters(db::Connection& connection, base::Time now,
                              std::chrono::seconds cooldown) {
  const auto lock = lock_changes(connection, kMaintenanceLockTimeout);
  const base::ZoneHistory zones = rollups::stored_zones(connection);
  const IdleAt at{zones.day_of(now), now - cooldown};
  const RatingRemoval removal(connection);
  const auto aggregated_before = Aggregation(connection).aggregated_before();
  IdleVoters report;
  Slices slices;
  for (VoterId after = 0;;) {
    const auto end = end_of_slice(connection, after, slices.rows());
    if (!end) break;
    slices.run(slices.rows(), [&] {
      std::vector<VoterId> unused;
      std::vector<VoterId> aggregated;
      for (const IdleVoter& idle : idle_voters(connection, after, *end, at)) {
        const bool may_be_aggregated = aggregated_before &&
                                       idle.last_day != rollups::kNeverActive &&
                                       idle.last_day <= zones.day_of(*aggregated_before);
        (may_be_aggregated ? aggregated : unused).push_back(idle.voter);
      }
      if (!unused.empty()) report.deleted += removal.remove_unused_voters(unused, at.today);
      if (!aggregated.empty()) {
        report.erased +=
            db::in_transaction(connection, [&] { return erase_times(connection, aggregated, at); });
      }
      return true;
    });
    after = *end;
  }
  if (report.deleted > 0) {
    rollups::delete_empty_days(connection);
    analytics::invalidate_lists(connection);
  }
  return report;
}

}  // namespace transfer
