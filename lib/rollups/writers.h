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
// changes the row of its writer.
//
// A writer's sequence counts the writer's batches. If the response to a commit is lost, a second
// attempt to increase the sequence shows whether the batch was committed. In a database cluster, a
// different node may apply the commit later than the second attempt. The first and the second
// attempt change the same row, so only one of the attempts can be committed.
//
// In a database cluster, locks are local to a node. So an operation that must exclude all other
// operations changes all rows in the table of writers (fence_writers()). If two transactions change
// the same row on two nodes at the same time, the cluster commits only one of the transactions. A
// transaction that adds a row to the table also changes the row of writer 0. So a call of
// fence_writers() either changes the new row or conflicts with the transaction that adds the row.
//
// All functions throw the same exceptions as db::Connection.

// The version of the rollup set that a program maintains. kProgram must be increased for each new
// rollup. If a writer with a lower number has written votes, a repair is due (rollups/repair.h).
// Writers with version 0.3 have the number 0.
inline constexpr int kProgram = 4;

// Adds the row for a new writer in a separate transaction and returns the writer's number. The
// function also deletes the rows and logged batches of writers that have been inactive for more
// than a week. The new writer has the slot with the fewest writers that were active today or
// yesterday. A writer's slot is its number modulo "slots".
// The number of slots must be a power of two.
[[nodiscard]] std::uint64_t add_writer(db::Connection& connection, std::uint8_t slots);

// Adds a statement to a multi-statement (db/multi_statement.h). The statement increases a writer's
// sequence to "sequence". The statement changes no row if the sequence is already at least as high,
// or if the writer has no row. The function read_sequence() distinguishes the two cases.
void add_raise_sequence(db::Connection& connection, std::uint64_t writer, std::uint64_t sequence);

// Adds a statement to a multi-statement. The statement reads a writer's sequence. The function
// sequence_in() returns the sequence from the result of the statement, or nothing if the writer has
// no row.
void add_read_sequence(db::Connection& connection, std::uint64_t writer);
[[nodiscard]] std::optional<std::uint64_t> sequence_in(db::Rows& row);

// Returns a writer's sequence, or nothing if the writer has no row.
[[nodiscard]] std::optional<std::uint64_t> read_sequence(db::Connection& connection,
                                                         std::uint64_t writer);

// The numbers in a writer's row. The function read_writer_rows() returns the rows of all writers,
// by the writer's number, without acquiring a lock.
struct WriterRow {
  std::uint64_t sequence = 0, fences = 0;
  bool operator==(const WriterRow&) const = default;
};
[[nodiscard]] std::map<std::uint64_t, WriterRow> read_writer_rows(db::Connection& connection);

// Counts a change by a program or operation that is not a vote writer.
void note_change(db::Connection& connection);

// Changes the rows of all writers, which excludes all other changes to votes. The transaction must
// not have locked anything except the rollup state.
void fence_writers(db::Connection& connection);

// The data that a batch of votes has changed, which are the ratings by "voters" and the totals of
// "objects".
struct Changed {
  std::set<model::Object> objects;
  std::set<model::VoterId> voters;

  bool operator==(const Changed&) const = default;
};

// The numbers that identify a batch, which are the sequences in the writer's row before and after
// the batch.
struct BatchNumbers {
  std::uint64_t before = 0, after = 0;
};

// DESIGN. The table ratingd_batches is a log of the changes in each writer's last batches. The log
// allows other hosts to remove only changed data from their caches (rollups/foreign_changes.h). The
// transaction for a batch also writes a row to the log and overwrites the row that the writer wrote
// kLoggedBatches batches earlier. Each row contains the number of the previous batch, so a reader
// can detect missing batches between two numbers. A batch is missing if it was overwritten or
// deleted, if its writer has version 0.2, or if the database has lost the batch.
//
// All functions throw the same exceptions as db::Connection.
inline constexpr std::uint64_t kLoggedBatches = 512;

// Writes a batch to the log. Must be called in the transaction for the batch.
void log_batch(db::Connection& connection, std::uint64_t writer, BatchNumbers numbers,
               const Changed& changed);

// Deletes all batches in the log, because the log identifies voters. Readers treat deleted batches
// as missing.
void forget_batches(db::Connection& connection);

// Returns the changes in a writer's batches after "numbers.before", up to "numbers.after". Returns
// nothing if any batch is missing. Acquires no lock.
[[nodiscard]] std::optional<Changed> changed_by_batches(db::Connection& connection,
                                                        std::uint64_t writer, BatchNumbers numbers);

}  // namespace rollups
