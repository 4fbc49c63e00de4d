#include "transfer/rating_removal.h"

#include <algorithm>
#include <cassert>

#include "db/transaction.h"
#include "store/rating_key_sql.h"
#include "store/reasons.h"
#include "transfer/bulk_rows.h"
#include "votes/voter_days.h"

namespace transfer {
namespace {

using model::RatingKey;
using model::VoterId;

constexpr base::Time kLatest =
    base::Day(std::chrono::year(9999) / 1 / 1);  // a time that the database can store

}  // namespace

std::size_t RatingRemoval::remove(std::span<const RatingKey> keys, base::Time before) const {
  assert(keys.size() <= kRatingsAtOnce);
  std::size_t removed = 0;
  in_parts(keys, [&](const auto& part) {
    removed +=
        db::in_transaction(connection_, kAttemptsOfPart, [&] { return remove_in(part, before); });
  });
  return removed;
}

std::size_t RatingRemoval::remove_in(std::span<const RatingKey> keys, base::Time before) const {
  const std::set<RatingKey> wanted(keys.begin(), keys.end());
  Voters voters;
  for (const RatingKey& key : wanted) voters.insert(key.voter);
  Changes changes = rows_.lock(voters);

  // No other transaction can change the votes, because this transaction has locked their voters.
  Votes votes;
  votes::Moments known, withdrawn;
  Voters with_votes;  // the voters whose votes are not all deleted
  kReadVotesOfVoters.query(connection_, voters, [&](const db::Rows& row) {
    const RatingKey key = store::key_in(row);
    const Row vote = BulkRows::row_in(row);
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
    if (!row.is_held) changes.withdraw(key, {row.value, row.rated_at});
  }
  std::erase_if(known, [&](const auto& of_voter) {
    return !withdrawn.contains(of_voter.first) && !without_votes.contains(of_voter.first);
  });
  std::uint64_t deleted = kDeleteVotesOfVoters.execute(connection_, without_votes);
  Votes some;
  for (const auto& vote : votes) {
    if (!without_votes.contains(vote.first.voter)) some.insert(vote);
  }
  deleted += rows_.delete_votes(some);
  if (deleted != votes.size()) throw db::Conflict(0, "another session has deleted votes");
  store::remove_reasons(connection_, votes);
  votes::replace_activity(known, votes::without(known, withdrawn), withdrawn, without_votes,
                          changes);
  changes.write(connection_);
  rows_.delete_holds(votes);
  rows_.delete_visitors(without_votes);
  return votes.size();
}

std::size_t RatingRemoval::remove_unused_voters(std::span<const VoterId> voters,
                                                base::Day before) const {
  assert(voters.size() <= kRatingsAtOnce);
  const Voters unused(voters.begin(), voters.end());
  return db::in_transaction(connection_, kAttemptsOfPart, [&] {
    Changes changes = rows_.lock(unused);
    Voters without_votes = rows_.voters_without_votes(unused);
    std::erase_if(without_votes, [&](VoterId voter) { return changes.last_day(voter) >= before; });
    for (const VoterId voter : without_votes) {
      changes.remove_voter(voter, votes::days_of(changes, voter, {}));
    }
    changes.write(connection_);
    rows_.delete_visitors(without_votes);
    return without_votes.size();
  });
}

std::size_t RatingRemoval::erase_addresses(std::span<const RatingKey> keys,
                                           base::Time before) const {
  assert(keys.size() <= kRatingsAtOnce);
  const base::Time end = std::min(before, kLatest);
  return db::in_transaction(connection_, kAttemptsOfPart, [&] {
    return kEraseAddresses.execute(connection_, keys,
                                   [&](db::Statement& statement, const RatingKey& key) {
                                     store::bind_key(statement, key);
                                     statement.bind(end);
                                   });
  });
}

std::size_t RatingRemoval::remove_aggregates(std::span<const rollups::Aggregate::Key> keys) const {
  assert(keys.size() <= kRatingsAtOnce);
  return db::in_transaction(connection_, [&] {
    Changes changes = rows_.lock({});
    const Aggregates stored = rows_.lock_aggregates({keys.begin(), keys.end()});
    std::size_t removed = 0;
    for (const auto& [key, sums] : stored) {
      if (sums.total() == 0) continue;
      changes.withdraw({key, sums});
      ++removed;
    }
    rows_.delete_aggregates(stored);
    changes.write(connection_);
    return removed;
  });
}

}  // namespace transfer
