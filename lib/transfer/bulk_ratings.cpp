#include "transfer/bulk_ratings.h"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "db/transaction.h"
#include "rollups/rollup_state.h"
#include "store/front_end_visitors.h"
#include "store/rating_key_sql.h"
#include "store/reasons.h"
#include "transfer/bulk_statements.h"
#include "votes/vote_statements.h"

namespace transfer {
namespace {

using model::FrontEndVisitor;
using model::RatingKey;
using model::VoterId;

constexpr int kAttemptsOfPart = 4;  // of a part (in_parts())
constexpr base::Time kLatest =
    base::Day(std::chrono::year(9999) / 1 / 1);  // that the database stores

}  // namespace

MergeCounts& MergeCounts::operator+=(const MergeCounts& other) {
  added += other.added;
  changed += other.changed;
  kept += other.kept;
  rolled_up += other.rolled_up;
  return *this;
}

MergeCounts BulkRatings::merge(std::span<const StoredRating> ratings, MergeMemory& memory) const {
  assert(ratings.size() <= kAtOnce);
  MergeCounts counts;
  in_parts(ratings, [&](const auto& part) { counts += merge_part(part, memory); });
  return counts;
}

MergeCounts BulkRatings::merge_part(std::span<const StoredRating> ratings,
                                    MergeMemory& memory) const {
  MergeCounts counts;
  const auto merge_all = [&] { return merge_in(ratings, memory, counts); };
  if (!db::in_transaction_if(connection_, kAttemptsOfPart, merge_all)) {
    memory.are_probably_new = false;
    db::in_transaction_if(connection_, kAttemptsOfPart, merge_all);
  }
  memory.are_probably_new = counts.changed + counts.kept + counts.rolled_up == 0;
  memory.active_days.commit();
  return counts;
}

std::size_t BulkRatings::remove(std::span<const RatingKey> keys, base::Time before) const {
  assert(keys.size() <= kAtOnce);
  std::size_t removed = 0;
  in_parts(keys, [&](const auto& part) {
    removed +=
        db::in_transaction(connection_, kAttemptsOfPart, [&] { return remove_in(part, before); });
  });
  return removed;
}

std::size_t BulkRatings::remove_unused_voters(std::span<const VoterId> given,
                                              base::Day before) const {
  assert(given.size() <= kAtOnce);
  const Voters voters(given.begin(), given.end());
  return db::in_transaction(connection_, kAttemptsOfPart, [&] {
    Sets sets = lock(voters);
    Voters without_votes = voters_without_votes(voters);
    std::erase_if(without_votes, [&](VoterId voter) {
      return sets.front().last_day(voter).value_or(rollups::kNeverActive) >= before;
    });
    for (rollups::RollupChanges& changes : sets) {
      for (const VoterId voter : without_votes) {
        changes.remove_voter(voter, votes::days_of(changes, voter, {}));
      }
    }
    write(sets);
    delete_visitors(without_votes);
    return without_votes.size();
  });
}

std::size_t BulkRatings::erase_addresses(std::span<const RatingKey> keys, base::Time before) const {
  assert(keys.size() <= kAtOnce);
  const base::Time end = std::min(before, kLatest);
  return db::in_transaction(connection_, kAttemptsOfPart, [&] {
    return kEraseAddresses.execute(connection_, keys,
                                   [&](db::Statement& statement, const RatingKey& key) {
                                     store::bind_key(statement, key);
                                     statement.bind(end);
                                   });
  });
}

// False: ratings are stored that were taken for new ones, so that this must be rolled back.
bool BulkRatings::merge_in(std::span<const StoredRating> given, MergeMemory& memory,
                           MergeCounts& counts) const {
  counts = {};
  std::vector<StoredRating> changed;
  const std::span<const StoredRating> ratings = of_stored_voters(given, changed);
  const rollups::RollupState state = rollups::lock_for_change(connection_);
  Sets sets = rollups::RollupChanges::for_all_sets(state, kBulkSlot);
  Voters voters;
  votes::ExpectedDays last_days;
  for (const StoredRating& rating : ratings) {
    voters.insert(rating.key.voter);
    if (rating.hold) continue;
    const base::Day day = state.zone.day_of(rating.rated_at);
    base::Day& last_day = last_days.emplace(rating.key.voter, day).first->second;
    last_day = std::max(last_day, day);
  }
  const Voters new_voters = votes::lock_voters(connection_, voters, sets, last_days);
  memory.active_days.begin(mark_of(state));
  std::set<RatingKey> keys;
  for (const StoredRating& rating : ratings) {
    const bool may_be_stored = !memory.are_probably_new && !new_voters.contains(rating.key.voter);
    if (may_be_stored) keys.insert(rating.key);
  }
  const Votes stored = lock_votes(keys);
  const base::Time rolled_up = rolled_up_before().value_or(base::Time::min());

  const Winners winners = find_winners(ratings, stored, rolled_up, counts);
  Winners held;
  Winners counted;
  for (const auto& [key, rating] : winners) {
    const auto earlier = stored.find(key);
    const bool is_new = earlier == stored.end();
    const bool is_held = is_new ? rating->hold.has_value() : earlier->second.is_held;
    if (!is_held) counted[key] = rating;
    if (is_held && is_new) held[key] = rating;
  }
  add_activity(counted, sets, memory.active_days);
  const db::BulkStatement& save = memory.are_probably_new ? kInsertVotes : kSaveVotes;
  const std::uint64_t saved = save_votes(save, winners, held);
  const bool are_new = saved == winners.size() && counts.rolled_up == 0;
  if (memory.are_probably_new && !are_new) return false;
  save_reasons(winners, stored);
  for (rollups::RollupChanges& changes : sets) {
    for (const auto& [key, rating] : counted) {
      const auto earlier = stored.find(key);
      if (earlier != stored.end()) {
        changes.subtract(key, {earlier->second.value, earlier->second.rated_at});
      }
      changes.add(key, {rating->value, rating->rated_at}, rating->created_at);
    }
  }
  write(sets);
  save_holds(held);
  save_visitors(ratings, winners, stored);
  return true;
}

// The ratings that replace stored ones or are new. Counts the outcomes of all.
BulkRatings::Winners BulkRatings::find_winners(std::span<const StoredRating> ratings,
                                               const Votes& stored, base::Time rolled_up,
                                               MergeCounts& counts) {
  Winners winners;
  for (const StoredRating& rating : ratings) {
    const auto earlier = stored.find(rating.key);
    const auto winner = winners.find(rating.key);
    if (winner != winners.end()) {
      const bool is_newer = winner->second->rated_at < rating.rated_at;
      ++(is_newer ? counts.changed : counts.kept);
      if (is_newer) winner->second = &rating;
    } else if (earlier == stored.end()) {
      const bool may_be_rolled_up = rating.rated_at < rolled_up;
      ++(may_be_rolled_up ? counts.rolled_up : counts.added);
      if (!may_be_rolled_up) winners[rating.key] = &rating;
    } else if (earlier->second.rated_at < rating.rated_at) {
      ++counts.changed;
      winners[rating.key] = &rating;
    } else {
      ++counts.kept;
    }
  }
  return winners;
}

std::size_t BulkRatings::remove_in(std::span<const RatingKey> keys, base::Time before) const {
  const std::set<RatingKey> wanted(keys.begin(), keys.end());
  Voters voters;
  for (const RatingKey& key : wanted) voters.insert(key.voter);
  Sets sets = lock(voters);

  // Who changes votes has locked their voters, so this needs no locks.
  Votes votes;
  votes::Moments known, withdrawn;
  Voters with_votes;  // that stay
  kReadVotesOfVoters.query(connection_, voters, [&](const db::Rows& row) {
    const RatingKey key = store::key_in(row);
    const Row vote = row_in(row);
    const bool is_removed = vote.rated_at < before && wanted.contains(key);
    if (is_removed) {
      votes[key] = vote;
    } else {
      with_votes.insert(key.voter);
    }
    if (vote.is_held) return;
    const auto add_moments = [&](votes::Moments& moments) {
      auto& of_voter = moments[key.voter];
      of_voter.insert(of_voter.end(), {vote.created_at, vote.rated_at});
    };
    add_moments(known);
    if (is_removed) add_moments(withdrawn);
  });
  Voters without_votes;
  for (const auto& [key, row] : votes) {
    if (!with_votes.contains(key.voter)) without_votes.insert(key.voter);
    known[key.voter];
    if (row.is_held) continue;
    for (rollups::RollupChanges& changes : sets) changes.withdraw(key, {row.value, row.rated_at});
  }
  std::erase_if(known, [&](const auto& of_voter) {
    return !withdrawn.contains(of_voter.first) && !without_votes.contains(of_voter.first);
  });
  std::uint64_t deleted = kDeleteVotesOfVoters.execute(connection_, without_votes);
  Votes some;
  for (const auto& vote : votes) {
    if (!without_votes.contains(vote.first.voter)) some.insert(vote);
  }
  deleted += delete_votes(some);
  if (deleted != votes.size()) throw db::Conflict(0, "another session has deleted votes");
  store::remove_reasons(connection_, votes);
  votes::replace_activity(known, votes::without(known, withdrawn), withdrawn, without_votes, sets);
  write(sets);
  delete_holds(votes);
  delete_visitors(without_votes);
  return votes.size();
}

// Locks the state of the rollups and the rows of "voters", and reads the last days.
BulkRatings::Sets BulkRatings::lock(const Voters& voters) const {
  Sets sets =
      rollups::RollupChanges::for_all_sets(rollups::lock_for_change(connection_), kBulkSlot);
  votes::lock_voters(connection_, voters, sets);
  return sets;
}

void BulkRatings::write(const Sets& sets) const {
  for (const rollups::RollupChanges& changes : sets) {
    changes.write(connection_);
  }
}

BulkRatings::Votes BulkRatings::lock_votes(const std::set<RatingKey>& keys) const {
  Votes votes;
  kLockVotes.query(connection_, keys, store::bind_key,
                   [&](const db::Rows& row) { votes[store::key_in(row)] = row_in(row); });
  return votes;
}

BulkRatings::Row BulkRatings::row_in(const db::Rows& row) {
  return {static_cast<model::Thousandths>(row.integer(5)), row.time(6), row.time(7),
          row.integer(8) != 0};
}

// Returns as db::BulkStatement::execute().
std::uint64_t BulkRatings::save_votes(const db::BulkStatement& statement_of_rows,
                                      const Winners& winners, const Winners& held) const {
  return statement_of_rows.execute(
      connection_, winners, [&](db::Statement& statement, const auto& row) {
        const auto& [key, rating] = row;
        store::bind_key(statement, key);
        statement.bind(std::int64_t{rating->value}, std::int64_t{held.count(key) > 0 ? 1 : 0},
                       rating->created_at, rating->rated_at, rating->address);
      });
}

std::uint64_t BulkRatings::delete_votes(const Votes& votes) const {
  return kDeleteVotes.execute(connection_, votes, store::bind_key);
}

void BulkRatings::save_holds(const Winners& held) const {
  votes::kSaveHeld.execute(connection_, held, [](db::Statement& statement, const auto& row) {
    const StoredRating::Hold& hold = *row.second->hold;
    store::bind_key(statement, row.first);
    statement.bind(std::int64_t{hold.reasons}, hold.held_at);
  });
}

// The reasons of replaced ratings are replaced, too.
void BulkRatings::save_reasons(const Winners& winners, const Votes& stored) const {
  std::vector<RatingKey> replaced;
  std::map<RatingKey, store::ReasonRow> reasons;
  for (const auto& [key, rating] : winners) {
    if (stored.contains(key)) replaced.push_back(key);
    if (!rating->reason.empty()) reasons[key] = {rating->rated_at, rating->reason};
  }
  store::remove_reasons(connection_, replaced);
  store::save_reasons(connection_, reasons);
}

void BulkRatings::delete_holds(const Votes& votes) const {
  std::vector<RatingKey> held;
  for (const auto& [key, row] : votes) {
    if (row.is_held) held.push_back(key);
  }
  votes::kDeleteHeld.execute(connection_, held, store::bind_key);
}

// The members of "voters" who have no vote, not even a held one.
BulkRatings::Voters BulkRatings::voters_without_votes(const Voters& voters) const {
  Voters unused = voters;
  kFindVoters.query(connection_, voters,
                    [&](const db::Rows& row) { unused.erase(row.unsigned_integer(1)); });
  return unused;
}

// --- Visitors of other front ends

// "given", with the ratings of each visitor under the one voter that the visitor is: the stored
// one, else the first of "given". "changed" holds the result if it differs.
std::span<const StoredRating> BulkRatings::of_stored_voters(
    std::span<const StoredRating> given, std::vector<StoredRating>& changed) const {
  std::set<FrontEndVisitor> names;
  for (const StoredRating& rating : given) {
    if (rating.visitor) names.insert(*rating.visitor);
  }
  if (names.empty()) return given;
  store::VotersByVisitor voters = store::voters_of(connection_, db::rows_of(names));
  changed.assign(given.begin(), given.end());
  for (StoredRating& rating : changed) {
    if (rating.visitor) {
      rating.key.voter = voters.emplace(*rating.visitor, rating.key.voter).first->second;
    }
  }
  return changed;
}

// Adds the rows of the visitors whose ratings are among "winners" or "stored". Errors: Conflict -
// another session has added one with another voter.
void BulkRatings::save_visitors(std::span<const StoredRating> ratings, const Winners& winners,
                                const Votes& stored) const {
  std::map<VoterId, store::FrontEndVisitorRow> visitors;
  for (const StoredRating& rating : ratings) {
    if (!rating.visitor || !(winners.contains(rating.key) || stored.contains(rating.key))) continue;
    visitors.emplace(rating.key.voter, store::FrontEndVisitorRow{rating.key.voter, *rating.visitor,
                                                                 rating.created_at});
  }
  if (visitors.empty()) return;
  std::vector<store::FrontEndVisitorRow> rows;
  std::vector<FrontEndVisitor> names;
  for (const auto& [voter, row] : visitors) {
    rows.push_back(row);
    names.push_back(row.visitor);
  }
  store::add_visitors(connection_, rows);
  const store::VotersByVisitor voters = store::voters_of(connection_, names);
  for (const store::FrontEndVisitorRow& row : rows) {
    const auto found = voters.find(row.visitor);
    // A voter who is another visitor already stays that one.
    if (found != voters.end() && found->second != row.voter) {
      throw db::Conflict(0, "a visitor is another voter");
    }
  }
}

// Deletes the rows of voters without votes, which are locked.
void BulkRatings::delete_visitors(const Voters& voters) const {
  std::vector<VoterId> anonymous;
  std::ranges::copy_if(voters, std::back_inserter(anonymous), model::is_anonymous);
  store::remove_visitors(connection_, anonymous);
}

}  // namespace transfer
