#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "db/connection.h"
#include "model/rating.h"

namespace rollups {

// DESIGN. The table of writers contains a row for each vote writer (votes/vote_writer.h), and the
// row for writer 0, which stands for all other programs and operations that change votes. Each
// transaction that changes votes or rollups first locks the rollup state (rollups/rollup_state.h)
// and then changes its writer's row.
//
// A writer's sequence counts the writer's batches. If the response to a commit was lost, raising
// the sequence again shows whether the batch was committed. In a cluster, another node may apply
// the lost commit only later. In this case, both transactions change the same row, and only one of
// the transactions can be committed.
//
// In a cluster, locks are local to a node. So an operation that needs to exclude all others changes
// all rows (fence_writers()). If two transactions change the same row at the same time on two
// nodes, the cluster commits only one of the transactions. A new row is added together with a
// change to writer 0's row. So a call of fence_writers() either includes the new row or conflicts
// with its transaction.
//
// Errors (all functions): same as db::Connection.

// The version of the rollup set that a program maintains. Raise this number with each new rollup.
// If a writer with a lower number has written votes, a repair is due (rollups/repair.h). Version
// 0.3 writes 0.
inline constexpr int kProgram = 4;

// Adds the row for a new writer and returns the writer's number. Uses a separate transaction. Also
// deletes the rows of writers that have been unused for at least a week, and the log of their
// batches. The number modulo "slots" is the slot with the fewest writers that were active today or
// yesterday.
// REQUIRES: "slots" is a power of two.
[[nodiscard]] std::uint64_t add_writer(db::Connection& connection, std::uint8_t slots);

// Adds the statement that raises a writer's sequence to "sequence", while statements are collected
// (db/multi_statement.h). The statement changes no row if the sequence has already been raised, or
// if the writer has no row. Call read_sequence() to find out which.
void add_raise_sequence(db::Connection& connection, std::uint64_t writer, std::uint64_t sequence);

// Adds the statement that reads the sequence. sequence_in() returns the sequence from this
// statement's result, or nothing if the writer has no row.
void add_read_sequence(db::Connection& connection, std::uint64_t writer);
[[nodiscard]] std::optional<std::uint64_t> sequence_in(db::Rows& row);

// Returns a writer's sequence, or nothing if the writer has no row.
[[nodiscard]] std::optional<std::uint64_t> read_sequence(db::Connection& connection,
                                                         std::uint64_t writer);

// The numbers in a writer's row. read_writer_rows() returns all rows, by the writer's number, and
// takes no lock.
struct WriterRow {
  std::uint64_t sequence = 0, fences = 0;
  bool operator==(const WriterRow&) const = default;
};
[[nodiscard]] std::map<std::uint64_t, WriterRow> read_writer_rows(db::Connection& connection);

// Counts a change by a program or operation that is not a vote writer.
void note_change(db::Connection& connection);

// Changes all writers' rows, which excludes all other changes to votes. REQUIRES: the transaction
// has locked nothing except the rollup state.
void fence_writers(db::Connection& connection);

// The data that a batch of votes has changed: the ratings by "voters" and the totals for "objects".
struct Changed {
  std::set<model::Object> objects;
  std::set<model::VoterId> voters;

  bool operator==(const Changed&) const = default;
};

// The numbers that identify a batch: the sequence in the writer's row before the batch and after
// it.
struct BatchNumbers {
  std::uint64_t before = 0, after = 0;
};

// DESIGN. A log that contains the changes in each writer's last batches (table ratingd_batches).
// Because of this log, the caches on other hosts need to forget only the changed data
// (rollups/foreign_changes.h). Each batch writes its row in its own transaction and overwrites the
// row that the same writer wrote kLoggedBatches batches earlier. A batch's row contains the number
// of the previous batch, so a reader can tell whether any batch between two numbers is missing. A
// batch is missing if it was overwritten or deleted, if its writer has version 0.2, or if the
// database has lost it.
//
// Errors (all functions): same as db::Connection.
inline constexpr std::uint64_t kLoggedBatches = 512;

// Writes the row for a batch. REQUIRES: called in the batch's transaction.
void log_batch(db::Connection& connection, std::uint64_t writer, BatchNumbers numbers,
               const Changed& changed);

// Deletes all rows in the log, because they identify voters. Afterwards, readers treat the batches
// as missing.
void forget_batches(db::Connection& connection);

// Returns the changes in a writer's batches after "numbers.before", up to "numbers.after". Returns
// nothing if any batch is missing. Takes no lock.
[[nodiscard]] std::optional<Changed> changed_by_batches(db::Connection& connection,
                                                        std::uint64_t writer, BatchNumbers numbers);

}  // namespace rollups
