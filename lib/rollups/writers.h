#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "db/connection.h"
#include "model/rating.h"

namespace rollups {

// DESIGN. The table of writers contains a row for each vote writer (votes/vote_writer.h). The row
// for writer 0 represents all other programs and operations that change votes. Each transaction
// that changes votes or rollups first locks the rollup state (rollups/rollup_state.h) and then
// changes its writer's row.
//
// A writer numbers its batches, and the writer's sequence is the number of its last committed
// batch. If the response to a commit is lost, the writer tries to increase its sequence again,
// which shows whether the batch was committed. In a database cluster, a commit whose response was
// lost may reach a node after the second attempt, but the cluster commits only one of the two
// transactions, because both change the same row.
//
// In a database cluster, locks are local to a node. Therefore, an operation that must run alone
// changes all rows in the table of writers (fence_writers()). If two transactions change the same
// row on two nodes at the same time, the cluster commits only one of the transactions. A
// transaction that adds a row for a new writer also changes the row of writer 0, so fence_writers()
// either changes the new row or conflicts with the transaction.
//
// All functions throw the same exceptions as db::Connection.

// kProgram identifies the set of rollups that this program updates. Increment kProgram for each new
// rollup. If a writer with a lower kProgram has written votes, a repair is due (rollups/repair.h).
// In the rows of writers from version 0.3, kProgram is 0.
inline constexpr int kProgram = 4;

// Adds a row for a new writer in a separate transaction, and returns the number of the new writer.
// Also deletes the rows and the logged batches of writers that have been inactive for more than a
// week. The new writer gets the slot with the fewest writers that were active today or yesterday. A
// writer's slot is the writer's number modulo "slots". "slots" must be a power of two.
[[nodiscard]] std::uint64_t add_writer(db::Connection& connection, std::uint8_t slots);

// Adds to a multi-statement (db/multi_statement.h) a statement that increases a writer's sequence
// to "sequence". The statement has no effect if the writer's sequence is at least "sequence", or if
// the writer has no row. If no row was changed, call read_sequence() to find out why.
void add_raise_sequence(db::Connection& connection, std::uint64_t writer, std::uint64_t sequence);

// add_read_sequence() adds a statement that reads a writer's sequence to a multi-statement.
// sequence_in() returns the sequence from the result, or nothing if the writer has no row.
void add_read_sequence(db::Connection& connection, std::uint64_t writer);
[[nodiscard]] std::optional<std::uint64_t> sequence_in(db::Rows& row);

// Returns a writer's sequence, or nothing if the writer has no row.
[[nodiscard]] std::optional<std::uint64_t> read_sequence(db::Connection& connection,
                                                         std::uint64_t writer);

// The numbers in a writer's row in the table of writers. read_writer_rows() returns the rows of all
// writers, indexed by writer number, without acquiring a lock.
struct WriterRow {
  std::uint64_t sequence = 0, fences = 0;
  bool operator==(const WriterRow&) const = default;
};
[[nodiscard]] std::map<std::uint64_t, WriterRow> read_writer_rows(db::Connection& connection);

// Increases the sequence of writer 0 by one to record a change that was not made by a vote writer.
void note_change(db::Connection& connection);

// Changes the rows of all writers, which prevents all other changes to votes until the transaction
// ends. The transaction must not hold any lock except the lock on the rollup state.
void fence_writers(db::Connection& connection);

// The objects and voters for which a batch of votes has changed totals or ratings.
struct Changed {
  std::set<model::Object> objects;
  std::set<model::VoterId> voters;

  bool operator==(const Changed&) const = default;
};

// The values of a writer's sequence before and after one or more of its batches.
struct BatchNumbers {
  std::uint64_t before = 0, after = 0;
};

// DESIGN. The ratingd_batches table is a log of the changes made by the last batches of each
// writer. The log allows other hosts to remove only changed data from their caches
// (rollups/foreign_changes.h). The transaction that writes a batch also adds a row to the log. The
// log keeps at most kLoggedBatches rows for each writer, so a new row may overwrite the writer's
// oldest row. Each row in the log also contains the number of the writer's previous batch, so a
// reader can detect gaps. A batch is missing from the log if its row was overwritten or deleted, if
// the writer has version 0.2, or if the database has lost the batch.
//
// All functions throw the same exceptions as db::Connection.
inline constexpr std::uint64_t kLoggedBatches = 512;

// Writes a batch to the log. Must be called in the transaction that writes the batch of votes.
void log_batch(db::Connection& connection, std::uint64_t writer, BatchNumbers numbers,
               const Changed& changed);

// Deletes all batches from the log, because the log contains the ids of voters. Other hosts treat
// deleted batches as missing.
void forget_batches(db::Connection& connection);

// Returns the objects and voters changed by a writer's batches after batch number "numbers.before",
// up to and including "numbers.after". Returns nothing if a batch in this range is missing.
// Acquires no lock.
[[nodiscard]] std::optional<Changed> changed_by_batches(db::Connection& connection,
                                                        std::uint64_t writer, BatchNumbers numbers);

}  // namespace rollups
