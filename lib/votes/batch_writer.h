#pragma once

#include <cstdint>
#include <span>

#include "db/connection.h"
#include "model/rating.h"
#include "rollups/rollup_changes.h"
#include "rollups/stats_store.h"
#include "rollups/writers.h"
#include "store/front_end_visitors.h"
#include "votes/decisions.h"

namespace votes {

// Writes the decisions about one batch of votes. Used by one thread, in the batch's transaction.
// Errors: as db::Connection.
class BatchWriter {
 public:
  // All arguments must outlive this. "changes" contains the last active days of all voters before
  // the batch.
  BatchWriter(db::Connection& connection, const Decisions& decisions,
              rollups::RollupChanges& changes);

  struct Written {
    rollups::StatsOf totals;  // the totals after the batch
    // The visitors for whom another session has stored a different voter than this batch, with
    // these stored voters. If there are any, the transaction must be rolled back.
    store::VotersByVisitor other_voters;
  };
  // Writes everything that has changed and returns the new totals for "objects". "writer" is the
  // number of the writer's row. Errors: as db::Connection. Throws db::Conflict, too, if a node in a
  // cluster has undone the transaction.
  [[nodiscard]] Written write(std::span<const model::Object> objects, std::uint64_t writer,
                              rollups::BatchNumbers numbers);

  // Deletes the rows for voters who have neither votes nor numbers that a rule counts. Most of
  // these rows were inserted for votes that were refused.
  void delete_unused_voters();

 private:
  void write_rows(std::uint64_t writer, rollups::BatchNumbers numbers);
  void write_votes();
  void write_reasons();
  void write_voters();
  void write_holds();
  void write_visitors();
  void write_log(std::uint64_t writer, rollups::BatchNumbers numbers);
  [[nodiscard]] store::VotersByVisitor others_in(const store::VotersByVisitor& stored) const;

  db::Connection& connection_;
  const Decisions& decisions_;
  rollups::RollupChanges& changes_;
};

}  // namespace votes
