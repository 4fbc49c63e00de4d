#include "votes/vote_batch.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "db/transaction.h"
#include "rollups/writers.h"
#include "votes/batch_store.h"
#include "votes/counters.h"
#include "votes/decisions.h"

namespace votes {
namespace {

using model::Object;

void set_totals(rollups::StatsOf totals, std::span<const VoteRequest> requests,
                VoteBatch::Results& results) {
  results.totals = std::move(totals);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    results.votes[i].stats = results.totals.at(requests[i].key.object).stats;
  }
}

// Calls is_wanted() once for each vote, with the index of the vote's first request. The result
// contains an element for each request, and the elements for parts are false.
std::vector<bool> wanted_votes(std::span<const VoteRequest> requests,
                               const VoteBatch::IsWanted& is_wanted) {
  std::vector<bool> wanted(requests.size());
  for_each_vote(requests, [&](VoteSpan, std::size_t first) { wanted[first] = is_wanted(first); });
  return wanted;
}

}  // namespace

VoteBatch::VoteBatch(db::Connection& connection, BurstWatch& watch, WriterId writer,
                     const std::optional<rollups::RollupState>& known_state)
    : connection_(connection), watch_(watch), writer_(writer), known_state_(known_state) {}

std::vector<Object> VoteBatch::objects_of(std::span<const VoteRequest> requests) {
  std::vector<Object> objects;
  objects.reserve(requests.size());
  for (const VoteRequest& request : requests) objects.push_back(request.key.object);
  std::ranges::sort(objects);
  objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
  return objects;
}

VoteBatch::Status VoteBatch::run(std::span<const VoteRequest> requests, const IsWanted& is_wanted,
                                 rollups::BatchNumbers numbers, Results& results) {
  const std::vector<Object> objects = objects_of(requests);
  std::optional<db::Transaction> transaction;
  BatchReader reader(connection_, requests, known_state_);
  if (!reader.open(transaction, writer_, numbers.after)) {
    if (!rollups::read_sequence(connection_, writer_.id)) return Status::has_no_writer_row;
    set_totals(rollups::read_totals(connection_, objects), requests, results);
    return Status::was_committed;
  }
  if (!reader.read()) return Status::has_unclear_voters;  // the transaction is rolled back
  const std::vector<bool> wanted = wanted_votes(requests, is_wanted);
  state_ = reader.state();
  const auto suspected =
      watch_.judge(connection_, state_->zones, candidates(reader.rows(), requests));
  Decisions decisions = decide(std::move(reader.rows()), requests, suspected, wanted);

  Results processed{std::move(decisions.results), {}};
  if (!decisions.has_changes()) {  // the transaction is rolled back, with the rows inserted for
                                   // refused votes
    set_totals(rollups::read_totals(connection_, objects), requests, processed);
    results = std::move(processed);
    return Status::done;
  }
  settle_counters(connection_, decisions.rows.allowances);
  BatchWriter writer(connection_, decisions, reader.changes());
  BatchWriter::Written written = writer.write(objects, writer_.id, numbers);
  other_voters_ = std::move(written.other_voters);
  if (!other_voters_.empty()) return Status::has_other_voters;  // the transaction is rolled back
  writer.delete_unused_voters();
  set_totals(std::move(written.totals), requests, processed);
  results = std::move(processed);
  const base::Stopwatch stopwatch;
  transaction->commit();
  commit_duration_ = stopwatch.elapsed_exactly();
  return Status::done;
}

}  // namespace votes
