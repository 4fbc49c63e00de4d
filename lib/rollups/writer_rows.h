#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "db/connection.h"

namespace rollups {

// DESIGN. The rows of those who change votes: one for each writer of votes (votes/vote_writer.h),
// and the row of writer 0 for everybody else. Each transaction that changes votes or rollups
// changes its row, after it has locked the state of the rollups (rollups/rollup_state.h).
//
// The sequence of a writer counts its batches. When the response of a commit was lost, raising it
// again shows whether the batch was committed. Another node of a cluster may apply that commit only
// later: then both change the same row, and only one of them can be committed.
//
// Locks are local to a node of a cluster. So an operation that needs to exclude all others changes
// all rows: fence_writers(). Of two transactions that change the same row at the same time on two
// nodes, the cluster commits one. A new row is added together with a change of the row of writer 0,
// so a fence_writers() either contains it or conflicts.
//
// Errors of all functions: as db::Connection.

// The version of the set of rollups in which a program counts votes. Raise it with each new rollup.
// A repair is due after votes of writers with a lower number (rollups/repair_due.h). Version 0.3
// writes 0.
inline constexpr int kProgram = 4;

// Adds the row of a new writer in a transaction of its own, and deletes rows that were not used for
// a week, with what their batches have changed. Returns the number of the writer. Its remainder by
// "slots", which is a power of two, is one that few other writers of these days have.
[[nodiscard]] std::uint64_t add_writer(db::Connection& connection, std::uint8_t slots);

// Adds the statement that raises the sequence of a writer to "sequence", while statements are
// collected (db/multi_statement.h). It changes no row if that has been done, or if there is no row:
// then read_sequence().
void add_raise_sequence(db::Connection& connection, std::uint64_t writer, std::uint64_t sequence);

// Adds the statement that reads the sequence, for sequence_in().
void add_read_sequence(db::Connection& connection, std::uint64_t writer);
[[nodiscard]] std::optional<std::uint64_t> sequence_in(db::Rows& row);

// The sequence of a writer; nothing: there is no row.
[[nodiscard]] std::optional<std::uint64_t> read_sequence(db::Connection& connection,
                                                         std::uint64_t writer);

// All rows, by writer. Takes no lock.
struct WriterRow {
  std::uint64_t sequence = 0, fences = 0;
  bool operator==(const WriterRow&) const = default;
};
[[nodiscard]] std::map<std::uint64_t, WriterRow> read_writer_rows(db::Connection& connection);

// Counts a change by anything but a writer of votes.
void note_change(db::Connection& connection);

// REQUIRES: a transaction that has locked nothing but the state of the rollups.
void fence_writers(db::Connection& connection);

}  // namespace rollups
