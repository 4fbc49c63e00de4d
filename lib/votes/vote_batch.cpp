#include "votes/vote_batch.h"

#include <algorithm>
#include <cassert>
#include <chrono>

#include "base/stopwatch.h"
#include "db/bulk_statement.h"
#include "db/multi_statement.h"
#include "store/rating_key_sql.h"
#include "store/reasons.h"
#include "votes/vote_statements.h"

namespace votes {
namespace {

using model::Object;
using model::RatingKey;
using model::VoterId;

template <typename Value>
std::vector<Value> sorted_unique(std::vector<Value> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

void bind_new_row(db::Statement& statement, VoterId voter, bool) {
  statement.bind(voter).bind(rollups::kNeverActive).bind(base::Time()).bind(std::int64_t{0});
}

// Of db::MultiStatement::add_changed_rows().
std::int64_t changed_rows_in(db::Rows& row) { return row.next() ? row.integer(1) : 0; }

void set_totals(rollups::StatsOf totals, std::span<const VoteRequest> requests,
                VoteBatch::Results& results) {
  results.totals = std::move(totals);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    results.votes[i].stats = results.totals.at(requests[i].key.object).stats;
  }
}

}  // namespace

VoteBatch::VoteBatch(db::Connection& connection, BurstWatch& watch, WriterId writer,
                     const std::optional<base::Zone>& expected_zone)
    : connection_(connection),
      watch_(watch),
      writer_(writer),
      expected_zone_(expected_zone),
      counters_(connection) {}

std::vector<Object> VoteBatch::objects_of(std::span<const VoteRequest> requests) {
  std::vector<Object> objects;
  objects.reserve(requests.size());
  for (const VoteRequest& request : requests) objects.push_back(request.key.object);
  return sorted_unique(std::move(objects));
}

VoteBatch::Outcome VoteBatch::run(std::span<const VoteRequest> requests, const IsWanted& is_wanted,
                                  rollups::BatchNumbers numbers, Results& results) {
  std::optional<db::Transaction> transaction;
  if (!open(transaction, requests, numbers.after)) {
    if (!rollups::read_sequence(connection_, writer_.id)) return Outcome::has_no_writer_row;
    set_totals(rollups::read_totals(connection_, objects_of(requests)), requests, results);
    return Outcome::was_committed;
  }
  if (!find_new_voters()) return Outcome::has_known_voters;  // rolled back
  lock_voters(requests);
  read_votes(requests);
  if (!are_counters_locked_) {
    reserve(requests);
    counters_.lock();
  }
  find_suspected(requests);

  Results decided;
  decided.votes.assign(requests.size(), {});
  for_each_vote(requests, [&](VoteSpan vote, std::size_t first) {
    if (is_wanted(first)) decide(vote, std::span(decided.votes).subspan(first, vote.size()));
  });
  const std::vector<Object> objects = objects_of(requests);
  if (has_changes()) {
    counters_.settle();
    set_totals(write(objects, numbers), requests, decided);
    if (!other_voters_.empty()) return Outcome::has_other_voters;  // rolled back
    delete_unused_voters();
  } else {
    set_totals(rollups::read_totals(connection_, objects), requests, decided);
  }
  results = std::move(decided);
  if (!has_changes())
    return Outcome::done;  // rolled back, with the rows inserted for refused votes
  const base::Stopwatch stopwatch;
  transaction->commit();
  commit_duration_ = stopwatch.elapsed_exactly();
  return Outcome::done;
}

// The row of each voter who may be new, as it will be if there is none yet and all its votes are
// stored and counted.
void VoteBatch::expect_voters(std::span<const VoteRequest> requests) {
  for_each_vote(requests, [&](VoteSpan vote, std::size_t) {
    const VoteRequest& request = vote.front();
    if (!request.may_be_new) return;
    ExpectedVoter& voter = expected_voters_[request.key.voter];
    if (!expected_zone_ || !sets_ratings(vote)) return;
    voter.last_day = std::max(voter.last_day, expected_zone_->day_of(request.received_at));
    voter.row.last_rated_at = std::max(voter.row.last_rated_at, request.received_at);
    if (request.rules.max_per_day > 0) ++voter.row.ratings;
  });
}

// Begins the transaction, raises the sequence of the writer, and locks the state of the rollups and
// the voters who may be new, and the counters if all may be. Returns whether the sequence was
// raised.
bool VoteBatch::open(std::optional<db::Transaction>& transaction,
                     std::span<const VoteRequest> requests, std::uint64_t sequence) {
  expect_voters(requests);
  const auto possibly_new = db::rows_of(expected_voters_);
  db::MultiStatement opening(connection_);
  transaction.emplace(connection_);
  rollups::add_lock_shared(connection_);
  rollups::add_raise_sequence(connection_, writer_.id, sequence);
  opening.add_changed_rows();
  if (!possibly_new.empty()) {
    kLockVoters.execute(connection_, db::span_of(possibly_new),
                        [](db::Statement& statement, const auto& voter, bool) {
                          const auto& [id, expected] = voter;
                          statement.bind(id).bind(expected.last_day);
                          statement.bind(expected.row.last_rated_at).bind(expected.row.ratings);
                        });
    opening.add_changed_rows();
  }
  if (std::ranges::all_of(requests, &VoteRequest::may_be_new)) {
    reserve(requests);
    counters_.begin_lock();
    opening.add_changed_rows();
    are_counters_locked_ = true;
  }
  std::vector<db::Rows> results = opening.run();
  if (changed_rows_in(results.at(1)) == 0) return false;
  changes_ = rollups::RollupChanges::for_all_sets(rollups::state_in(results.at(0)), writer_.slot);
  if (!possibly_new.empty()) {
    inserted_voters_ = static_cast<std::size_t>(changed_rows_in(results.at(2)));
  }
  if (are_counters_locked_) counters_.end_lock(changed_rows_in(results.back()));
  return true;
}

// Returns whether it is clear whose rows the batch has inserted.
bool VoteBatch::find_new_voters() {
  for (const auto& [voter, expected] : expected_voters_) new_voters_.insert(voter);
  if (new_voters_.size() == inserted_voters_) return true;
  read_rows(std::vector<VoterId>(new_voters_.begin(), new_voters_.end()));
  for (const auto& [voter, expected] : expected_voters_) {
    if (!is_as_expected(voter)) new_voters_.erase(voter);
  }
  return new_voters_.size() == inserted_voters_;
}

// Locks all voters who are not new; their missing rows are inserted.
void VoteBatch::lock_voters(std::span<const VoteRequest> requests) {
  std::vector<VoterId> known;
  for (const VoteRequest& request : requests) {
    known.push_back(request.key.voter);
    if (!request.moved_from) continue;
    assert(model::is_anonymous(*request.moved_from) && !model::is_anonymous(request.key.voter));
    known.push_back(*request.moved_from);
  }
  std::erase_if(known, [&](VoterId voter) { return new_voters_.contains(voter); });
  known = sorted_unique(std::move(known));
  kLockVoters.execute(connection_, db::span_of(known), bind_new_row);
  read_voters(known);
}

void VoteBatch::read_rows(std::span<const VoterId> voters) {
  kReadVoters.query(connection_, voters, [&](const db::Rows& row) {
    voter_rows_[row.unsigned_integer(1)] = {row.time(3), row.integer(4)};
    changes_.front().set_last_day(row.unsigned_integer(1), row.day(2));
  });
}

void VoteBatch::read_voters(const std::vector<VoterId>& known) {
  read_rows(known);
  for (rollups::RollupChanges& changes : changes_) {
    if (changes.is_for_rebuild()) {
      changes.read_last_days(connection_, known);
    }
    for (const VoterId voter : new_voters_) changes.set_last_day(voter, rollups::kNeverActive);
  }
  for (const VoterId voter : new_voters_) voter_rows_[voter] = {};
}

void VoteBatch::read_votes(std::span<const VoteRequest> requests) {
  std::vector<VoterKey> keys;
  for (const VoteRequest& request : requests) {
    const auto& [object, category, voter] = request.key;
    if (!new_voters_.contains(voter)) {
      keys.push_back({object, voter});
      for (const std::string& type : request.related_types) {
        keys.push_back({{object.id, type}, voter});
      }
    }
    if (request.moved_from) keys.push_back({object, *request.moved_from});
  }
  keys = sorted_unique(std::move(keys));
  std::vector<RatingKey> held;
  std::vector<model::Rating> ratings;
  kReadVotes.query(
      connection_, db::span_of(keys),
      [](db::Statement& statement, const VoterKey& key, bool) {
        statement.bind(key.object.id).bind(key.object.type).bind(key.voter);
      },
      [&](const db::Rows& row) {
        const model::Rating& rating = ratings.emplace_back(store::rating_in(row));
        votes_[rating.key] = {rating.value, rating.rated_at};
        if (row.integer(7) != 0) held.push_back(rating.key);
      });
  read_held(held);
  reasons_ = store::reasons_of(connection_, ratings);
}

// Needs no lock: whoever changes these rows has locked the rows of the same votes.
void VoteBatch::read_held(std::span<const RatingKey> keys) {
  for (const RatingKey& key : keys) held_[key] = {0, votes_.at(key).rated_at};
  kReadHeld.query(connection_, keys, store::bind_key, [&](const db::Rows& row) {
    held_[store::key_in(row)] = {static_cast<Reasons>(row.integer(5)), row.time(6)};
  });
}

// Reserves what the requests may use of shared limits. Only new ratings use them. Which ratings are
// new is known before the decisions if the votes have been read, unless the batch deletes ratings.
void VoteBatch::reserve(std::span<const VoteRequest> requests) {
  const bool deletes_ratings =
      std::any_of(requests.begin(), requests.end(), [](const VoteRequest& request) {
        return (!request.value && !request.rates_parts_only) || request.moved_from;
      });
  for_each_vote(requests, [&](VoteSpan vote, std::size_t) {
    if (!sets_ratings(vote)) return;
    const Rules& rules = vote.front().rules;
    const bool may_be_new_rating = std::ranges::any_of(vote, [&](const VoteRequest& request) {
      return request.value && (deletes_ratings || !rating_of(request.key));
    });
    if (may_be_new_rating) counters_.reserve(rules.of_address);
    if (!model::is_anonymous(vote.front().key.voter)) return;
    if (!deletes_ratings && !is_of_new_voter(vote)) return;
    counters_.reserve(rules.new_voters);
  });
}

}  // namespace votes
