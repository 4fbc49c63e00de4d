#include "store/voter_days.h"

namespace store {

using model::VoterId;

VoterDays::VoterDays(const std::string& table_prefix)
    : lock_({"INSERT INTO " + table_prefix + "ratingd_voters (voter, last_day) VALUES ", "(?,?)",
             ",", " ON DUPLICATE KEY UPDATE voter = voter"}),
      read_last_({"SELECT voter, last_day FROM " + table_prefix +
                      "ratingd_voters FORCE INDEX (PRIMARY) WHERE voter IN (",
                  "?", ",", ") FOR UPDATE"}),
      read_days_({"SELECT voter, created_at, rated_at FROM " + table_prefix +
                      "ratingd_votes WHERE held = 0 AND voter IN (",
                  "?", ",", ") GROUP BY voter, created_at, rated_at"}),
      save_({"INSERT INTO " + table_prefix + "ratingd_voters (voter, last_day) VALUES ", "(?,?)",
             ",",
             " ON DUPLICATE KEY UPDATE ratings = IF(last_day = VALUES(last_day), ratings,"
             " 0), last_day = VALUES(last_day)"}) {}

LastDays VoterDays::lock(db::Connection& connection, const std::set<VoterId>& voters) const {
  const auto rows = db::rows_of(voters);
  lock_.execute(connection, db::span_of(rows), [](db::Statement& statement, VoterId voter, bool) {
    statement.bind(voter).bind(kNeverActive);
  });
  LastDays last_days;
  read_last_.query(
      connection, db::span_of(rows),
      [](db::Statement& statement, VoterId voter, bool) { statement.bind(voter); },
      [&](const db::Rows& row) { last_days[row.unsigned_integer(1)] = row.day(2); });
  return last_days;
}

std::map<VoterId, Days> VoterDays::read(db::Connection& connection, const base::Zone& zone,
                                        const LastDays& last_days) const {
  std::map<VoterId, Days> days;
  for (const auto& [voter, last_day] : last_days) days[voter] = days_with(last_day);
  const auto rows = db::rows_of(last_days);
  read_days_.query(
      connection, db::span_of(rows),
      [](db::Statement& statement, const auto& row, bool) { statement.bind(row.first); },
      [&](const db::Rows& row) {
        Days& of_voter = days.at(row.unsigned_integer(1));
        of_voter.insert(zone.day_of(row.time(2)));
        of_voter.insert(zone.day_of(row.time(3)));
      });
  return days;
}

void VoterDays::save(db::Connection& connection, const LastDays& last_days) const {
  const auto rows = db::rows_of(last_days);
  save_.execute(connection, db::span_of(rows), [](db::Statement& statement, const auto& row, bool) {
    statement.bind(row.first).bind(row.second);
  });
}

void count_reach(RollupChanges& changes, const Days& days, std::int64_t sign) {
  base::Day previous = kNeverActive;
  for (const base::Day day : days) {
    changes.add_reach(day, previous, sign);
    previous = day;
  }
}

base::Day last_of(const Days& days) { return days.empty() ? kNeverActive : *days.rbegin(); }

Days days_with(base::Day last_day) { return last_day == kNeverActive ? Days{} : Days{last_day}; }

}  // namespace store
