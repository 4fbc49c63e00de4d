#include "store/rollup_changes.h"

#include <algorithm>

#include "store/rating_rows.h"

namespace store {
namespace {

using model::Category;
using model::RatingKey;

void add_value(model::Totals& totals, Category category, model::Thousandths value,
               std::int64_t sign) {
  totals.sum += sign * value;
  totals.bins[bin_of(category, value)] += sign;
}

}  // namespace

void RollupChanges::add(const RatingKey& key, const OwnRating& rating) {
  count(key, rating, +1);
  auto& last_rated_at = totals_[{key.object, key.category}].last_rated_at;
  last_rated_at = std::max(last_rated_at.value_or(rating.rated_at), rating.rated_at);
}

void RollupChanges::subtract(const RatingKey& key, const OwnRating& rating) {
  count(key, rating, -1);
}

void RollupChanges::withdraw(const RatingKey& key, const OwnRating& rating) {
  count(key, rating, -1);
  base::Time& newest = withdrawn_[{key.object, key.category}];
  newest = std::max(newest, rating.rated_at);
}

// Adds ("sign" +1) or takes away (-1) one rating in all sums.
void RollupChanges::count(const RatingKey& key, const OwnRating& rating, std::int64_t sign) {
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

  if (!model::is_anonymous(voter)) {
    UserSums& user = users_[{voter, category}];
    user.total += sign;
    user.sum += sign * rating.value;
    user.first_at = std::min(user.first_at, rating.rated_at);
    user.last_at = std::max(user.last_at, rating.rated_at);
    DailySums& user_daily = user_daily_[{day, voter, category, object.type}];
    user_daily.total += sign;
    user_daily.sum += sign * rating.value;
  }
}

void RollupChanges::note_first(const RatingKey& key, base::Time first_at) {
  if (model::is_anonymous(key.voter)) return;
  UserSums& user = users_[{key.voter, key.category}];
  user.first_at = std::min(user.first_at, first_at);
  user.last_at = std::max(user.last_at, first_at);
}

void RollupChanges::add_balance(const model::Object& object, Category category, base::Day day,
                                const model::Totals& sums) {
  count_balance({object, category}, day, sums, +1);
  if (!sums.last_rated_at) return;
  auto& last_rated_at = totals_[{object, category}].last_rated_at;
  last_rated_at = std::max(last_rated_at.value_or(*sums.last_rated_at), *sums.last_rated_at);
}

void RollupChanges::withdraw_balance(const model::Object& object, Category category, base::Day day,
                                     const model::Totals& sums) {
  count_balance({object, category}, day, sums, -1);
  if (!sums.last_rated_at) return;
  base::Time& newest = withdrawn_[{object, category}];
  newest = std::max(newest, *sums.last_rated_at);
}

void RollupChanges::count_balance(const TotalsKey& key, base::Day day, const model::Totals& sums,
                                  std::int64_t sign) {
  const auto& [object, category] = key;
  for (model::Totals* totals : {&totals_[key], &site_daily_[{day, category, object.type}]}) {
    totals->sum += sign * sums.sum;
    for (std::size_t i = 0; i < sums.bins.size(); ++i) totals->bins[i] += sign * sums.bins[i];
  }
  // By bins, as in store/rollup_build.cpp: of a scale value below 0.05 they say zero.
  const bool is_scale = category == Category::scale;
  DailySums& daily = daily_[{category, day, object.type, object.id}];
  daily.total += sign * sums.total();
  daily.sum += sign * sums.sum;
  daily.positive += sign * (is_scale ? sums.total() - sums.bins.front() : sums.bins.back());
  daily.negative += sign * (is_scale ? 0 : sums.bins.front());
}

void RollupChanges::add_reach(base::Day day, base::Day previous_day, std::int64_t count) {
  const ReachKey key{day, previous_day};
  if ((reach_[key] += count) == 0) reach_.erase(key);
}

void RollupChanges::write(db::Connection& connection, const RollupStatements& statements) const {
  write_totals(connection, statements);
  write_daily(connection, statements);
  write_site_daily(connection, statements);
  write_users(connection, statements);
  write_user_daily(connection, statements);
  write_reach(connection, statements);
}

void RollupChanges::write_totals(db::Connection& connection,
                                 const RollupStatements& statements) const {
  const auto rows = db::rows_of(totals_);
  statements.add_totals.execute(
      connection, db::span_of(rows),
      [](db::Statement& statement, const auto& row, bool repetition) {
        const auto& [key, sums] = row;
        const std::int64_t factor = repetition ? 0 : 1;
        statement.bind(key.object.id).bind(key.object.type).bind(number_of(key.category));
        statement.bind(factor * sums.sum);
        for (const std::int64_t bin : sums.bins) statement.bind(factor * bin);
        statement.bind(sums.last_rated_at.value_or(base::Time(kNeverActive))).bind(factor);
      });
  for (const auto& [key, rated_at] : withdrawn_) {
    db::Statement& statement = connection.prepare(statements.refresh_last_rated_at);
    for (int i = 0; i < 3; ++i) {
      statement.bind(key.object.id).bind(key.object.type).bind(number_of(key.category));
    }
    statement.bind(rated_at).execute();
  }
}

void RollupChanges::write_daily(db::Connection& connection,
                                const RollupStatements& statements) const {
  const auto rows = db::rows_of(daily_);
  statements.add_daily.execute(
      connection, db::span_of(rows),
      [](db::Statement& statement, const auto& row, bool repetition) {
        const auto& [key, sums] = row;
        const std::int64_t factor = repetition ? 0 : 1;
        statement.bind(key.day).bind(number_of(key.category)).bind(key.object_type);
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
        statement.bind(key.day).bind(number_of(key.category)).bind(key.object_type);
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
                                 statement.bind(key.user_id).bind(number_of(key.category));
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
        statement.bind(key.day).bind(key.user_id).bind(number_of(key.category));
        statement.bind(key.object_type).bind(factor * sums.total).bind(factor * sums.sum);
      });
}

void RollupChanges::write_reach(db::Connection& connection,
                                const RollupStatements& statements) const {
  const auto reach = db::rows_of(reach_);
  statements.add_reach.execute(
      connection, db::span_of(reach),
      [&](db::Statement& statement, const auto& row, bool repetition) {
        statement.bind(row.first.day).bind(row.first.previous_day);
        statement.bind(std::int64_t{slot_}).bind(repetition ? 0 : row.second);
      });
}

}  // namespace store
