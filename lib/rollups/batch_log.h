#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "db/connection.h"
#include "model/rating.h"

namespace rollups {

// The changes that a batch of votes has made: the ratings by "voters" and the totals for "objects".
struct Changed {
  std::set<model::Object> objects;
  std::set<model::VoterId> voters;

  bool operator==(const Changed&) const = default;
};

// The numbers that identify a batch: the sequence in the writer's row before the batch and after it
// (rollups/writer_rows.h).
struct BatchNumbers {
  std::uint64_t before = 0, after = 0;
};

// DESIGN. A log with the changes in each writer's last batches (table ratingd_batches). Because of
// this log, the caches on other hosts need to forget only the changed data
// (rollups/foreign_changes.h). Each batch writes its row in its own transaction and overwrites the
// row that the same writer wrote kLoggedBatches batches earlier. A batch's row contains the number
// of the previous batch, so a reader sees whether it has all batches between two numbers. A batch
// is missing if it was overwritten or deleted, if its writer has version 0.2, or if the database
// has lost it.
//
// Errors (all functions): as db::Connection.
inline constexpr std::uint64_t kLoggedBatches = 512;

// Writes the row for a batch. REQUIRES: called in the batch's transaction.
void log_batch(db::Connection& connection, std::uint64_t writer, BatchNumbers numbers,
               const Changed& changed);

// Deletes all rows because they identify voters. Afterwards, readers find that batches are missing.
void forget_batches(db::Connection& connection);

// Returns the changes in a writer's batches after "numbers.before", up to "numbers.after". Returns
// nothing if any of these batches is missing. Takes no lock.
[[nodiscard]] std::optional<Changed> changed_by_batches(db::Connection& connection,
                                                        std::uint64_t writer, BatchNumbers numbers);

}  // namespace rollups
