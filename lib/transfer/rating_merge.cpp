#include "transfer/rating_merge.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "db/transaction.h"
#include "rollups/rollup_state.h"
#include "rollups/writers.h"
#include "store/front_end_visitors.h"
#include "store/rating_key_sql.h"
#include "store/reasons.h"
#include "transfer/bulk_rows.h"
#include "transfer/retention.h"
#include "votes/batch_store.h"
#include "votes/voter_days.h"

namespace transfer {
namespace {

using model::FrontEndVisitor;
using model::RatingKey;
using model::Totals;
using model::VoterId;

}  // namespace

MergeCounts& MergeCounts::operator+=(const MergeCounts& other) {
  added += other.added;
  changed += other.changed;
  kept += other.kept;
  too_old += other.too_old;
  return *this;
}

MergeCounts RatingMerge::merge(std::span<const StoredRating> ratings, MergeMemory& memory) const {
  assert(ratings.size() <= kRatingsAtOnce);
  MergeCounts counts;
  in_parts(ratings, [&](const auto& part) { counts += merge_part(part, memory); });
  return counts;
}

MergeCounts RatingMerge::merge_part(std::span<const StoredRating> ratings,
                                    MergeMemory& memory) const {
  MergeCounts counts;
  const auto merge_all = [&] { return merge_in(ratings, memory, counts); };
  if (!db::in_transaction_if(connection_, kAttemptsOfPart, merge_all)) {
    memory.are_probably_new = false;
    db::in_transaction_if(connection_, kAttemptsOfPart, merge_all);
  }
  memory.are_probably_new = counts.changed + counts.kept + counts.too_old == 0;
  memory.active_days.commit();
  return counts;
}

// Merges ratings in one transaction. Returns false if some ratings that were expected to be new are
// already stored. If merge_in() returns false, the caller must roll back the transaction.
bool RatingMerge::merge_in(std::span<const StoredRating> given, MergeMemory& memory,
                           MergeCounts& counts) const {
  counts = {};
  std::vector<StoredRating> changed;
  const std::span<const StoredRating> ratings = of_stored_voters(given, changed);
  const rollups::RollupState state = rollups::lock_for_change(connection_);
  Changes changes(state, kBulkSlot);
  const Voters new_voters = lock_voters(ratings, changes);
  memory.active_days.begin(mark_of(state));
  std::set<RatingKey> keys;
  for (const StoredRating& rating : ratings) {
    const bool may_be_stored = !memory.are_probably_new && !new_voters.contains(rating.key.voter);
    if (may_be_stored) keys.insert(rating.key);
  }
  const Votes stored = rows_.lock_votes(keys);
  const base::Time aggregated =
      Aggregation(connection_).aggregated_before().value_or(base::Time::min());

  const Winners winners = find_winners(ratings, stored, aggregated, counts);
  Winners held;
  Winners counted;
  for (const auto& [key, rating] : winners) {
    const auto earlier = stored.find(key);
    const bool is_new = earlier == stored.end();
    const bool is_held = is_new ? rating->hold.has_value() : earlier->second.is_held;
    if (!is_held) counted[key] = rating;
    if (is_held && is_new) held[key] = rating;
  }
  add_activity(counted, changes, memory.active_days);
  const db::BulkStatement& save = memory.are_probably_new ? kInsertVotes : kSaveVotes;
  const std::uint64_t saved = save_votes(save, winners, held);
  const bool are_new = saved == winners.size() && counts.too_old == 0;
  if (memory.are_probably_new && !are_new) return false;
  save_reasons(winners, stored);
  for (const auto& [key, rating] : counted) {
    const auto earlier = stored.find(key);
    if (earlier != stored.end()) {
      changes.subtract(key, {earlier->second.value, earlier->second.rated_at});
    }
    changes.add(key, {rating->value, rating->rated_at}, rating->created_at);
  }
  changes.write(connection_);
  save_holds(held);
  save_visitors(ratings, winners, stored);
  return true;
}

// Locks the rows of all voters in "ratings". Returns the voters whose rows were inserted.
RatingMerge::Voters RatingMerge::lock_voters(std::span<const StoredRating> ratings,
                                             Changes& changes) const {
  Voters voters;
  votes::ExpectedDays last_days;
  for (const StoredRating& rating : ratings) {
    voters.insert(rating.key.voter);
    if (rating.hold) continue;
    const base::Day day = changes.zones().day_of(rating.rated_at);
    base::Day& last_day = last_days.emplace(rating.key.voter, day).first->second;
    last_day = std::max(last_day, day);
  }
  return votes::lock_voters(connection_, voters, changes, last_days);
}

// Returns the ratings that are new or replace stored ratings. Counts the outcomes of all ratings.
RatingMerge::Winners RatingMerge::find_winners(std::span<const StoredRating> ratings,
                                               const Votes& stored, base::Time aggregated,
                                               MergeCounts& counts) {
  Winners winners;
  for (const StoredRating& rating : ratings) {
    const auto earlier = stored.find(rating.key);
    const auto winner = winners.find(rating.key);
    if (winner != winners.end()) {
      const bool is_newer = winner->second->rated_at < rating.rated_at;
      ++(is_newer ? counts.changed : counts.kept);
      if (is_newer) winner->second = &rating;
    } else if (earlier == stored.end()) {
      const bool may_be_aggregated = rating.rated_at < aggregated;
      ++(may_be_aggregated ? counts.too_old : counts.added);
      if (!may_be_aggregated) winners[rating.key] = &rating;
    } else if (earlier->second.rated_at < rating.rated_at) {
      ++counts.changed;
      winners[rating.key] = &rating;
    } else {
      ++counts.kept;
    }
  }
  return winners;
}

// Returns the number of changed rows (db::BulkStatement::execute()).
std::uint64_t RatingMerge::save_votes(const db::BulkStatement& statement_of_rows,
                                      const Winners& winners, const Winners& held) const {
  return statement_of_rows.execute(
      connection_, winners, [&](db::Statement& statement, const auto& row) {
        const auto& [key, rating] = row;
        store::bind_key(statement, key);
        statement.bind(std::int64_t{rating->value}, std::int64_t{held.count(key) > 0 ? 1 : 0},
                       rating->created_at, rating->rated_at, rating->address);
      });
}

void RatingMerge::save_holds(const Winners& held) const {
  votes::kSaveHeld.execute(connection_, held, [](db::Statement& statement, const auto& row) {
    const StoredRating::Hold& hold = *row.second->hold;
    store::bind_key(statement, row.first);
    statement.bind(std::int64_t{hold.reasons}, hold.held_at);
  });
}

// Stores the reasons for the ratings in "winners". Deletes the reasons for the ratings that were
// replaced.
void RatingMerge::save_reasons(const Winners& winners, const Votes& stored) const {
  std::vector<RatingKey> replaced;
  std::map<RatingKey, store::ReasonRow> reasons;
  for (const auto& [key, rating] : winners) {
    if (stored.contains(key)) replaced.push_back(key);
    if (!rating->reason.empty()) reasons[key] = {rating->rated_at, rating->reason};
  }
  store::remove_reasons(connection_, replaced);
  store::save_reasons(connection_, reasons);
}

std::span<const StoredRating> RatingMerge::of_stored_voters(
    std::span<const StoredRating> given, std::vector<StoredRating>& changed) const {
  std::set<FrontEndVisitor> names;
  for (const StoredRating& rating : given) {
    if (rating.visitor) names.insert(*rating.visitor);
  }
  if (names.empty()) return given;
  store::VotersByVisitor voters = store::voters_of(connection_, db::rows_of(names));
  changed.assign(given.begin(), given.end());
  for (StoredRating& rating : changed) {
    if (rating.visitor) {
      rating.key.voter = voters.emplace(*rating.visitor, rating.key.voter).first->second;
    }
  }
  return changed;
}

// Adds missing rows to the ratingd_visitors table for visitors who have ratings in "winners" or
// "stored". Throws db::Conflict if another session has meanwhile stored a different voter for one
// of these visitors.
void RatingMerge::save_visitors(std::span<const StoredRating> ratings, const Winners& winners,
                                const Votes& stored) const {
  std::map<VoterId, store::FrontEndVisitorRow> visitors;
  for (const StoredRating& rating : ratings) {
    if (!rating.visitor || !(winners.contains(rating.key) || stored.contains(rating.key))) continue;
    visitors.emplace(rating.key.voter, store::FrontEndVisitorRow{rating.key.voter, *rating.visitor,
                                                                 rating.created_at});
  }
  if (visitors.empty()) return;
  std::vector<store::FrontEndVisitorRow> rows;
  std::vector<FrontEndVisitor> names;
  for (const auto& [voter, row] : visitors) {
    rows.push_back(row);
    names.push_back(row.visitor);
  }
  store::add_visitors(connection_, rows);
  const store::VotersByVisitor voters = store::voters_of(connection_, names);
  for (const store::FrontEndVisitorRow& row : rows) {
    const auto found = voters.find(row.visitor);
    // No row is added for a visitor whose voter already belongs to another visitor in the table.
    if (found != voters.end() && found->second != row.voter) {
      throw db::Conflict(0, "a visitor is another voter");
    }
  }
}

// --- Aggregates

bool RatingMerge::replaces(const rollups::Aggregate& given, const Totals& stored,
                           const base::ZoneHistory& zones, bool is_restore,
                           std::int64_t more_votes) const {
  if (stored.total() > 0) return stored.last_rated_at < given.sums.last_rated_at;
  return is_restore || given.key.source != kRetention ||
         !has_votes_of(given.key, zones, more_votes);
}

MergeCounts RatingMerge::merge_aggregates(std::span<const rollups::Aggregate> aggregates,
                                          bool is_restore) const {
  assert(aggregates.size() <= kRatingsAtOnce);
  AggregateKeys keys;
  for (const rollups::Aggregate& aggregate : aggregates) {
    assert(aggregate.sums.total() > 0 && aggregate.sums.last_rated_at);
    keys.insert(aggregate.key);
  }
  return db::in_transaction(connection_, [&] {
    Changes changes = rows_.lock({});
    Aggregates stored = rows_.lock_aggregates(keys);
    MergeCounts counts;
    Aggregates saved;
    for (const rollups::Aggregate& given : aggregates) {
      const auto& [key, sums] = given;
      Totals& earlier = stored.at(key);
      const bool is_new = earlier.total() == 0;
      const base::ZoneHistory& zones = changes.zones();
      if (!replaces(given, earlier, zones, is_restore)) {
        ++counts.kept;
        continue;
      }
      if (key.source == kRetention)
        Aggregation(connection_)
            .note_aggregated_before(zones.start_of(key.day + std::chrono::days(1)));
      ++(is_new ? counts.added : counts.changed);
      changes.withdraw({key, earlier});
      changes.add(given);
      saved[key] = earlier = sums;
    }
    std::erase_if(stored, [](const auto& row) { return row.second.total() > 0; });
    rows_.save_aggregates(saved);
    rows_.delete_aggregates(stored);  // rows that were inserted only to be locked
    changes.write(connection_);
    return counts;
  });
}

void RatingMerge::replace_aggregates(std::span<const rollups::Aggregate::Key> earlier,
                                     std::span<const rollups::Aggregate> aggregates,
                                     const std::function<void()>& also) const {
  AggregateKeys keys(earlier.begin(), earlier.end());
  Aggregates wanted;
  for (const rollups::Aggregate& aggregate : aggregates) {
    assert(aggregate.sums.total() > 0 && aggregate.sums.last_rated_at);
    keys.insert(aggregate.key);
    wanted[aggregate.key] = aggregate.sums;
  }
  db::in_transaction(connection_, [&] {
    Changes changes = rows_.lock({});
    Aggregates changed, gone;
    for (const auto& [key, stored] : rows_.lock_aggregates(keys)) {
      const auto sums = wanted.find(key);
      if (sums == wanted.end()) gone[key] = stored;
      if (sums == wanted.end() ? stored.total() == 0 : stored == sums->second) continue;
      changes.withdraw({key, stored});
      if (sums == wanted.end()) continue;
      changes.add({key, sums->second});
      changed.insert(*sums);
    }
    rows_.save_aggregates(changed);
    rows_.delete_aggregates(gone);
    changes.write(connection_);
    also();
  });
}

std::size_t RatingMerge::move_aggregates(std::span<const rollups::Aggregate::Key> keys,
                                         const model::Object& into,
                                         const std::function<void()>& also) const {
  assert(keys.size() <= kRatingsAtOnce);
  const auto key_into = [&](rollups::Aggregate::Key key) {
    key.object = into;
    return key;
  };
  AggregateKeys all(keys.begin(), keys.end());
  for (const auto& key : keys) all.insert(key_into(key));
  return db::in_transaction(connection_, [&] {
    Changes changes = rows_.lock({});
    Aggregates sums = rows_.lock_aggregates(all);
    std::size_t moved = 0;
    for (const auto& key : keys) {
      const Totals from = std::exchange(sums.at(key), {});
      if (from.total() == 0) continue;
      changes.withdraw({key, from});
      changes.add({key_into(key), from});
      add_sums(sums.at(key_into(key)), from);
      ++moved;
    }
    Aggregates changed, empty;
    for (const auto& [key, of_key] : sums) (of_key.total() > 0 ? changed : empty)[key] = of_key;
    rows_.save_aggregates(changed);
    rows_.delete_aggregates(empty);
    changes.write(connection_);
    also();
    return moved;
  });
}

bool RatingMerge::has_votes() const {
  return connection_.query("SELECT 1 FROM {prefix}ratingd_votes LIMIT 1").next();
}

// Returns whether any stored vote may already be included in the aggregate with this key.
// "more_votes" is the number of votes that a preview would have added, and may be negative.
bool RatingMerge::has_votes_of(const rollups::Aggregate::Key& key, const base::ZoneHistory& zones,
                               std::int64_t more_votes) const {
  if (more_votes > 0) return true;
  const auto& [object, category, day, source] = key;
  db::Rows found = connection_.query(
      "SELECT 1 FROM {prefix}ratingd_votes FORCE INDEX (by_object) WHERE object_id = ?"
      " AND object_type = ? AND category = ? AND rated_at >= ? AND rated_at < ? AND held = 0"
      " LIMIT 1 OFFSET ?",
      object.id, object.type, category, zones.start_of(day),
      zones.start_of(day + std::chrono::days(1)), -more_votes);
  return found.next();
}

// --- The active days of voters -------------------------------------------------------------------

namespace {

using rollups::RollupChanges;

// Returns "days" together with the days that contain the times in "moments".
ActiveDays::Days joined(const RollupChanges& changes, const ActiveDays::Days& days,
                        const std::vector<base::Time>& moments) {
  ActiveDays::Days all;
  std::ranges::set_union(days, votes::days_of(changes.zones(), moments), std::back_inserter(all));
  return all;
}

}  // namespace

// Returns the current ActiveDays::Mark. Call mark_of() only after the transaction has locked its
// voters, because other transactions can change the active days of unlocked voters.
ActiveDays::Mark RatingMerge::mark_of(const rollups::RollupState& state) const {
  return {state.zone.name(), state.rebuilds, rollups::read_sequence(connection_, 0).value_or(0)};
}

// Adds the days of the new ratings to the voters' active days. Call this function before the new
// ratings are written.
void RatingMerge::add_activity(const Winners& counted, Changes& changes,
                               ActiveDays& active_days) const {
  std::map<VoterId, std::vector<base::Time>> active;
  for (const auto& [key, rating] : counted) {
    auto& moments = active[key.voter];
    moments.insert(moments.end(), {rating->created_at, rating->rated_at});
  }

  // Read stored votes only for voters who have new ratings before their last active day.
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
