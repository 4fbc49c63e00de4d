#include "store/vote_writer.h"

#include <utility>

#include "base/crypto.h"
#include "base/stopwatch.h"
#include "db/transaction.h"

namespace store {
namespace {

constexpr int kAttempts = 5;
constexpr std::uint8_t kSlots = 16;

WriterId random_writer() {
  const std::uint64_t id = base::random_u64();
  return {id, static_cast<std::uint8_t>(id % kSlots)};
}

}  // namespace

VoteWriter::VoteWriter(db::Endpoint endpoint, const std::string& table_prefix, const base::Log& log,
                       Options options)
    : endpoint_(std::move(endpoint)),
      state_(table_prefix),
      statements_(table_prefix),
      log_(log),
      options_(options),
      writer_(random_writer()),
      thread_([this] { run(); }) {}

VoteWriter::~VoteWriter() {
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  work_.notify_one();
  thread_.join();
}

VoteWriter::Outcome VoteWriter::write(Ballot ballot) {
  std::vector<Ballot> ballots;
  ballots.push_back(std::move(ballot));
  return write_all(std::move(ballots)).front();
}

std::vector<VoteWriter::Outcome> VoteWriter::write_all(std::vector<Ballot> ballots) {
  const base::Stopwatch stopwatch;
  Tickets tickets;
  for (Ballot& ballot : ballots) tickets.push_back(std::make_shared<Ticket>(std::move(ballot)));
  if (!enqueue(tickets)) {
    return std::vector<Outcome>(tickets.size(), tl::unexpected(WriteError::queue_full));
  }

  std::vector<Outcome> outcomes;
  const base::MutexLock lock(mutex_);
  for (const auto& ticket : tickets) {
    while (!ticket->outcome && stopwatch.elapsed() < options_.patience) {
      ticket->settled.wait_for(mutex_, options_.patience - stopwatch.elapsed());
    }
    ticket->abandoned = !ticket->outcome;
    outcomes.push_back(ticket->outcome.value_or(tl::unexpected(WriteError::unavailable)));
  }
  return outcomes;
}

bool VoteWriter::enqueue(const Tickets& tickets) {
  {
    const base::MutexLock lock(mutex_);
    if (queue_.size() + tickets.size() > options_.queue_limit) return false;
    queue_.insert(queue_.end(), tickets.begin(), tickets.end());
  }
  work_.notify_one();
  return true;
}

void VoteWriter::run() {
  for (Tickets batch = next_batch(); !batch.empty(); batch = next_batch()) write_batch(batch);
}

// Waits for ballots; an empty batch means that the writer stops and nothing waits any more.
VoteWriter::Tickets VoteWriter::next_batch() {
  const base::MutexLock lock(mutex_);
  Tickets batch;
  while (batch.empty()) {
    while (!stopping_ && queue_.empty()) work_.wait(mutex_);
    if (queue_.empty()) return batch;
    while (!queue_.empty() && batch.size() < options_.batch_limit) {
      if (!queue_.front()->abandoned) batch.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
  }
  return batch;
}

void VoteWriter::write_batch(std::span<const std::shared_ptr<Ticket>> tickets) {
  std::vector<Ballot> ballots;
  for (const auto& ticket : tickets) ballots.push_back(ticket->ballot);

  std::vector<Receipt> receipts;
  WriteError error = WriteError::unavailable;
  try {
    if (try_batch(ballots, receipts)) {
      settle(tickets, std::vector<Outcome>(receipts.begin(), receipts.end()));
      return;
    }
  } catch (const db::ConnectionLost& exception) {
    connection_.reset();
    log_.warning("vote_database_away", {{"code", exception.code()}, {"what", exception.what()}});
    settle(tickets, std::vector<Outcome>(tickets.size(), tl::unexpected(error)));
    return;
  } catch (const std::exception& exception) {
    error = WriteError::failed;
    log_.error("vote_refused", {{"ballots", tickets.size()}, {"what", exception.what()}});
  }
  if (tickets.size() == 1) {
    settle(tickets, std::vector<Outcome>(1, tl::unexpected(error)));
    return;
  }
  write_batch(tickets.first(tickets.size() / 2));
  write_batch(tickets.subspan(tickets.size() / 2));
}

// Whether the batch is committed; false if other transactions stayed in the way.
bool VoteWriter::try_batch(std::span<const Ballot> ballots, std::vector<Receipt>& receipts) {
  const std::uint64_t sequence = ++sequence_;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    try {
      VoteBatch(connection(), statements_, zone_, writer_).run(ballots, sequence, receipts);
      return true;
    } catch (const db::Conflict& conflict) {
      log_.debug("vote_conflict", {{"code", conflict.code()}, {"attempt", attempt}});
      constexpr int kLockWaitTimeout = 1205;
      if (conflict.code() == kLockWaitTimeout) return false;  // another second would not help all
    } catch (const db::ConnectionLost& lost) {
      connection_.reset();
      log_.warning("vote_connection_lost", {{"code", lost.code()}, {"attempt", attempt}});
      if (receipts.size() == ballots.size() && was_committed(sequence)) return true;
      if (attempt == kAttempts) throw;
    }
  }
  return false;
}

// Looks on a new connection whether this writer's batch "sequence" is on disk. The row's lock makes
// it wait for a commit that is still under way on the lost one.
bool VoteWriter::was_committed(std::uint64_t sequence) {
  db::Transaction transaction(connection());
  db::Rows row = connection_->prepare(statements_.lock_sequence).bind(writer_.id).query();
  return row.next() && row.unsigned_integer(1) == sequence;
}

db::Connection& VoteWriter::connection() {
  if (connection_ == nullptr) {
    auto fresh = std::make_unique<db::Connection>(endpoint_);
    zone_ = state_.zone(*fresh);
    connection_ = std::move(fresh);
  }
  return *connection_;
}

void VoteWriter::settle(std::span<const std::shared_ptr<Ticket>> tickets,
                        std::span<const Outcome> outcomes) {
  const base::MutexLock lock(mutex_);
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    tickets[i]->outcome = outcomes[i];
    tickets[i]->settled.notify_one();
  }
}

}  // namespace store
