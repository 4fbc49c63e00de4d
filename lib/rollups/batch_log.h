#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "db/connection.h"
#include "model/rating.h"

namespace rollups {

// What a batch of votes has changed: the ratings of "voters" and the totals of "objects".
struct Changed {
  std::set<model::Object> objects;
  std::set<model::VoterId> voters;

  bool operator==(const Changed&) const = default;
};

// The numbers of a batch, which the row of its writer has before and after it
// (rollups/writer_rows.h).
struct BatchNumbers {
  std::uint64_t before = 0, after = 0;
};

// DESIGN. What the last batches of each writer have changed (table ratingd_batches), so that the
// caches of other hosts forget only that (rollups/foreign_changes.h). Each batch writes its row in
// its own transaction, over that of the writer's batch kLoggedBatches before. A batch names the
// number before it, so a reader sees whether it has all batches between two numbers: one is missing
// if it was overwritten or deleted, if its writer is of version 0.2, or if the database has lost
// it.
//
// Errors of all functions: as db::Connection.
inline constexpr std::uint64_t kLoggedBatches = 512;

// REQUIRES: the transaction of the batch.
void log_batch(db::Connection& connection, std::uint64_t writer, BatchNumbers numbers,
               const Changed& changed);

// Deletes all rows, since they name voters. Readers then miss batches.
void forget_batches(db::Connection& connection);

// What the batches of a writer after "numbers.before", up to "numbers.after", have changed; nothing
// if any of them is missing. Takes no lock.
[[nodiscard]] std::optional<Changed> changed_by_batches(db::Connection& connection,
                                                        std::uint64_t writer, BatchNumbers numbers);

}  // namespace rollups
