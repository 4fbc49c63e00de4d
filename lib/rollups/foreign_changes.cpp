#include "rollups/foreign_changes.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "rollups/rollup_state.h"

namespace rollups {
namespace {

using Sequences = std::map<std::uint64_t, std::uint64_t>;

// The value that replaces a writer's sequence number if this host's caches contain all of the
// writer's commits.
constexpr std::uint64_t kAllPublished = std::numeric_limits<std::uint64_t>::max();

// The writer number used for imports, deletions, rebuilds and commands.
constexpr std::uint64_t kOthers = 0;

// The maximum number of times that check() waits for a writer on this host to update the caches
// after a commit. If the writer needs more time, check() begins a new cache epoch, which is
// harmless.
constexpr int kMaxWaits = 100;
constexpr std::chrono::milliseconds kWait{1};

std::uint64_t sequence_of(const Sequences& sequences, std::uint64_t writer) {
  const auto found = sequences.find(writer);
  return found == sequences.end() ? 0 : found->second;
}

}  // namespace

ForeignChanges::ForeignChanges(runtime::CacheEpoch epoch, const runtime::CacheWriters& writers,
                               Forget forget, const base::Clock& clock)
    : epoch_(epoch), writers_(writers), forget_(std::move(forget)), clock_(clock) {}

void ForeignChanges::check(db::Connection& connection) {
  const runtime::CacheEpoch::State known = epoch_.state();
  const base::Uptime start = clock_.uptime();
  const bool is_watching = confirmed_ == known;
  if (!is_watching && start - runtime::CacheEpoch::confirmed_at(known) < kTakeover) return;
  Reading reading = read(connection);
  const std::uint64_t server = reading.server;
  const auto changed = is_watching ? changes_since_last(connection, reading) : std::nullopt;
  if (changed) forget_(*changed);
  confirmed_ =
      changed ? epoch_.confirm(known, start, server) : epoch_.begin_next(known, start, server);
  last_ = std::move(reading);
}

void ForeignChanges::end() {
  if (confirmed_) epoch_.begin_next(*confirmed_, base::Uptime(0), 0);
  confirmed_.reset();
}

ForeignChanges::Reading ForeignChanges::read(db::Connection& connection) const {
  Reading reading{.server = connection.server_hash()};
  const Sequences before = writers_.published();
  reading.rows = read_writer_rows(connection);
  reading.rebuilds = read_state(connection).rebuilds;
  db::Rows session = connection.prepare("SELECT CONNECTION_ID()").query();
  if (session.next()) reading.session = session.unsigned_integer(1);
  leave_out_published(reading, before);
  return reading;
}

// Returns the objects and voters that batches on other hosts have changed since the last check.
// Returns nothing if the batch log may be incomplete.
std::optional<Changed> ForeignChanges::changes_since_last(db::Connection& connection,
                                                          const Reading& reading) const {
  Reading expected = last_;
  Changed changed;
  for (const auto& [writer, row] : reading.rows) {
    const auto before = expected.rows.find(writer);
    if (writer == kOthers || before == expected.rows.end() ||
        before->second.sequence >= row.sequence || row.sequence == kAllPublished) {
      continue;
    }
    auto batches = changed_by_batches(connection, writer, {before->second.sequence, row.sequence});
    if (!batches) return std::nullopt;
    changed.objects.merge(batches->objects);
    changed.voters.merge(batches->voters);
    before->second.sequence = row.sequence;
  }
  return expected == reading ? std::optional(std::move(changed)) : std::nullopt;
}

// Replaces the sequence in "reading" with kAllPublished for each writer whose commits are all in
// the caches. "before" contains the sequences published in shared memory before the rows were read.
void ForeignChanges::leave_out_published(Reading& reading, const Sequences& before) const {
  Sequences published = writers_.published();
  const auto is_behind = [&](const auto& row) {
    return published.contains(row.first) && published[row.first] < row.second.sequence;
  };
  for (int waits = 0; waits < kMaxWaits && std::ranges::any_of(reading.rows, is_behind); ++waits) {
    std::this_thread::sleep_for(kWait);
    published = writers_.published();
  }
  for (auto& [writer, row] : reading.rows) {
    const bool is_complete = row.sequence >= sequence_of(before, writer);
    if (published.contains(writer) && is_complete && row.sequence <= published[writer]) {
      row.sequence = kAllPublished;
    }
  }
}

}  // namespace rollups
