#include "rollups/rollup.h"

#include <algorithm>

#include "base/text.h"
#include "base/timestamp.h"

namespace rollups {

const std::vector<Rollup>& all_rollups() {
  using enum KeyColumn;
  using enum Measure;
  using enum Contribution::Part;
  static const std::vector<Rollup> kRollups = {
      {"site_daily", to_object, {day, category, object_type, slot}, {sum, bins}},
      {"reach", to_activity, {day, previous_day, slot}, {voters}},
      {"totals",
       to_object,
       {object_id, object_type, category},
       {sum, bins, last_counted_at, version}},
      {"daily",
       to_object,
       {category, day, object_type, object_id},
       {total, sum, positive, negative}},
      {"users", to_user, {user_id, category}, {total, sum, first_event_at, last_event_at}},
      {"user_daily", to_user, {day, user_id, category, object_type}, {total, sum}},
  };
  return kRollups;
}

const Rollup& totals_rollup() {
  return *std::ranges::find(all_rollups(), "totals", &Rollup::table);
}

const Rollup& aggregates_table() {
  using enum KeyColumn;
  using enum Measure;
  static const Rollup kAggregates("balances", {}, {object_id, object_type, category, day, source},
                                  {sum, bins, last_counted_at});
  return kAggregates;
}

namespace {

using model::Category;

constexpr std::array kKeyNames = {"object_id", "object_type", "category", "day", "previous_day",
                                  "user_id",   "voter",       "source",   "slot"};
static_assert(kKeyNames.size() == static_cast<std::size_t>(KeyColumn::slot) + 1);

struct MeasureColumn {
  enum Rule : std::uint8_t { add, least, greatest };
  const char* name;
  Rule rule = add;
};
constexpr std::array kMeasureColumns = {
    MeasureColumn{"total"},
    MeasureColumn{"sum"},
    MeasureColumn{"positive"},
    MeasureColumn{"negative"},
    MeasureColumn{"voters"},
    MeasureColumn{"version"},
    MeasureColumn{"first_rated_at", MeasureColumn::least},
    MeasureColumn{"last_rated_at", MeasureColumn::greatest},
    MeasureColumn{"last_rated_at", MeasureColumn::greatest},
};
constexpr auto kFirstBin = static_cast<std::size_t>(Measure::bins);
constexpr auto kVersion = static_cast<std::size_t>(Measure::version);
static_assert(kMeasureColumns.size() == kFirstBin);

std::string name_of(KeyColumn column) { return kKeyNames.at(static_cast<std::size_t>(column)); }

std::string name_of(std::size_t measure) {
  if (measure < kFirstBin) return kMeasureColumns[measure].name;
  return "bin" + std::to_string(measure - kFirstBin);
}

MeasureColumn::Rule rule_of(std::size_t measure) {
  return measure < kFirstBin ? kMeasureColumns[measure].rule : MeasureColumn::add;
}

// Returns the SQL assignment that adds a new value to a column of an existing row.
std::string change_of(std::size_t measure) {
  const std::string name = name_of(measure);
  const std::string value = "VALUES(" + name + ")";
  switch (rule_of(measure)) {
    case MeasureColumn::add:
      break;
    case MeasureColumn::least:
      return name + " = LEAST(" + name + ", " + value + ")";
    case MeasureColumn::greatest:
      return name + " = GREATEST(" + name + ", " + value + ")";
  }
  return name + " = " + name + " + " + value;
}

bool is_text(KeyColumn column) {
  return column == KeyColumn::object_type || column == KeyColumn::source;
}

bool is_day(KeyColumn column) {
  return column == KeyColumn::day || column == KeyColumn::previous_day;
}

std::int64_t number_of(base::Day day) { return day.time_since_epoch().count(); }
std::int64_t number_of(base::Time time) { return time.time_since_epoch().count(); }
base::Time time_of(std::int64_t number) { return base::Time(std::chrono::microseconds(number)); }
base::Day day_of(const KeyPart& part) {
  return base::Day(std::chrono::days(static_cast<int>(part.number)));
}

// Adds modulo 2^64, because damaged sums may have any value, and signed integers must not overflow.
std::int64_t wrapped_sum(std::int64_t one, std::int64_t other) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(one) +
                                   static_cast<std::uint64_t>(other));
}
std::int64_t wrapped_difference(std::int64_t one, std::int64_t other) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(one) -
                                   static_cast<std::uint64_t>(other));
}

KeyPart part_of(KeyColumn column, const Contribution& contribution) {
  switch (column) {
    case KeyColumn::object_id:
      return {static_cast<std::int64_t>(contribution.object.id)};
    case KeyColumn::object_type:
      return {0, contribution.object.type};
    case KeyColumn::category:
      return {static_cast<std::int64_t>(contribution.category)};
    case KeyColumn::day:
      return {number_of(contribution.day)};
    case KeyColumn::previous_day:
      return {number_of(contribution.previous_day)};
    case KeyColumn::user_id:
      return {static_cast<std::int64_t>(contribution.user_id)};
    case KeyColumn::slot:
      return {contribution.slot};
    case KeyColumn::voter:
    case KeyColumn::source:
      break;
  }
  return {};
}

// Returns a contribution with the numbers in "totals", multiplied by "sign". "positive" and
// "negative" are numbers of votes.
Contribution contribution_to_object(const model::Object& object, Category category,
                                    const model::Totals& totals, std::int64_t positive,
                                    std::int64_t negative, std::int64_t sign) {
  Contribution contribution = contribution_of_change(object, category);
  contribution[Measure::total] = sign * totals.total();
  contribution[Measure::sum] = sign * totals.sum;
  contribution[Measure::positive] = sign * positive;
  contribution[Measure::negative] = sign * negative;
  for (std::size_t i = 0; i < totals.bins.size(); ++i) {
    contribution.measures[kFirstBin + i] = sign * totals.bins[i];
  }
  if (sign > 0 && totals.last_rated_at) {
    contribution[Measure::last_counted_at] = number_of(*totals.last_rated_at);
  }
  return contribution;
}

}  // namespace

// --- Contributions -------------------------------------------------------------------------------

Contribution contribution_of(const model::RatingKey& key, const model::OwnRating& rating,
                             const base::ZoneHistory& zones, std::int64_t sign,
                             base::Time first_at) {
  const auto& [object, category, voter] = key;
  model::Totals totals;
  totals.sum = rating.value;
  totals.bins[model::bin_of(category, rating.value)] = 1;
  totals.last_rated_at = rating.rated_at;
  const bool is_negative = rating.value < 0 || (category == Category::binary && rating.value == 0);
  Contribution contribution = contribution_to_object(
      object, category, totals, rating.value > 0 ? 1 : 0, is_negative ? 1 : 0, sign);
  contribution.day = zones.day_of(rating.rated_at);
  contribution[Measure::first_event_at] = number_of(std::min(rating.rated_at, first_at));
  contribution[Measure::last_event_at] = number_of(rating.rated_at);
  if (!model::is_anonymous(voter)) {
    contribution.parts |= Contribution::to_user;
    contribution.user_id = voter;
  }
  return contribution;
}

// An aggregate contains the number of votes in each bin, but not the exact values of the votes.
// Scale values below 0.05 are in the first bin, and are treated as 0.
Contribution contribution_of(const Aggregate& aggregate, std::int64_t sign) {
  const auto& [object, category, day, source] = aggregate.key;
  const model::Totals& sums = aggregate.sums;
  const bool is_scale = category == Category::scale;
  const std::int64_t positive = is_scale ? sums.total() - sums.bins.front() : sums.bins.back();
  Contribution contribution = contribution_to_object(object, category, sums, positive,
                                                     is_scale ? 0 : sums.bins.front(), sign);
  contribution.day = day;
  return contribution;
}

Contribution contribution_of_change(const model::Object& object, Category category) {
  Contribution contribution;
  contribution.parts = Contribution::to_object;
  contribution.object = object;
  contribution.category = category;
  contribution[Measure::version] = 1;
  contribution[Measure::last_counted_at] = number_of(base::Time(kNeverActive));
  return contribution;
}

Contribution contribution_of_pair(base::Day day, base::Day previous_day, std::int64_t count) {
  Contribution contribution;
  contribution.parts = Contribution::to_activity;
  contribution.day = day;
  contribution.previous_day = previous_day;
  contribution[Measure::voters] = count;
  return contribution;
}

// --- Rollups -------------------------------------------------------------------------------------

Rollup::Rollup(std::string_view table, Contribution::Part part, std::vector<KeyColumn> key,
               const std::vector<Measure>& measures)
    : table_(table), part_(part), key_(std::move(key)) {
  for (const Measure measure : measures) {
    const std::size_t count = measure == Measure::bins ? model::Totals::kBins : 1;
    for (std::size_t i = 0; i < count; ++i) {
      measures_.push_back(static_cast<std::size_t>(measure) + i);
    }
  }
  for (const KeyColumn column : key_) {
    columns_ += name_of(column) + ", ";
    if (column == KeyColumn::slot) continue;
    of_key_ += (of_key_.empty() ? "(" : " AND ") + name_of(column) + " = ?";
  }
  of_key_ += ")";
  columns_ += measure_columns();
  marks_ = db::marks(key_.size() + measures_.size());
  changes_ = " ON DUPLICATE KEY UPDATE " + base::joined(measures_, ", ", change_of);
}

bool Rollup::has(Measure measure) const {
  return std::ranges::find(measures_, static_cast<std::size_t>(measure)) != measures_.end();
}

Key Rollup::key_of(const Contribution& contribution) const {
  Key key;
  key.reserve(key_.size());
  for (const KeyColumn column : key_) key.push_back(part_of(column, contribution));
  return key;
}

void Rollup::add(const Contribution& contribution, Rows& rows) const {
  if (counts(contribution)) add(key_of(contribution), contribution.measures, rows);
}

std::pair<Key, Measures> Rollup::row_in(const db::Rows& row) const {
  Key key = key_in(row, key_);
  for (std::size_t i = 0; i < key_.size(); ++i) {
    if (key_[i] == KeyColumn::slot) key[i] = {};
  }
  Measures measures{};
  auto column = static_cast<unsigned>(key_.size());
  for (const std::size_t i : measures_) {
    ++column;
    measures[i] =
        rule_of(i) == MeasureColumn::add ? row.integer(column) : number_of(row.time(column));
  }
  return {std::move(key), measures};
}

void Rollup::add(Key key, const Measures& more, Rows& rows) const {
  const auto [row, is_new] = rows.try_emplace(std::move(key), more);
  if (is_new) return;
  Measures& measures = row->second;
  for (const std::size_t i : measures_) {
    switch (rule_of(i)) {
      case MeasureColumn::add:
        measures[i] = wrapped_sum(measures[i], more[i]);
        break;
      case MeasureColumn::least:
        measures[i] = std::min(measures[i], more[i]);
        break;
      case MeasureColumn::greatest:
        measures[i] = std::max(measures[i], more[i]);
        break;
    }
  }
}

Measures Rollup::difference(const Measures& counted, const Measures& stored) const {
  Measures difference = counted;
  for (const std::size_t i : measures_) {
    if (rule_of(i) == MeasureColumn::add) difference[i] = wrapped_difference(counted[i], stored[i]);
  }
  return difference;
}

Rollup::Rows Rollup::read(db::Connection& connection, const Rows& rows) const {
  const std::string head =
      "SELECT " + columns_ + " FROM {prefix}ratingd_" + table_ + " FORCE INDEX (PRIMARY) WHERE ";
  Rows found;
  db::BulkStatement({head, of_key_, " OR ", ""})
      .query(
          connection, rows, [&](db::Statement& to, const auto& row) { bind_key(to, row.first); },
          [&](const db::Rows& row) {
            auto [key, measures] = row_in(row);
            add(std::move(key), measures, found);
          });
  return found;
}

// The index hint makes MySQL use the primary key even if the DELETE statement deletes only a single
// row (transfer/bulk_rows.h).
void Rollup::replace(db::Connection& connection, const Rows& rows) const {
  const std::string head = "DELETE replaced FROM {prefix}ratingd_" + table_ +
                           " AS replaced FORCE INDEX (PRIMARY) WHERE ";
  db::BulkStatement({head, of_key_, " OR ", ""})
      .execute(connection, rows,
               [&](db::Statement& to, const auto& row) { bind_key(to, row.first); });
  write(connection, rows);
}

void Rollup::bind_key(db::Statement& statement, const Key& key) const {
  for (std::size_t i = 0; i < key_.size(); ++i) {
    if (key_[i] != KeyColumn::slot) bind(statement, key_[i], key[i]);
  }
}

void Rollup::write(db::Connection& connection, const Rows& rows) const {
  // Skip rows that neither change a sum nor contain a time.
  std::vector<const Rows::value_type*> changed;
  for (const auto& row : rows) {
    const bool has_effect = std::ranges::any_of(measures_, [&](std::size_t i) {
      return rule_of(i) != MeasureColumn::add || row.second[i] != 0;
    });
    if (has_effect) changed.push_back(&row);
  }
  const std::string head = "INSERT INTO {prefix}ratingd_" + table_ + " (" + columns_ + ") VALUES ";
  const db::BulkStatement statement({head, marks_, ",", changes_});
  statement.execute(connection, changed,
                    [&](db::Statement& to, const Rows::value_type* row, bool is_repetition) {
                      const auto& [key, measures] = *row;
                      for (std::size_t i = 0; i < key_.size(); ++i) bind(to, key_[i], key[i]);
                      for (const std::size_t i : measures_) {
                        if (rule_of(i) != MeasureColumn::add) {
                          to.bind(time_of(measures[i]));
                        } else {
                          to.bind(is_repetition ? 0 : measures[i]);
                        }
                      }
                    });
}

std::string Rollup::measure_columns() const {
  return base::joined(measures_, ", ", [](std::size_t i) { return name_of(i); });
}

std::vector<std::int64_t> Rollup::sums_in(const Measures& measures) const {
  std::vector<std::int64_t> sums;
  for (const std::size_t i : measures_) {
    if (rule_of(i) == MeasureColumn::add && i != kVersion) sums.push_back(measures[i]);
  }
  return sums;
}

// --- Keys ----------------------------------------------------------------------------------------

Key first_key(const std::vector<KeyColumn>& columns) {
  Key key;
  for (const KeyColumn column : columns) {
    key.push_back({is_day(column) ? number_of(kNeverActive) : 0});
  }
  return key;
}

std::vector<std::string> names_of(const std::vector<KeyColumn>& columns) {
  std::vector<std::string> names;
  for (const KeyColumn column : columns) names.push_back(name_of(column));
  return names;
}

Key key_in(const db::Rows& row, const std::vector<KeyColumn>& columns) {
  Key key;
  unsigned place = 0;
  for (const KeyColumn column : columns) {
    ++place;
    key.push_back(is_text(column) ? KeyPart{0, row.text(place)}
                  : is_day(column)
                      ? KeyPart{number_of(row.day(place))}
                      : KeyPart{static_cast<std::int64_t>(row.unsigned_integer(place))});
  }
  return key;
}

void bind(db::Statement& statement, KeyColumn column, const KeyPart& part) {
  if (is_text(column)) {
    statement.bind(part.text);
  } else if (is_day(column)) {
    statement.bind(day_of(part));
  } else {
    statement.bind(static_cast<std::uint64_t>(part.number));
  }
}

std::string to_text(const std::vector<KeyColumn>& columns, const Key& key) {
  std::string text;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (columns[i] == KeyColumn::slot) continue;
    text += text.empty() ? "" : " ";
    text += is_text(columns[i])  ? key[i].text
            : is_day(columns[i]) ? base::to_date(day_of(key[i]))
            : columns[i] == KeyColumn::category
                ? std::string(model::name_of(static_cast<Category>(key[i].number)))
                : std::to_string(key[i].number);
  }
  return text;
}

}  // namespace rollups
