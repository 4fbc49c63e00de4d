#include "rollups/rollup_changes.h"

#include <algorithm>

#include "store/rating_key_sql.h"

namespace rollups {
namespace {

using model::Category;
using model::RatingKey;
using model::VoterId;

void bind_voter(db::Statement& statement, VoterId voter, bool) { statement.bind(voter); }

std::vector<VoterId> users_among(const std::set<VoterId>& voters) {
  return {voters.begin(), voters.lower_bound(model::kAnonymousBit)};
}

void add_value(model::Totals& totals, Category category, model::Thousandths value,
               std::int64_t sign) {
  totals.sum += sign * value;
  totals.bins[bin_of(category, value)] += sign;
}

}  // namespace

std::vector<RollupChanges> RollupChanges::for_all_sets(const RollupState& state,
                                                       std::uint8_t slot) {
  std::vector<RollupChanges> sets = {RollupChanges(state.zone, {}, slot)};
  if (state.rebuild) sets.push_back(RollupChanges(state.rebuild->zone, state.rebuild, slot));
  return sets;
}

void RollupChanges::add(const RatingKey& key, const model::OwnRating& rating) {
  count(key, rating, +1);
  update_last_rated_at(key, rating.rated_at);
}

void RollupChanges::subtract(const RatingKey& key, const model::OwnRating& rating) {
  count(key, rating, -1);
}

void RollupChanges::withdraw(const RatingKey& key, const model::OwnRating& rating) {
  count(key, rating, -1);
  base::Time& newest = withdrawn_[{key.object, key.category}];
  newest = std::max(newest, rating.rated_at);
}

void RollupChanges::add(const Aggregate& aggregate) {
  if (change_version(aggregate.key)) count(aggregate, +1);
}

void RollupChanges::withdraw(const Aggregate& aggregate) {
  if (change_version(aggregate.key)) count(aggregate, -1);
  if (!aggregate.sums.last_rated_at) return;
  base::Time& newest = withdrawn_[{aggregate.key.object, aggregate.key.category}];
  newest = std::max(newest, *aggregate.sums.last_rated_at);
}

// Raises the version of the totals, and returns whether this set contains the aggregate.
bool RollupChanges::change_version(const Aggregate::Key& key) {
  totals_[{key.object, key.category}];
  return !rebuild_ || rebuild_->has_aggregate(key.object, key.category);
}

void RollupChanges::note_first_time(const RatingKey& key, base::Time first_at) {
  if (model::is_anonymous(key.voter)) return;
  if (rebuild_ && !rebuild_->has_voter(key.voter)) return;
  UserSums& user = users_[{key.voter, key.category}];
  user.first_at = std::min(user.first_at, first_at);
  user.last_at = std::max(user.last_at, first_at);
}

void RollupChanges::add_to_object(const RatingKey& key, const model::OwnRating& rating) {
  count_in_object(key, rating, +1);
  update_last_rated_at(key, rating.rated_at);
}

void RollupChanges::add_to_object(const Aggregate& aggregate) { count(aggregate, +1); }

void RollupChanges::add_to_voter(const RatingKey& key, const model::OwnRating& rating,
                                 base::Time first_rated_at) {
  if (model::is_anonymous(key.voter)) return;
  UserSums& user = count_in_user(key, rating, +1);
  user.first_at = std::min(user.first_at, first_rated_at);
}

// Adds ("sign" +1) or subtracts (-1) one rating in all sums that contain it.
void RollupChanges::count(const RatingKey& key, const model::OwnRating& rating, std::int64_t sign) {
  // The version is raised also if this set does not contain the rating: caches have seen it grow.
  totals_[{key.object, key.category}];
  if (!rebuild_ || rebuild_->has_rating(key)) count_in_object(key, rating, sign);
  if (model::is_anonymous(key.voter)) return;
  if (!rebuild_ || rebuild_->has_voter(key.voter)) count_in_user(key, rating, sign);
}

void RollupChanges::count_in_object(const RatingKey& key, const model::OwnRating& rating,
                                    std::int64_t sign) {
  const auto& [object, category, voter] = key;
  const base::Day day = zone_.day_of(rating.rated_at);
  add_value(totals_[{object, category}], category, rating.value, sign);
  add_value(site_daily_[{day, category, object.type}], category, rating.value, sign);

  DailySums& daily = daily_[{category, day, object.type, object.id}];
  daily.total += sign;
  daily.sum += sign * rating.value;
  if (rating.value > 0) daily.positive += sign;
  const bool is_negative = rating.value < 0 || (category == Category::binary && rating.value == 0);
  if (is_negative) daily.negative += sign;
}

RollupChanges::UserSums& RollupChanges::count_in_user(const RatingKey& key,
                                                      const model::OwnRating& rating,
                                                      std::int64_t sign) {
  UserSums& user = users_[{key.voter, key.category}];
  user.total += sign;
  user.sum += sign * rating.value;
  user.first_at = std::min(user.first_at, rating.rated_at);
  user.last_at = std::max(user.last_at, rating.rated_at);
  DailySums& daily =
      user_daily_[{zone_.day_of(rating.rated_at), key.voter, key.category, key.object.type}];
  daily.total += sign;
  daily.sum += sign * rating.value;
  return user;
}

// Aggregates hold bins instead of values: scale values below 0.05 are in the bin of 0.
void RollupChanges::count(const Aggregate& aggregate, std::int64_t sign) {
  const auto& [object, category, day, source] = aggregate.key;
  const model::Totals& sums = aggregate.sums;
  for (model::Totals* totals :
       {&totals_[{object, category}], &site_daily_[{day, category, object.type}]}) {
    totals->sum += sign * sums.sum;
    for (std::size_t i = 0; i < sums.bins.size(); ++i) totals->bins[i] += sign * sums.bins[i];
  }
  if (sign > 0 && sums.last_rated_at)
    update_last_rated_at({object, category, 0}, *sums.last_rated_at);
  const bool is_scale = category == Category::scale;
  DailySums& daily = daily_[{category, day, object.type, object.id}];
  daily.total += sign * sums.total();
  daily.sum += sign * sums.sum;
  daily.positive += sign * (is_scale ? sums.total() - sums.bins.front() : sums.bins.back());
  daily.negative += sign * (is_scale ? 0 : sums.bins.front());
}

void RollupChanges::update_last_rated_at(const RatingKey& key, base::Time rated_at) {
  auto& last_rated_at = totals_[{key.object, key.category}].last_rated_at;
  last_rated_at = std::max(last_rated_at.value_or(rated_at), rated_at);
}

void RollupChanges::read_last_days(db::Connection& connection,
                                   const AllRollupStatements& statements,
                                   std::span<const VoterId> voters) {
  for (const VoterId voter : voters) last_days_[voter] = kNeverActive;
  of_this_set(statements)
      .read_last_days.query(connection, voters, bind_voter, [&](const db::Rows& row) {
        last_days_[row.unsigned_integer(1)] = row.day(2);
      });
}

std::optional<base::Day> RollupChanges::last_day(VoterId voter) const {
  if (rebuild_ && !rebuild_->has_voter(voter)) return std::nullopt;
  return last_days_.at(voter);
}

bool RollupChanges::note_activity(VoterId voter, base::Day day) {
  const auto last = last_day(voter);
  if (!last || day <= *last) return false;
  add_activity_pair(day, *last, +1);
  last_days_[voter] = day;
  return true;
}

void RollupChanges::replace_activity(VoterId voter, const Days& before, const Days& after) {
  if (rebuild_ && !rebuild_->has_voter(voter)) return;
  count_activity_pairs(before, -1);
  count_activity_pairs(after, +1);
  const base::Day last_day = after.empty() ? kNeverActive : *after.rbegin();
  const auto [known, is_unknown] = last_days_.try_emplace(voter, last_day);
  if (is_unknown || known->second != last_day) replaced_.insert(voter);
  known->second = last_day;
}

void RollupChanges::withdraw_activity(VoterId voter, const Days& days) {
  if (rebuild_ && !rebuild_->has_voter(voter)) return;
  count_activity_pairs(days, -1);
  last_days_[voter] = kNeverActive;
}

void RollupChanges::insert_active_day(VoterId voter, base::Day day, base::Day previous,
                                      std::optional<base::Day> next) {
  if (rebuild_ && !rebuild_->has_voter(voter)) return;
  add_activity_pair(day, previous, +1);
  if (next) {
    add_activity_pair(*next, previous, -1);
    add_activity_pair(*next, day, +1);
  } else {
    last_days_[voter] = day;
    replaced_.insert(voter);
  }
}

void RollupChanges::count_activity_pairs(const Days& days, std::int64_t sign) {
  base::Day previous = kNeverActive;
  for (const base::Day day : days) {
    add_activity_pair(day, previous, sign);
    previous = day;
  }
}

// Counts "count" more voters with the activity pair of these days.
void RollupChanges::add_activity_pair(base::Day day, base::Day previous_day, std::int64_t count) {
  const ActivityPair pair{day, previous_day};
  if ((activity_pairs_[pair] += count) == 0) activity_pairs_.erase(pair);
}

void RollupChanges::write(db::Connection& connection, const AllRollupStatements& statements) const {
  const RollupStatements& own = of_this_set(statements);
  write_totals(connection, own);
  write_daily(connection, own);
  write_site_daily(connection, own);
  write_users(connection, own);
  write_user_daily(connection, own);
  write_activity_pairs(connection, own);
}

void RollupChanges::write_totals(db::Connection& connection,
                                 const RollupStatements& statements) const {
  const auto rows = db::rows_of(totals_);
  statements.add_totals.execute(
      connection, db::span_of(rows),
      [](db::Statement& statement, const auto& row, bool repetition) {
        const auto& [key, sums] = row;
        const std::int64_t factor = repetition ? 0 : 1;
        statement.bind(key.object.id).bind(key.object.type).bind(store::number_of(key.category));
        statement.bind(factor * sums.sum);
        for (const std::int64_t bin : sums.bins) statement.bind(factor * bin);
        statement.bind(sums.last_rated_at.value_or(base::Time(kNeverActive))).bind(factor);
      });
  const auto withdrawn = db::rows_of(withdrawn_);
  statements.refresh_last_rated_at.execute(
      connection, db::span_of(withdrawn), [](db::Statement& statement, const auto& row, bool) {
        const auto& [key, rated_at] = row;
        statement.bind(key.object.id).bind(key.object.type).bind(store::number_of(key.category));
        statement.bind(rated_at);
      });
}

void RollupChanges::write_daily(db::Connection& connection,
                                const RollupStatements& statements) const {
  const auto rows = db::rows_of(daily_);
  statements.add_daily.execute(
      connection, db::span_of(rows),
      [](db::Statement& statement, const auto& row, bool repetition) {
        const auto& [key, sums] = row;
        const std::int64_t factor = repetition ? 0 : 1;
        statement.bind(key.day).bind(store::number_of(key.category)).bind(key.object_type);
        statement.bind(key.object_id).bind(factor * sums.total).bind(factor * sums.sum);
        statement.bind(factor * sums.positive).bind(factor * sums.negative);
      });
}

void RollupChanges::write_site_daily(db::Connection& connection,
                                     const RollupStatements& statements) const {
  const auto rows = db::rows_of(site_daily_);
  statements.add_site_daily.execute(
      connection, db::span_of(rows),
      [&](db::Statement& statement, const auto& row, bool repetition) {
        const auto& [key, sums] = row;
        const std::int64_t factor = repetition ? 0 : 1;
        statement.bind(key.day).bind(store::number_of(key.category)).bind(key.object_type);
        statement.bind(std::int64_t{slot_}).bind(factor * sums.sum);
        for (const std::int64_t bin : sums.bins) statement.bind(factor * bin);
      });
}

void RollupChanges::write_users(db::Connection& connection,
                                const RollupStatements& statements) const {
  const auto rows = db::rows_of(users_);
  statements.add_users.execute(connection, db::span_of(rows),
                               [](db::Statement& statement, const auto& row, bool repetition) {
                                 const auto& [key, sums] = row;
                                 const std::int64_t factor = repetition ? 0 : 1;
                                 statement.bind(key.user_id).bind(store::number_of(key.category));
                                 statement.bind(factor * sums.total).bind(factor * sums.sum);
                                 statement.bind(sums.first_at).bind(sums.last_at);
                               });
}

void RollupChanges::write_user_daily(db::Connection& connection,
                                     const RollupStatements& statements) const {
  const auto rows = db::rows_of(user_daily_);
  statements.add_user_daily.execute(
      connection, db::span_of(rows),
      [](db::Statement& statement, const auto& row, bool repetition) {
        const auto& [key, sums] = row;
        const std::int64_t factor = repetition ? 0 : 1;
        statement.bind(key.day).bind(key.user_id).bind(store::number_of(key.category));
        statement.bind(key.object_type).bind(factor * sums.total).bind(factor * sums.sum);
      });
}

void RollupChanges::write_activity_pairs(db::Connection& connection,
                                         const RollupStatements& statements) const {
  const auto rows = db::rows_of(activity_pairs_);
  statements.add_activity_pairs.execute(
      connection, db::span_of(rows),
      [&](db::Statement& statement, const auto& row, bool repetition) {
        statement.bind(row.first.day).bind(row.first.previous_day);
        statement.bind(std::int64_t{slot_}).bind(repetition ? 0 : row.second);
      });
}

void RollupChanges::write_last_days(db::Connection& connection,
                                    const AllRollupStatements& statements) const {
  const auto voters = db::rows_of(replaced_);
  of_this_set(statements)
      .save_last_days.execute(connection, db::span_of(voters),
                              [&](db::Statement& statement, VoterId voter, bool) {
                                statement.bind(voter).bind(last_days_.at(voter));
                              });
}

void RollupChanges::delete_users(db::Connection& connection, const AllRollupStatements& statements,
                                 const std::set<VoterId>& voters) const {
  const std::vector<VoterId> users = users_among(voters);
  const RollupStatements& of_set = of_this_set(statements);
  of_set.delete_users.execute(connection, db::span_of(users), bind_voter);
  of_set.delete_user_daily.execute(connection, db::span_of(users), bind_voter);
}

void RollupChanges::delete_voters(db::Connection& connection, const AllRollupStatements& statements,
                                  const std::set<VoterId>& voters) const {
  delete_voters_only(connection, statements, voters);
  const std::vector<VoterId> users = users_among(voters);
  of_this_set(statements).delete_user_daily.execute(connection, db::span_of(users), bind_voter);
}

void RollupChanges::delete_voters_only(db::Connection& connection,
                                       const AllRollupStatements& statements,
                                       const std::set<VoterId>& voters) const {
  const RollupStatements& of_set = of_this_set(statements);
  const std::vector<VoterId> users = users_among(voters);
  of_set.delete_users.execute(connection, db::span_of(users), bind_voter);
  const auto rows = db::rows_of(voters);
  of_set.delete_voters.execute(connection, db::span_of(rows), bind_voter);
}

}  // namespace rollups
