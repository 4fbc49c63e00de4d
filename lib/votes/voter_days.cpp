#include "votes/voter_days.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "db/bulk_statement.h"

namespace votes {

using model::VoterId;

namespace {

constexpr db::BulkStatement kLockExisting(
    {"SELECT voter, last_day FROM {prefix}ratingd_voters FORCE INDEX (PRIMARY) WHERE voter IN (",
     "?", ",", ") FOR UPDATE"});
// This SQL statement inserts missing voter rows, and locks existing rows.
constexpr db::BulkStatement kInsertVoters(
    {"INSERT INTO {prefix}ratingd_voters (voter, last_day) VALUES ", "(?,?)", ",",
     " ON DUPLICATE KEY UPDATE voter = voter"});
constexpr db::BulkStatement kReadMoments(
    {"SELECT voter, created_at, rated_at FROM {prefix}ratingd_votes FORCE INDEX (by_voter)"
     " WHERE held = 0 AND voter IN (",
     "?", ",", ")"});

// Locks existing rows. Returns the voters who have no row in the voters table.
std::set<VoterId> lock_existing(db::Connection& connection, const std::set<VoterId>& voters,
                                rollups::RollupChanges& changes) {
  for (const VoterId voter : voters) changes.set_last_day(voter, rollups::kNeverActive);
  std::set<VoterId> missing = voters;
  kLockExisting.query(connection, voters, [&](const db::Rows& row) {
    const VoterId voter = row.unsigned_integer(1);
    missing.erase(voter);
    changes.set_last_day(voter, row.day(2));
  });
  return missing;
}

}  // namespace

std::set<VoterId> lock_voters(db::Connection& connection, const std::set<VoterId>& voters,
                              rollups::RollupChanges& changes, const ExpectedDays& expected) {
  std::set<VoterId> inserted = lock_existing(connection, voters, changes);
  const auto day_of = [&](VoterId voter) {
    const auto day = expected.find(voter);
    return day == expected.end() ? rollups::kNeverActive : day->second;
  };
  const std::uint64_t count = kInsertVoters.execute(
      connection, inserted,
      [&](db::Statement& statement, VoterId voter) { statement.bind(voter, day_of(voter)); });
  if (count < inserted.size()) {  // another session has inserted some rows in the meantime
    if (!expected.empty()) throw db::Conflict(0, "another session has added a voter");
    lock_existing(connection, inserted, changes);
    inserted.clear();
  }
  for (const VoterId voter : inserted) changes.set_stored_day(voter, day_of(voter));
  return inserted;
}

Moments read_moments(db::Connection& connection, const std::set<VoterId>& voters) {
  Moments moments;
  for (const VoterId voter : voters) moments[voter];
  kReadMoments.query(connection, voters, [&](const db::Rows& row) {
    auto& of_voter = moments.at(row.unsigned_integer(1));
    of_voter.push_back(row.time(2));
    of_voter.push_back(row.time(3));
  });
  return moments;
}

Moments without(const Moments& moments, const Moments& withdrawn) {
  Moments left;
  for (const auto& [voter, all] : moments) {
    std::vector<base::Time>& rest = left[voter] = all;
    const auto gone = withdrawn.find(voter);
    if (gone == withdrawn.end()) continue;
    std::vector<base::Time> sorted = gone->second;
    std::ranges::sort(rest);
    std::ranges::sort(sorted);
    const std::vector<base::Time> from = std::exchange(rest, {});
    std::ranges::set_difference(from, sorted, std::back_inserter(rest));
  }
  return left;
}

void replace_activity(const Moments& before, const Moments& after, const Moments& withdrawn,
                      const std::set<VoterId>& deleted, rollups::RollupChanges& changes) {
  static const std::vector<base::Time> kNone;
  for (const auto& [voter, moments] : before) {
    const auto days = days_of(changes, voter, moments);
    if (deleted.contains(voter)) {
      changes.remove_voter(voter, days);
      continue;
    }
    const auto gone = withdrawn.find(voter);
    changes.replace_activity(
        voter, days,
        days_of(changes, voter, after.at(voter), gone == withdrawn.end() ? kNone : gone->second));
  }
}

rollups::RollupChanges::Days days_of(const base::ZoneHistory& zones,
                                     const std::vector<base::Time>& moments) {
  rollups::RollupChanges::Days days;
  for (const base::Time moment : moments) days.push_back(zones.day_of(moment));
  std::ranges::sort(days);
  days.erase(std::unique(days.begin(), days.end()), days.end());
  return days;
}

rollups::RollupChanges::Days days_of(const rollups::RollupChanges& changes, VoterId voter,
                                     const std::vector<base::Time>& moments,
                                     const std::vector<base::Time>& withdrawn) {
  rollups::RollupChanges::Days days = days_of(changes.zones(), moments);
  const base::Day last_day = changes.last_day(voter);
  const bool is_known = last_day != rollups::kNeverActive;
  if (!is_known || std::ranges::binary_search(days_of(changes.zones(), withdrawn), last_day)) {
    return days;
  }
  const auto place = std::ranges::lower_bound(days, last_day);
  if (place == days.end() || *place != last_day) days.insert(place, last_day);
  return days;
}

}  // namespace votes
