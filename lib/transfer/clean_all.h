#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "db/connection.h"

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
// Returns the number of deleted ratings. "progress" is called with a number of rows that grows to
// about the number of ratings. Errors: db::Busy - a rebuild is running; as db::Connection; finished
// slices stay.
std::uint64_t clean_all_ratings(db::Connection& connection,
                                const std::function<void(std::uint64_t rows)>& progress);

}  // namespace transfer
