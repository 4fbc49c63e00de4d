#include "votes/vote_writer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/crypto.h"
#include "base/stopwatch.h"
#include "db/transaction.h"

namespace votes {
namespace {

constexpr int kAttempts = 5;
constexpr std::uint8_t kSlots = 16;
// What a request may take from its arrival until the writer has its vote request; less than the
// time after which nginx asks another worker.
constexpr std::chrono::seconds kLongestWay{5};
constexpr std::chrono::seconds kStuckFor{5};  // unless a batch shows something else before
constexpr std::size_t kProbes = 8;  // vote requests that may wait while the writer is stuck

base::Count count_of(VoteResult::Outcome outcome) {
  using base::Count;
  using Outcome = VoteResult::Outcome;
  switch (outcome) {
    case Outcome::stored:
      return Count::vote_stored;
    case Outcome::unchanged:
      return Count::vote_unchanged;
    case Outcome::withdrawn:
      return Count::vote_withdrawn;
    case Outcome::nothing_stored:
      return Count::vote_nothing_stored;
    case Outcome::already_rated:
      return Count::vote_already_rated;
    case Outcome::cooling_down:
      return Count::vote_cooling_down;
    case Outcome::too_soon:
      return Count::vote_too_soon;
    case Outcome::too_many_of_voter:
      return Count::vote_too_many_of_voter;
    case Outcome::too_many_of_address:
      return Count::vote_too_many_of_address;
    case Outcome::too_many_new_voters:
      return Count::vote_too_many_new_voters;
    case Outcome::too_many_program_voters:
      break;
  }
  return Count::vote_too_many_program_voters;
}

base::Count count_of(WriteError error) {
  switch (error) {
    case WriteError::unavailable:
      return base::Count::vote_unavailable;
    case WriteError::queue_full:
      return base::Count::vote_queue_full;
    case WriteError::failed:
      break;
  }
  return base::Count::vote_failed;
}

// What MariaDB and MySQL say when another transaction is in the way.
constexpr int kLockWaitTimeout = 1205;
constexpr int kDeadlock = 1213;

base::Count count_of(const db::Conflict& conflict) {
  if (conflict.code() == kDeadlock) return base::Count::retry_deadlock;
  return conflict.code() == kLockWaitTimeout ? base::Count::retry_lock_wait
                                             : base::Count::retry_conflict;
}

WriterId random_writer() {
  const std::uint64_t id = base::random_u64();
  return {id, static_cast<std::uint8_t>(id % kSlots)};
}

}  // namespace

VoteWriter::VoteWriter(db::Endpoint endpoint, const std::string& table_prefix,
                       const rollups::StatsStore& stats, const base::Log& log,
                       const Options& options)
    : endpoint_(std::move(endpoint)),
      statements_(table_prefix),
      held_(table_prefix, stats),
      stats_(stats),
      log_(log),
      options_(options),
      writer_(random_writer()),
      watch_(table_prefix),
      thread_([this] { run(); }) {}

VoteWriter::~VoteWriter() {
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  work_.notify_one();
  thread_.join();
}

VoteWriter::Outcome VoteWriter::write(VoteRequest request) {
  std::vector<VoteRequest> requests;
  requests.push_back(std::move(request));
  return write_all(std::move(requests)).front();
}

std::vector<VoteWriter::Outcome> VoteWriter::write_all(std::vector<VoteRequest> requests) {
  const base::Stopwatch stopwatch;
  Tickets tickets;
  for (VoteRequest& request : requests)
    tickets.push_back(std::make_shared<Ticket>(std::move(request)));
  if (!enqueue(tickets)) {
    count(base::Count::vote_queue_full, tickets.size());
    return std::vector<Outcome>(tickets.size(), tl::unexpected(WriteError::queue_full));
  }

  std::vector<Outcome> outcomes;
  const base::MutexLock lock(mutex_);
  for (const auto& ticket : tickets) {
    while (!ticket->outcome && stopwatch.elapsed() < options_.patience) {
      ticket->settled.wait_for(mutex_, options_.patience - stopwatch.elapsed());
    }
    if (!ticket->outcome) {
      ticket->abandoned = true;
      count(base::Count::vote_timed_out);
    }
    outcomes.push_back(ticket->outcome.value_or(tl::unexpected(WriteError::unavailable)));
  }
  return outcomes;
}

std::size_t VoteWriter::waiting() const {
  const base::MutexLock lock(mutex_);
  return queue_.size();
}

bool VoteWriter::has_room() const {
  const base::MutexLock lock(mutex_);
  return room() > 0;
}

bool VoteWriter::enqueue(const Tickets& tickets) {
  {
    const base::MutexLock lock(mutex_);
    if (tickets.size() > room()) return false;
    queue_.insert(queue_.end(), tickets.begin(), tickets.end());
  }
  work_.notify_one();
  return true;
}

// How many more vote requests may wait. Where none does, those of one call may, however many they
// are.
std::size_t VoteWriter::room() const {
  const std::size_t limit = is_stuck() && !queue_.empty() ? kProbes : options_.queue_limit;
  return limit - std::min(limit, queue_.size());
}

bool VoteWriter::is_stuck() const {
  const bool is_slow = writing_ && writing_->elapsed() > options_.stuck_after;
  return is_slow || (stuck_ && stuck_->elapsed() < kStuckFor);
}

void VoteWriter::run() {
  for (Tickets batch = next_batch(); !batch.empty(); batch = next_batch()) write_batch(batch);
}

// Waits for vote requests; an empty batch means that the writer stops and nothing waits any more.
VoteWriter::Tickets VoteWriter::next_batch() {
  const base::MutexLock lock(mutex_);
  writing_.reset();
  Tickets batch;
  while (batch.empty()) {
    while (!stopping_ && queue_.empty()) work_.wait(mutex_);
    if (queue_.empty()) return batch;
    while (!queue_.empty() && batch.size() < options_.batch_limit) {
      if (is_wanted(*queue_.front())) batch.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
  }
  writing_.emplace();
  return batch;
}

// Writes what is still wanted of "tickets", whole or in halves, and settles them.
void VoteWriter::write_batch(const Tickets& tickets) {
  const Tickets wanted = still_wanted(tickets);
  if (wanted.empty()) return;
  std::vector<VoteResult> results;
  BatchResult fate = try_batch(wanted, results);
  if (fate == BatchResult::committed && !add_stats(wanted, results))
    fate = BatchResult::unavailable;
  if (fate == BatchResult::committed) {
    note(fate);
    settle(wanted, std::vector<Outcome>(results.begin(), results.end()));
    hold_counted(wanted.back()->request.received_at);
    return;
  }
  const bool is_divisible = fate == BatchResult::blocked || fate == BatchResult::bad_data;
  if (is_divisible && wanted.size() > 1 && !still_wanted(wanted).empty()) {
    const auto middle = wanted.begin() + static_cast<std::ptrdiff_t>(wanted.size() / 2);
    write_batch(Tickets(wanted.begin(), middle));
    write_batch(Tickets(middle, wanted.end()));
    return;
  }
  note(fate);
  const bool may_repeat = fate == BatchResult::blocked || fate == BatchResult::unavailable;
  const WriteError error = may_repeat ? WriteError::unavailable : WriteError::failed;
  settle(wanted, std::vector<Outcome>(wanted.size(), tl::unexpected(error)));
}

VoteWriter::BatchResult VoteWriter::try_batch(const Tickets& tickets,
                                              std::vector<VoteResult>& results) {
  std::vector<VoteRequest> requests;
  requests.reserve(tickets.size());
  for (const auto& ticket : tickets) requests.push_back(ticket->request);
  const auto is_ticket_wanted = [&](std::size_t i) {
    const base::MutexLock lock(mutex_);
    return is_wanted(*tickets[i]);
  };

  const std::uint64_t sequence = ++sequence_;
  for (int attempt = 1; attempt <= kAttempts && !still_wanted(tickets).empty(); ++attempt) {
    if (!connect()) return BatchResult::unavailable;
    try {
      const base::Stopwatch stopwatch;
      VoteBatch batch(*connection_, statements_, watch_, writer_);
      batch.run(requests, is_ticket_wanted, sequence, results);
      if (options_.metrics != nullptr) {
        options_.metrics->add(base::Measure::batch_size, requests.size());
        options_.metrics->add(base::Measure::batch_duration, stopwatch.elapsed_exactly());
        if (const auto duration = batch.commit_duration()) {
          options_.metrics->add(base::Measure::commit_duration, *duration);
        }
      }
      if (is_full_) log_.info("votes_have_room");
      is_full_ = false;
      return BatchResult::committed;
    } catch (const db::Conflict& conflict) {
      count(count_of(conflict));
      log_.debug("vote_conflict", {{"code", conflict.code()}, {"attempt", attempt}});
      if (conflict.code() == kLockWaitTimeout) break;  // another second would not help all
    } catch (const db::NoRoom& full) {
      connection_.reset();
      if (!is_full_) log_.error("votes_without_room", {{"what", full.what()}});
      is_full_ = true;
      return BatchResult::unavailable;
    } catch (const db::ConnectionLost& lost) {
      connection_.reset();
      count(base::Count::retry_connection_lost);
      log_.warning("vote_connection_lost", {{"code", lost.code()}, {"attempt", attempt}});
      const auto is_on_disk = was_committed(sequence);
      if (!is_on_disk) return BatchResult::unavailable;
      if (*is_on_disk) return BatchResult::committed;
    } catch (const db::BadData& bad) {
      log_.error("vote_refused", {{"ballots", tickets.size()}, {"what", bad.what()}});
      return BatchResult::bad_data;
    } catch (const std::exception& exception) {
      connection_.reset();
      log_.error("votes_failed", {{"ballots", tickets.size()}, {"what", exception.what()}});
      return BatchResult::failed;
    }
  }
  return BatchResult::blocked;
}

VoteWriter::Tickets VoteWriter::still_wanted(const Tickets& tickets) {
  const base::MutexLock lock(mutex_);
  Tickets wanted;
  for (const auto& ticket : tickets) {
    if (is_wanted(*ticket)) wanted.push_back(ticket);
  }
  return wanted;
}

// Whether the vote request is to be written. Of one that comes too late, whoever waits hears it at
// once.
bool VoteWriter::is_wanted(Ticket& ticket) {
  const bool is_late = ticket.request.asked.elapsed() > options_.patience + kLongestWay;
  if (is_late && !ticket.abandoned) {
    ticket.abandoned = true;
    ticket.outcome = tl::unexpected(WriteError::unavailable);
    ticket.settled.notify_one();
    count(base::Count::vote_unavailable);
  }
  return !ticket.abandoned;
}

// Looks on a new connection whether this writer's batch "sequence" is on disk; nothing if that
// cannot be found out. The row's lock makes it wait for a commit that is still under way on the
// lost connection.
std::optional<bool> VoteWriter::was_committed(std::uint64_t sequence) {
  if (!connect()) return std::nullopt;
  try {
    const db::Transaction transaction(*connection_);
    db::Rows row = connection_->prepare(statements_.lock_sequence).bind(writer_.id).query();
    return row.next() && row.unsigned_integer(1) == sequence;
  } catch (const db::Failure& failure) {
    connection_.reset();
    log_.warning("vote_in_doubt", {{"code", failure.code()}, {"what", failure.what()}});
    return std::nullopt;
  }
}

// Reads the totals for the results of a batch that is committed. False if they cannot be had.
bool VoteWriter::add_stats(const Tickets& tickets, std::vector<VoteResult>& results) {
  constexpr int kReadAttempts = 2;  // the second on a new connection
  std::vector<model::Object> objects;
  for (const auto& ticket : tickets) objects.push_back(ticket->request.key.object);
  std::sort(objects.begin(), objects.end());
  objects.erase(std::unique(objects.begin(), objects.end()), objects.end());

  for (int attempt = 1; attempt <= kReadAttempts && connect(); ++attempt) {
    try {
      const base::Time now = tickets.back()->request.received_at;
      const auto stats = stats_.read_committed(*connection_, objects, now);
      for (std::size_t i = 0; i < tickets.size(); ++i) {
        results[i].stats = stats.at(tickets[i]->request.key.object);
      }
      return true;
    } catch (const db::Failure& failure) {
      connection_.reset();
      log_.warning("totals_unread", {{"code", failure.code()}, {"what", failure.what()}});
    }
  }
  stats_.invalidate(objects);
  return false;
}

// Holds what the batch that was committed shows to be of a burst. What fails stays counted until
// the next vote of that burst shows it again.
void VoteWriter::hold_counted(base::Time now) {
  auto counted = watch_.take_counted();
  try {
    while (!counted.empty()) {
      auto end = counted.begin();
      std::advance(end, std::min(counted.size(), HeldStore::kHeldAtOnce));
      held_.hold(*connection_, {counted.begin(), end}, now);
      counted.erase(counted.begin(), end);
    }
  } catch (const db::Conflict& conflict) {
    log_.debug("hold_conflict", {{"code", conflict.code()}});
  } catch (const std::exception& exception) {
    connection_.reset();
    log_.warning("hold_failed", {{"what", exception.what()}});
  }
}

// Whether there is a connection. What keeps it away is logged when it changes, not each time.
bool VoteWriter::connect() {
  if (connection_ != nullptr) return true;
  try {
    auto fresh = std::make_unique<db::Connection>(endpoint_);
    static_cast<void>(statements_.state.read(*fresh));  // throws if it cannot be used
    statements_.state.require_changed_rows(*fresh);
    connection_ = std::move(fresh);
    if (is_away_) log_.info("votes_back");
    is_away_ = false;
  } catch (const std::exception& exception) {
    if (!is_away_) log_.warning("votes_away", {{"what", exception.what()}});
    is_away_ = true;
  }
  return !is_away_;
}

// Of a batch that is not divided any more; also if nobody waits for it.
void VoteWriter::note(BatchResult fate) {
  const base::MutexLock lock(mutex_);
  stuck_.reset();
  if (fate == BatchResult::blocked || fate == BatchResult::unavailable) stuck_.emplace();
}

void VoteWriter::settle(const Tickets& tickets, const std::vector<Outcome>& outcomes) {
  const base::MutexLock lock(mutex_);
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    // What nobody waits for any more was counted then, unless it is decided nevertheless: a vote
    // request that was left out of its batch has no voter.
    const bool is_decided = outcomes[i] && outcomes[i]->voter != 0;
    if (is_decided || !tickets[i]->abandoned) count_outcome(outcomes[i]);
    if (!tickets[i]->outcome) tickets[i]->outcome = outcomes[i];
    tickets[i]->settled.notify_one();
  }
}

void VoteWriter::count(base::Count what, std::size_t number) const {
  if (options_.metrics != nullptr) options_.metrics->add(what, number);
}

void VoteWriter::count_outcome(const Outcome& outcome) const {
  count(outcome ? count_of(outcome->outcome) : count_of(outcome.error()));
}

}  // namespace votes
