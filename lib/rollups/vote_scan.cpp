#include "rollups/vote_scan.h"

#include <algorithm>
#include <utility>

#include "db/key_range.h"
#include "db/transaction.h"
#include "rollups/totals_reader.h"
#include "store/rating_key_sql.h"

namespace rollups {
namespace {

using model::Category;
using Group = VoteScan::Group;

constexpr std::int64_t kMostRows = 20'000, kLeastRows = 500;  // of a query

const std::vector<std::string> kGroup = {"object_id", "object_type", "category"};

void bind_position(db::Statement& statement, const Group& group) {
  const auto& [object, category] = group;
  statement.bind(object.id);
  statement.bind(object.id).bind(object.type);
  statement.bind(object.id).bind(object.type).bind(store::number_of(category));
}

void bind_group(db::Statement& statement, const Group& group) {
  statement.bind(group.object.id).bind(group.object.type).bind(store::number_of(group.category));
}

Group group_of(const model::RatingKey& key) { return {key.object, key.category}; }
Group group_of(const Aggregate& aggregate) {
  return {aggregate.key.object, aggregate.key.category};
}

void add(model::Totals& sums, const model::Totals& more) {
  sums.sum += more.sum;
  for (std::size_t i = 0; i < sums.bins.size(); ++i) sums.bins[i] += more.bins[i];
}

void note_time(model::Totals& sums, base::Time time) {
  sums.last_rated_at = std::max(sums.last_rated_at.value_or(time), time);
}

std::int64_t next_limit(std::size_t used) {
  return std::clamp(2 * static_cast<std::int64_t>(used), kLeastRows, kMostRows);
}

}  // namespace

Fingerprint::Key ScannedSums::key(const model::Object& object, Category category) const {
  return Fingerprint::Key(seed)
      .add(object.type)
      .add(object.id)
      .add(static_cast<std::uint64_t>(category));
}

Fingerprint::Key ScannedSums::key(std::uint64_t user_id, Category category) const {
  return Fingerprint::Key(seed).add(user_id).add(static_cast<std::uint64_t>(category));
}

ScannedSums& ScannedSums::operator+=(const ScannedSums& more) {
  for (const auto& [day, sums] : more.days) {
    days[day].daily += sums.daily;
    days[day].user_daily += sums.user_daily;
  }
  for (const auto& [type, of_type] : more.site) {
    for (const auto& [place, sums] : of_type) add(site[type][place], sums);
  }
  for (const auto& [range, sums] : more.users) users[range] += sums;
  return *this;
}

VoteScan::VoteScan(db::Connection& connection, const std::string& table_prefix, base::Zone zone)
    : connection_(connection),
      zone_(std::move(zone)),
      next_votes_("SELECT object_id, object_type, category, voter, value, rated_at FROM " +
                  table_prefix + "ratingd_votes FORCE INDEX (PRIMARY) WHERE " + db::after(kGroup) +
                  " AND held = 0 ORDER BY object_id, object_type, category, voter LIMIT ?"),
      votes_of_("SELECT object_id, object_type, category, voter, value, rated_at FROM " +
                table_prefix +
                "ratingd_votes FORCE INDEX (PRIMARY) WHERE object_id = ? AND object_type = ?"
                " AND category = ? AND voter > ? AND held = 0 ORDER BY voter LIMIT ?"),
      next_aggregates_("SELECT " + aggregate_columns() + " FROM " + table_prefix +
                       "ratingd_balances FORCE INDEX (PRIMARY) WHERE " + db::after(kGroup) +
                       " ORDER BY object_id, object_type, category, day, source LIMIT ?"),
      aggregates_of_("SELECT " + aggregate_columns() + " FROM " + table_prefix +
                     "ratingd_balances FORCE INDEX (PRIMARY) WHERE object_id = ? AND"
                     " object_type = ? AND category = ? AND " +
                     db::after({"day", "source"}) + " ORDER BY day, source LIMIT ?"),
      next_totals_("SELECT object_id, object_type, category, sum, " + bin_columns() +
                   ", last_rated_at FROM " + table_prefix +
                   "ratingd_totals FORCE INDEX (PRIMARY) WHERE " + db::after(kGroup) +
                   " ORDER BY object_id, object_type, category LIMIT ?"),
      aggregates_limit_(kMostRows),
      totals_limit_(kMostRows) {}

std::optional<std::int64_t> VoteScan::next(ScannedSums& sums, Differences& found) {
  if (is_complete_) return std::nullopt;
  Part part;
  db::in_snapshot(connection_, db::kUsualAttempts, [&] {
    part = {};
    part.sums.seed = sums.seed;
    read(part);
  });
  sums += part.sums;
  is_complete_ = !part.end;
  if (part.end) position_ = *part.end;
  for (const auto& [group, noted] : part.noted) part.counted[group];
  for (const auto& [group, counted] : part.counted) {
    const model::Totals& noted = part.noted[group];
    if (counted.sum != noted.sum || counted.bins != noted.bins) found.of_sums.push_back(group);
    const bool are_both = counted.last_rated_at && noted.last_rated_at;
    if (are_both && counted.last_rated_at != noted.last_rated_at) found.of_times.push_back(group);
  }
  return part.votes;
}

// Reads all three tables up to the group that all of them have reached.
void VoteScan::read(Part& part) {
  std::vector<Vote> votes = next_votes(kMostRows);
  std::vector<Aggregate> aggregates = next_aggregates(aggregates_limit_);
  std::vector<Total> totals = next_totals(totals_limit_);
  const bool has_more_votes = std::ssize(votes) == kMostRows;
  const bool has_more_aggregates = std::ssize(aggregates) == aggregates_limit_;
  const auto end_at = [&](const Group& last) {
    part.end = std::min(part.end.value_or(last), last);
  };
  if (has_more_votes) end_at(group_of(votes.back().key));
  if (has_more_aggregates) end_at(group_of(aggregates.back()));
  if (std::ssize(totals) == totals_limit_) end_at(totals.back().group);
  const auto is_later = [&](const Group& group) { return part.end && group > *part.end; };
  while (!votes.empty() && is_later(group_of(votes.back().key))) votes.pop_back();
  while (!aggregates.empty() && is_later(group_of(aggregates.back()))) aggregates.pop_back();
  while (!totals.empty() && is_later(totals.back().group)) totals.pop_back();
  aggregates_limit_ = next_limit(aggregates.size());
  totals_limit_ = next_limit(totals.size());

  for (const Total& total : totals) part.noted[total.group] = total.sums;
  // The last group may be longer than what was read.
  for (;;) {
    count(votes, part);
    if (!part.end || votes.empty() || group_of(votes.back().key) != *part.end) break;
    votes = votes_of(*part.end, votes.back().key.voter);
  }
  for (;;) {
    count(aggregates, part);
    if (!part.end || aggregates.empty() || group_of(aggregates.back()) != *part.end) break;
    aggregates = aggregates_of(aggregates.back().key);
  }
}

std::vector<VoteScan::Vote> VoteScan::next_votes(std::int64_t limit) {
  db::Statement& statement = connection_.prepare(next_votes_);
  bind_position(statement, position_);
  std::vector<Vote> votes;
  for (db::Rows row = statement.bind(limit).query(); row.next();) {
    votes.push_back(
        {store::key_in(row), {static_cast<model::Thousandths>(row.integer(5)), row.time(6)}});
  }
  return votes;
}

std::vector<VoteScan::Vote> VoteScan::votes_of(const Group& group, model::VoterId after) {
  db::Statement& statement = connection_.prepare(votes_of_);
  bind_group(statement, group);
  std::vector<Vote> votes;
  for (db::Rows row = statement.bind(after).bind(kMostRows).query(); row.next();) {
    votes.push_back(
        {store::key_in(row), {static_cast<model::Thousandths>(row.integer(5)), row.time(6)}});
  }
  return votes;
}

std::vector<Aggregate> VoteScan::next_aggregates(std::int64_t limit) {
  db::Statement& statement = connection_.prepare(next_aggregates_);
  bind_position(statement, position_);
  std::vector<Aggregate> aggregates;
  for (db::Rows row = statement.bind(limit).query(); row.next();) {
    aggregates.push_back(aggregate_in(row));
  }
  return aggregates;
}

std::vector<Aggregate> VoteScan::aggregates_of(const Aggregate::Key& after) {
  db::Statement& statement = connection_.prepare(aggregates_of_);
  bind_group(statement, {after.object, after.category});
  statement.bind(after.day).bind(after.day).bind(after.source);
  std::vector<Aggregate> aggregates;
  for (db::Rows row = statement.bind(kMostRows).query(); row.next();) {
    aggregates.push_back(aggregate_in(row));
  }
  return aggregates;
}

std::vector<VoteScan::Total> VoteScan::next_totals(std::int64_t limit) {
  db::Statement& statement = connection_.prepare(next_totals_);
  bind_position(statement, position_);
  std::vector<Total> totals;
  for (db::Rows row = statement.bind(limit).query(); row.next();) {
    Total total{{{row.unsigned_integer(1), row.text(2)}, static_cast<Category>(row.integer(3))},
                {}};
    unsigned column = 4;
    total.sums.sum = row.integer(column++);
    for (std::int64_t& bin : total.sums.bins) bin = row.integer(column++);
    total.sums.last_rated_at = row.time(column);
    totals.push_back(std::move(total));
  }
  return totals;
}

void VoteScan::count(const std::vector<Vote>& votes, Part& part) const {
  std::optional<Group> group;
  std::optional<Fingerprint::Key> key;
  model::Totals* totals = nullptr;
  ScannedSums::Site* site = nullptr;
  for (const auto& [vote, rating] : votes) {
    const Category category = vote.category;
    if (!group || category != group->category || vote.object != group->object) {
      group = group_of(vote);
      key = part.sums.key(vote.object, category);
      totals = &part.counted[*group];
      site = &part.sums.site[vote.object.type];
    }
    const base::Day day = zone_.day_of(rating.rated_at);
    const model::Thousandths value = rating.value;
    for (model::Totals* sums : {totals, &(*site)[ScannedSums::place_in_site(day, category)]}) {
      sums->sum += value;
      ++sums->bins[model::bin_of(category, value)];
    }
    note_time(*totals, rating.rated_at);
    const bool is_negative = value < 0 || (category == Category::binary && value == 0);
    ScannedSums::OfDay& of_day = part.sums.of_day(day);
    of_day.daily.count(*key, {1, value, value > 0 ? 1 : 0, is_negative ? 1 : 0});
    if (model::is_anonymous(vote.voter)) continue;
    Fingerprint::Key user = part.sums.key(vote.voter, category);
    part.sums.of_user(vote.voter).count(user, {1, value});
    of_day.user_daily.count(user.add(vote.object.type), {1, value});
  }
  part.votes += std::ssize(votes);
}

void VoteScan::count(const std::vector<Aggregate>& aggregates, Part& part) {
  for (const Aggregate& aggregate : aggregates) {
    const auto& [object, category, day, source] = aggregate.key;
    const model::Totals& sums = aggregate.sums;
    model::Totals& totals = part.counted[{object, category}];
    add(totals, sums);
    if (sums.last_rated_at) note_time(totals, *sums.last_rated_at);
    add(part.sums.site[object.type][ScannedSums::place_in_site(day, category)], sums);
    const bool is_scale = category == Category::scale;
    part.sums.of_day(day).daily.count(
        part.sums.key(object, category),
        {sums.total(), sums.sum, is_scale ? sums.total() - sums.bins.front() : sums.bins.back(),
         is_scale ? 0 : sums.bins.front()});
  }
}

}  // namespace rollups
