#include "votes/voter_days.h"

namespace votes {

using model::VoterId;

// The insert locks the row, whether it is new or not.
VoterDays::VoterDays(const std::string& table_prefix)
    : lock_({"INSERT INTO " + table_prefix + "ratingd_voters (voter, last_day) VALUES ", "(?,?)",
             ",", " ON DUPLICATE KEY UPDATE voter = voter"}),
      read_moments_({"SELECT voter, created_at, rated_at FROM " + table_prefix +
                         "ratingd_votes FORCE INDEX (by_voter) WHERE held = 0 AND voter IN (",
                     "?", ",", ") GROUP BY voter, created_at, rated_at"}) {}

void VoterDays::lock(db::Connection& connection, const rollups::AllRollupStatements& statements,
                     const std::set<VoterId>& voters,
                     std::vector<rollups::RollupChanges>& sets) const {
  const auto rows = db::rows_of(voters);
  lock_.execute(connection, db::span_of(rows), [](db::Statement& statement, VoterId voter, bool) {
    statement.bind(voter).bind(rollups::kNeverActive);
  });
  for (rollups::RollupChanges& changes : sets) {
    changes.read_last_days(connection, statements, db::span_of(rows));
  }
}

Moments VoterDays::read(db::Connection& connection, const std::set<VoterId>& voters) const {
  Moments moments;
  for (const VoterId voter : voters) moments[voter];
  const auto rows = db::rows_of(voters);
  read_moments_.query(
      connection, db::span_of(rows),
      [](db::Statement& statement, VoterId voter, bool) { statement.bind(voter); },
      [&](const db::Rows& row) {
        auto& of_voter = moments.at(row.unsigned_integer(1));
        of_voter.push_back(row.time(2));
        of_voter.push_back(row.time(3));
      });
  return moments;
}

rollups::RollupChanges::Days days_of(const rollups::RollupChanges& changes, VoterId voter,
                                     const std::vector<base::Time>& moments,
                                     const std::optional<rollups::RollupChanges::Days>& excluded) {
  rollups::RollupChanges::Days days;
  for (const base::Time moment : moments) days.insert(changes.zone().day_of(moment));
  const base::Day last_day = changes.last_day(voter).value_or(rollups::kNeverActive);
  const bool is_excluded =
      last_day == rollups::kNeverActive || (excluded && excluded->contains(last_day));
  if (!is_excluded) days.insert(last_day);
  return days;
}

}  // namespace votes
