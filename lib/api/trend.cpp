#include "api/trend.h"

#include <array>

#include "analytics/scores.h"
#include "base/timestamp.h"
#include "model/averages.h"

namespace api {
namespace {

constexpr std::array<std::string_view, 3> kIntervals = {"day", "week", "month"};
constexpr std::array<std::int64_t, 3> kDaysOfInterval = {1, 7, 28};
constexpr std::int64_t kMaxPoints = 4000;  // ten years of days

}  // namespace

Trend::Trend(const analytics::DayRange& days, Interval interval, std::chrono::weekday week_start)
    : interval_(interval), week_start_(week_start) {
  for (base::Day start = start_of(interval, days.first, week_start); start <= days.last;
       start = next_after(interval, start)) {
    points_[start];
  }
}

void Trend::add(base::Day day, model::Category category, const analytics::Sums& sums) {
  analytics::Sums& point = points_.at(start_of(interval_, day, week_start_));
  point.total += sums.total;
  point.sum += sums.sum;
  if (!analytics::has_signs(category)) return;
  point.positive += sums.positive;
  point.negative += sums.negative;
}

void Trend::add_columns(Table& table) {
  for (const char* column : {"date", "count", "average", "positive", "negative"}) {
    table.columns.emplace_back(column);
  }
}

void Trend::add_rows(Table& table, const std::vector<Cell>& prefix,
                     const std::optional<model::Category>& only) const {
  const bool has_signs = !only || analytics::has_signs(*only);
  for (const auto& [start, sums] : points_) {
    std::vector<Cell> row = prefix;
    row.emplace_back(base::to_date(start));
    row.emplace_back(sums.total);
    row.push_back(average_cell(model::average(sums.sum, sums.total)));
    row.push_back(has_signs ? Cell(sums.positive) : Cell());
    row.push_back(has_signs ? Cell(sums.negative) : Cell());
    table.rows.push_back(std::move(row));
  }
}

Interval read_interval(Fields& fields) {
  return Interval{fields.choice("interval", kIntervals).value_or(0)};
}

std::string_view name_of(Interval interval) {
  return kIntervals[static_cast<std::size_t>(interval)];
}

Interval shortest_interval(const analytics::DayRange& days) {
  for (const Interval interval : {Interval::day, Interval::week}) {
    if (!refuse_long_trend(days, interval)) return interval;
  }
  return Interval::month;
}

std::optional<Error> refuse_long_trend(const analytics::DayRange& days, Interval interval) {
  const std::int64_t points = days.length() / kDaysOfInterval[static_cast<std::size_t>(interval)];
  if (points <= kMaxPoints) return std::nullopt;
  return invalid_parameter(
      "interval", kOutOfBounds,
      base::Message("interval must be so long that the days make at most {maximum} points.",
                    {{"maximum", kMaxPoints}}));
}

}  // namespace api
