#include "votes/vote_writer.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/clock.h"
#include "base/crypto.h"
#include "db/transaction.h"
#include "rollups/rollup_state.h"
#include "rollups/writers.h"
#include "store/front_end_visitors.h"

namespace votes {
namespace {

constexpr int kAttemptsOfBatch = 5;

// The error codes of MariaDB and MySQL.
constexpr int kLockWaitTimeout = 1205;
constexpr int kDeadlock = 1213;

runtime::Count conflict_count(const db::Conflict& conflict) {
  if (conflict.code() == kDeadlock) return runtime::Count::retry_deadlock;
  return conflict.code() == kLockWaitTimeout ? runtime::Count::retry_lock_wait
                                             : runtime::Count::retry_conflict;
}

// In each request from a visitor, replaces the voter with the voter stored for this visitor in the
// database.
void set_voters(std::vector<VoteRequest>& requests, const store::VotersByVisitor& voters) {
  for (VoteRequest& request : requests) {
    if (!request.visitor) continue;
    const auto found = voters.find(*request.visitor);
    if (found == voters.end()) continue;
    request.key.voter = found->second;
    request.may_be_new = false;
  }
}

struct FlatVotes {
  std::vector<VoteRequest> requests;
  std::vector<std::size_t> owners;  // for each request, the index of its vote
};

FlatVotes with_their_parts(std::span<const std::shared_ptr<VoteQueue::PendingVote>> votes) {
  FlatVotes flat;
  flat.requests.reserve(votes.size());
  for (std::size_t i = 0; i < votes.size(); ++i) {
    add_with_parts(votes[i]->request, flat.requests);
    flat.owners.resize(flat.requests.size(), i);
  }
  return flat;
}

// Returns the results of the votes. Each result contains the results of the vote's parts.
std::vector<VoteResult> with_parts(std::vector<VoteResult> results,
                                   std::span<const VoteRequest> requests) {
  std::vector<VoteResult> of_votes;
  of_votes.reserve(results.size());
  for_each_vote(requests, [&](VoteSpan vote, std::size_t first) {
    VoteResult whole = std::move(results[first]);
    for (std::size_t i = 1; i < vote.size(); ++i) {
      whole.parts.push_back(std::move(results[first + i]));
    }
    of_votes.push_back(std::move(whole));
  });
  return of_votes;
}

}  // namespace

db::Pool writer_sessions(db::Endpoint endpoint, unsigned most) {
  constexpr std::chrono::milliseconds kMaxWait{1000};  // most of a vote's deadline
  endpoint.takes_multi_statements = true;
  return db::Pool(std::move(endpoint), most, kMaxWait);
}

VoteWriter::VoteWriter(const db::Pool& sessions, const HostCaches& caches, const runtime::Log& log,
                       const Options& options, WriterTurn* turn)
    : sessions_(sessions),
      held_(caches),
      caches_(caches),
      log_(log),
      metrics_(options.metrics),
      turn_(turn),
      queue_(options),
      thread_([this] { run(); }) {}

VoteWriter::~VoteWriter() {
  queue_.close();
  thread_.join();
}

VoteWriter::WriteResult VoteWriter::write(VoteRequest request) {
  std::vector<VoteRequest> requests;
  requests.push_back(std::move(request));
  return write_all(std::move(requests)).front();
}

std::vector<VoteWriter::WriteResult> VoteWriter::write_all(std::vector<VoteRequest> requests) {
  PendingVotes votes;
  votes.reserve(requests.size());
  for (VoteRequest& request : requests) {
    votes.push_back(std::make_shared<VoteQueue::PendingVote>(std::move(request)));
  }
  if (queue_.push(votes)) return queue_.wait_for(votes);
  return std::vector<WriteResult>(votes.size(), tl::unexpected(WriteError::queue_full));
}

void VoteWriter::run() {
  while (queue_.wait_for_votes()) {
    if (turn_ != nullptr) turn_->acquire();
    write_batch(queue_.take_batch());  // takes all votes that came before the writer's turn
    session_.reset();
    if (turn_ != nullptr) turn_->release();
  }
}

// Writes and completes the votes that are not abandoned. If the batch fails, it is split in half.
void VoteWriter::write_batch(const PendingVotes& votes) {
  const PendingVotes wanted = queue_.still_wanted(votes);
  if (wanted.empty()) return;
  std::vector<VoteResult> results;
  Changes changes = begin_changes(wanted);
  const BatchResult result = try_batch(wanted, results);
  end_changes(std::move(changes), wanted, results);
  if (result == BatchResult::committed) {
    if (caches_.writers != nullptr) caches_.writers->publish(committed_);
    report_to_queue(result);
    queue_.complete(wanted, std::vector<WriteResult>(results.begin(), results.end()));
    hold_counted_votes(wanted.back()->request.received_at);
    return;
  }
  const bool is_divisible = result == BatchResult::conflicting || result == BatchResult::bad_data;
  if (is_divisible && wanted.size() > 1 && !queue_.still_wanted(wanted).empty()) {
    const auto middle = wanted.begin() + static_cast<std::ptrdiff_t>(wanted.size() / 2);
    write_batch(PendingVotes(wanted.begin(), middle));
    write_batch(PendingVotes(middle, wanted.end()));
    return;
  }
  report_to_queue(result);
  const bool may_repeat = result == BatchResult::conflicting || result == BatchResult::unavailable;
  const WriteError error = may_repeat ? WriteError::unavailable : WriteError::failed;
  queue_.complete(wanted, std::vector<WriteResult>(wanted.size(), tl::unexpected(error)));
}

VoteWriter::BatchResult VoteWriter::try_batch(const PendingVotes& votes,
                                              std::vector<VoteResult>& results) {
  auto [requests, owners] = with_their_parts(votes);
  const std::vector<model::Object> objects = VoteBatch::objects_of(requests);
  const auto is_wanted = [&, &of = owners](std::size_t i) {
    return queue_.is_wanted(votes[of[i]]);
  };

  VoteBatch::Results written;
  const std::uint64_t sequence = ++sequence_;
  bool is_in_doubt = false;  // it is unknown whether an earlier attempt was committed
  const auto end_as = [&](BatchResult result) {
    return is_in_doubt ? end_in_doubt(votes.size(), objects) : result;
  };
  int attempts = kAttemptsOfBatch;
  for (int attempt = 1; attempt <= attempts && !queue_.still_wanted(votes).empty(); ++attempt) {
    if (!connect()) return end_as(BatchResult::unavailable);
    if (connection().is_multi_primary()) attempts = kAttemptsOfBatch * db::kAttemptsOnCluster;
    const auto tokens = caches_.stats.begin_publishing(objects);
    try {
      run_transaction(requests, is_wanted, sequence, written);
      // If this attempt changed nothing, the database may still commit an earlier attempt whose
      // result is unknown.
      if (is_in_doubt && committed_ != sequence) give_up_row();
      caches_.stats.publish(written.totals, tokens, connection().server_hash());
      results = with_parts(std::move(written.votes), requests);
      return BatchResult::committed;
    } catch (const db::Conflict& conflict) {
      count(conflict_count(conflict));
      log_.debug("vote_conflict_detected", {{"code", conflict.code()}, {"attempt", attempt}});
      if (conflict.code() == kLockWaitTimeout) break;  // waiting again would delay all votes
      db::pause_after_conflict(connection());
    } catch (const db::NoRoom& full) {
      disconnect();
      report_disk_full(full);
      return end_as(BatchResult::unavailable);
    } catch (const db::ConnectionLost& lost) {
      if (dynamic_cast<const db::CommitInDoubt*>(&lost) != nullptr) {
        is_in_doubt = true;
        connection().suspect_server();
      }
      disconnect();
      count(runtime::Count::retry_connection_lost);
      log_.warning("vote_connection_lost", {{"code", lost.code()}, {"attempt", attempt}});
    } catch (const db::BadData& bad) {
      log_.error("vote_batch_rejected", {{"votes", votes.size()}, {"error", bad.what()}});
      return end_as(BatchResult::bad_data);
    } catch (const std::exception& exception) {
      disconnect();
      log_.error("vote_batch_failed", {{"votes", votes.size()}, {"error", exception.what()}});
      return end_as(BatchResult::failed);
    }
  }
  return end_as(BatchResult::conflicting);
}

// Call this function after a batch if it is unknown whether the batch was committed.
VoteWriter::BatchResult VoteWriter::end_in_doubt(std::size_t votes,
                                                 std::span<const model::Object> objects) {
  log_.warning("commit_outcome_unknown", {{"votes", votes}});
  caches_.stats.invalidate(objects);  // the totals may have changed
  give_up_row();
  return BatchResult::unavailable;
}

// Makes one attempt to write the batch, and measures the duration of a successful attempt. Changes
// "requests" if the database has stored a different voter for a visitor, or if it is unclear which
// voters are new. Throws the same exceptions as VoteBatch::run().
void VoteWriter::run_transaction(std::vector<VoteRequest>& requests,
                                 const VoteBatch::IsWanted& is_wanted, std::uint64_t sequence,
                                 VoteBatch::Results& results) {
  const base::Stopwatch stopwatch;
  VoteBatch batch(connection(), watch_, *writer_, state_);
  const VoteBatch::Status status = batch.run(requests, is_wanted, {committed_, sequence}, results);
  if (status == VoteBatch::Status::has_other_voters) {
    set_voters(requests, batch.other_voters());
    throw db::Conflict(0, "a visitor is another voter");
  }
  if (status == VoteBatch::Status::has_unclear_voters) {
    for (VoteRequest& request : requests) request.may_be_new = false;
    throw db::Conflict(0, "voters may be new or not");
  }
  if (status == VoteBatch::Status::has_no_writer_row) {
    // The writer's row was deleted because it had been unused for a week, or the connected cluster
    // node does not have the row yet.
    give_up_row();
    throw db::Conflict(0, "the writer has no row");
  }
  if (status == VoteBatch::Status::done) state_ = batch.state();
  const bool was_committed = status == VoteBatch::Status::was_committed;
  if (was_committed || batch.commit_duration()) committed_ = sequence;
  if (metrics_ != nullptr) {
    const auto votes = std::ranges::count(requests, false, &VoteRequest::is_part);
    metrics_->add(runtime::Measure::batch_size, static_cast<std::size_t>(votes));
    metrics_->add(runtime::Measure::batch_duration, stopwatch.elapsed_exactly());
    if (const auto duration = batch.commit_duration()) {
      metrics_->add(runtime::Measure::commit_duration, *duration);
    }
  }
  is_disk_full_ = false;
  if (full_disk_.note_absence()) log_.info("database_disk_recovered");
}

// Logs only the first of several failures, even if some batches succeed in between, as can happen
// on a nearly full disk.
void VoteWriter::report_disk_full(const db::NoRoom& failure) {
  is_disk_full_ = true;
  if (full_disk_.note()) log_.error("database_disk_full", {{"error", failure.what()}});
}

// Reads the cached ratings that "votes" will change. Call this function before the transaction
// begins.
VoteWriter::Changes VoteWriter::begin_changes(const PendingVotes& votes) const {
  const OwnRatingsCache& cache = caches_.own_ratings;
  Changes changes;
  for (const auto& vote : votes) {
    const model::RatingKey& key = vote->request.key;
    auto change = changes.find(key.voter);
    if (change == changes.end()) {
      change = changes.emplace(key.voter, cache.begin_change(key.voter)).first;
    }
    cache.begin_change(key.voter, cache.hash_of(key.object), change->second);
    for (const VotePart& part : vote->request.parts) {
      cache.begin_change(key.voter, cache.hash_of(part.object), change->second);
    }
  }
  return changes;
}

// "results" is empty if the batch was not committed, or if it is unknown whether the batch was
// committed.
void VoteWriter::end_changes(Changes changes, const PendingVotes& votes,
                             std::span<const VoteResult> results) const {
  OwnRatingsCache& cache = caches_.own_ratings;
  if (results.empty()) {
    for (auto& [voter, change] : changes) change = {};
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].voter == 0) continue;       // the vote was skipped
    auto& change = changes[results[i].voter];  // empty if the visitor is another voter
    const VoteRequest& request = votes[i]->request;
    OwnRatingsCache::set(cache.hash_of(request.key.object), results[i].own, change);
    for (std::size_t part = 0; part < request.parts.size(); ++part) {
      OwnRatingsCache::set(cache.hash_of(request.parts[part].object), results[i].parts[part].own,
                           change);
    }
  }
  for (const auto& vote : votes) {
    if (vote->request.moved_from) changes[*vote->request.moved_from] = {};
  }
  for (const auto& [voter, change] : changes) cache.end_change(voter, change);
}

// Holds the votes that were counted before their burst was detected. If an error occurs, these
// votes stay counted until the next vote in the burst arrives.
void VoteWriter::hold_counted_votes(base::Time now) {
  auto counted = watch_.take_counted();
  try {
    while (!counted.empty()) {
      auto end = counted.begin();
      std::advance(end, std::min(counted.size(), HeldStore::kHeldAtOnce));
      held_.hold(connection(), {counted.begin(), end}, now);
      counted.erase(counted.begin(), end);
    }
  } catch (const db::Conflict& conflict) {
    log_.debug("vote_hold_postponed", {{"code", conflict.code()}});
  } catch (const std::exception& exception) {
    disconnect();
    log_.warning("vote_hold_failed", {{"error", exception.what()}});
  }
}

// Takes a database session unless the writer already has one. Returns whether the writer has both a
// session and a row in the writers table. Logs only the first of several failures in a row, and the
// first success after a failure.
bool VoteWriter::connect() {
  if (session_ && writer_) return true;
  try {
    if (!session_) session_.emplace(sessions_);
    if (!session_->is_open() || !writer_) {
      const db::Transaction transaction(connection());
      static_cast<void>(rollups::read_state(connection()));  // throws if there are no tables
      rollups::require_changed_rows(connection());
    }
    if (!writer_) {
      const std::uint64_t number = rollups::add_writer(connection(), WriterId::kSlots);
      writer_.emplace(number);
      if (caches_.writers != nullptr) caches_.writers->begin(number);
    }
    if (is_disconnected_) log_.info("vote_writer_reconnected");
    is_disconnected_ = false;
  } catch (const std::exception& exception) {
    disconnect();
    if (!is_disconnected_) log_.warning("vote_writer_disconnected", {{"error", exception.what()}});
    is_disconnected_ = true;
  }
  return !is_disconnected_;
}

void VoteWriter::disconnect() {
  if (session_) session_->discard();
  session_.reset();
}

void VoteWriter::give_up_row() {
  writer_.reset();
  committed_ = 0;
  if (caches_.writers != nullptr) caches_.writers->end();
}

// Reports the result of a batch to the queue. Do not report the result of a batch that will be
// split in half and written again.
void VoteWriter::report_to_queue(BatchResult result) {
  queue_.set_stuck(result == BatchResult::conflicting || result == BatchResult::unavailable);
}

void VoteWriter::count(runtime::Count what, std::size_t number) const {
  if (metrics_ != nullptr) metrics_->add(what, number);
}

}  // namespace votes
