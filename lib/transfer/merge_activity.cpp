// The part of RatingMerge that adds voters' active days.

#include <algorithm>
#include <iterator>

#include "rollups/writers.h"
#include "transfer/rating_merge.h"
#include "votes/voter_days.h"

namespace transfer {
namespace {

using model::VoterId;
using rollups::RollupChanges;

// Returns the union of "days" and the days of "moments".
ActiveDays::Days joined(const RollupChanges& changes, const ActiveDays::Days& days,
                        const std::vector<base::Time>& moments) {
  ActiveDays::Days all;
  std::ranges::set_union(days, votes::days_of(changes.zones(), moments), std::back_inserter(all));
  return all;
}

}  // namespace

// REQUIRES: the voters in the transaction are locked, so that no later change of their activity is
// missed.
ActiveDays::Mark RatingMerge::mark_of(const rollups::RollupState& state) const {
  return {state.zone.name(), state.rebuilds, rollups::read_sequence(connection_, 0).value_or(0)};
}

// Adds the active days from new ratings. REQUIRES: the ratings are not written yet.
void RatingMerge::add_activity(const Winners& counted, Changes& changes,
                               ActiveDays& active_days) const {
  std::map<VoterId, std::vector<base::Time>> active;
  for (const auto& [key, rating] : counted) {
    auto& moments = active[key.voter];
    moments.insert(moments.end(), {rating->created_at, rating->rated_at});
  }

  // Stored votes must be read only for voters who get ratings from before their last day.
  BulkRows::Voters of_past;
  for (const auto& [voter, moments] : active) {
    const base::Day last_day = changes.last_day(voter);
    const base::Day first = changes.zones().day_of(*std::ranges::min_element(moments));
    if (first < last_day && active_days.find(voter, last_day) == nullptr) of_past.insert(voter);
  }
  votes::Moments stored = votes::read_moments(connection_, of_past);
  for (const auto& [voter, moments] : active) {
    const base::Day last_day = changes.last_day(voter);
    const ActiveDays::Days* known = active_days.find(voter, last_day);
    const bool is_new = last_day == rollups::kNeverActive;
    const bool are_all = is_new || known != nullptr || of_past.contains(voter);
    const ActiveDays::Days days =
        known != nullptr ? *known : votes::days_of(changes, voter, stored[voter]);
    const ActiveDays::Days after = joined(changes, days, moments);
    changes.replace_activity(voter, days, after);
    if (are_all) active_days.note(voter, after);
  }
}

}  // namespace transfer
