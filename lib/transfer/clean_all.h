#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/zone.h"
#include "db/connection.h"
#include "db/lease.h"
#include "model/rating.h"
#include "transfer/bulk_ratings.h"
#include "transfer/slices.h"
#include "votes/vote_batch.h"
#include "votes/voter_days.h"

namespace transfer {

// DESIGN. Deletes all ratings that are stored when it begins, while votes arrive. To delete a
// rating with its active days, all other ratings of its voter must be read (BulkRatings::remove).
// Here no rating stays, so the days and the ratings are deleted one after the other:
//
// 1. By voter: the activity of each voter is shortened to the days of ratings that came since; most
//    voters have none. Then it contains just the days that votes have added since.
// 2. By object: the ratings are deleted and subtracted from all sums; the activity stays.
// 3. By voter: who has no ratings is deleted with the last active day. A rating that was changed
//    since was deleted and cast again, as far as its times show.
//
// "Since" is by the times of ratings: after the newest one at the beginning. Votes with an earlier
// time that arrive meanwhile are deleted if step 2 has not passed their place.
//
// After each slice all sums match the ratings, and the activity pairs end on the last day of each
// voter. The days of a voter who was shortened do not follow from the ratings that are still there,
// so the progress of step 1 is stored with each slice: a call after an interruption continues from
// there, then deletes what came since, too. Until then, less history is left than the ratings show;
// other operations that compute active days are refused (require_full_activity()), and verification
// does not compare last days with ratings. A rebuild cannot run meanwhile, and an interrupted one
// is ended: its new rollups would get activity of ratings that are deleted afterwards.
//
// Then the activity is what a rebuild makes, except for days that were not known from ratings
// before (votes/voter_days.h), for voters who were active on several days between steps 1 and 3,
// and for users to whom ratings of earlier days were moved between them.
//
// Used by one thread. Errors of all functions: as db::Connection; finished slices stay.
class CleanAll {
 public:
  using Progress = std::function<void(std::uint64_t rows)>;

  // "connection" must outlive this. Errors: db::Busy - a rebuild is running.
  CleanAll(db::Connection& connection, const std::string& table_prefix);

  // Returns the number of deleted ratings. "progress" is called with a number of rows that grows to
  // about the number of ratings.
  std::uint64_t run(const Progress& progress);

 private:
  // What is stored until everything is done.
  struct Marker {
    base::Time before;  // which ratings are deleted: those that were changed last before it
    std::int64_t rebuilds = 0;
    model::VoterId shortened = 0;  // the last voter
  };
  struct Row {
    model::RatingKey key;
    model::OwnRating rating;
    bool is_held = false;
  };
  enum class DeleteBy { range, keys };

  void end_rebuild();
  bool resume();
  void start();
  void save_marker();
  std::uint64_t remove_all(const Progress& progress);
  void shorten_activity(const Progress& progress);
  std::uint64_t remove_ratings(const Progress& progress);
  void remove_voters();
  rollups::RollupChanges begin();
  std::size_t shorten_slice(std::size_t count);
  std::vector<model::VoterId> lock_voters(rollups::RollupChanges& changes, std::size_t count);
  std::size_t remove_slice(std::size_t rows);
  bool remove_in(std::size_t rows, DeleteBy how, std::vector<Row>& removed);
  std::vector<Row> lock_ratings(std::size_t rows);
  std::uint64_t delete_ratings(const std::vector<Row>& ratings, DeleteBy how);
  std::size_t remove_voters_slice(std::size_t count);

  db::Connection& connection_;
  const std::string prefix_;
  const db::Lease rebuild_lease_;
  const votes::VoteStatements votes_;
  const BulkStatements statements_;
  const std::string lock_voters_, read_moments_, lock_ratings_, delete_range_, find_newest_;
  const std::string forget_first_times_;
  const std::string read_marker_, save_marker_;
  Marker marker_;
  std::uint64_t done_ = 0;  // of the progress, in quarters of a rating
  Slices slices_;
  model::VoterId voter_ = 0;
  model::RatingKey rating_;
};

}  // namespace transfer
