#include "transfer/idle_voters.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analytics/materialized_lists.h"
#include "db/bulk_statement.h"
#include "db/transaction.h"
#include "rollups/rollup_state.h"
#include "transfer/aggregation.h"
#include "transfer/locks.h"
#include "transfer/rating_removal.h"
#include "transfer/slices.h"

namespace transfer {
namespace {

using model::VoterId;

constexpr std::chrono::minutes kMaintenanceLockTimeout{5};  // imports at night may take long
constexpr const char* kHasNoVotes =
    " AND NOT EXISTS (SELECT 1 FROM {prefix}ratingd_votes AS votes FORCE INDEX (by_voter)"
    " WHERE votes.voter = idle.voter)";

struct IdleVoter {
  VoterId voter = 0;
  base::Day last_day;
};

struct IdleAt {
  base::Day today;    // a last active day before this day is over
  base::Time before;  // no rule needs timestamps before this time
};

// Returns the last voter in the slice that begins after "after". Returns nothing if no voter
// follows.
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

// Erases the time and the number in rows. Returns the number of changed rows. Skips voters who have
// voted since their rows were read.
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
