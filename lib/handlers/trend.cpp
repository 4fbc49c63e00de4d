#include "handlers/trend.h"

#include <array>

#include "analytics/ranking.h"
#include "base/timestamp.h"
#include "model/rating.h"

namespace handlers {
namespace {

using std::chrono::days;
using std::chrono::year_month_day;

constexpr std::array<std::string_view, 8> kPeriodNames = {
    "today", "7d", "30d", "90d", "this_week", "this_month", "this_year", "all"};
constexpr std::array<std::string_view, 4> kIntervals = {"day", "week", "month", "auto"};
constexpr std::array<std::int64_t, 3> kDaysOfInterval = {1, 7, 28};
constexpr std::int64_t kMaxPoints = 4000;  // ten years of days
// Interval::automatic divides ranges of up to kDaysByDay days into days, and ranges of up to
// kDaysByWeek days into weeks.
constexpr std::int64_t kDaysByDay = 120, kDaysByWeek = 800;

}  // namespace

Period read_period(api::Fields& fields) {
  Period period;
  if (const auto name = fields.choice("period", kPeriodNames)) period.name = Period::Name{*name};
  const bool has_from = fields.has("from");
  const bool has_to = fields.has("to");
  const auto from = fields.date("from");
  const auto to = fields.date("to");
  if (has_from != has_to) {
    fields.reject(has_from ? "from" : "to", "rest_invalid_param",
                  base::Message("Send both the “from” and the “to” parameter, or neither."));
  } else if (from && to && *from > *to) {
    fields.reject("from", api::kOutOfBounds,
                  base::Message("The start date (“from”) must not be after the end date (“to”)."));
  } else if (from && to) {
    period.days = analytics::DayRange{*from, *to};
  }
  return period;
}

std::optional<analytics::DayRange> days_before(const analytics::DayRange& range) {
  const days length(range.length());
  if (range.first - json::kFirstDay < length) return std::nullopt;
  return analytics::DayRange{range.first - length, range.first - days(1)};
}

analytics::TimeSpan moments_of(const analytics::DayRange& range, const base::ZoneHistory& zones) {
  return {zones.start_of(range.first), zones.start_of(range.last + days(1))};
}

base::Day start_of(Interval interval, base::Day day, std::chrono::weekday week_start) {
  if (interval == Interval::week) return day - (std::chrono::weekday(day) - week_start);
  const year_month_day date(day);
  return interval == Interval::month ? base::Day(date.year() / date.month() / 1) : day;
}

base::Day next_after(Interval interval, base::Day start) {
  if (interval == Interval::month) return year_month_day(start) + std::chrono::months(1);
  return start + days(interval == Interval::week ? 7 : 1);
}

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

void Trend::add_columns(api::Table& table) {
  for (const char* column : {"date", "count", "average", "positive", "negative"}) {
    table.columns.emplace_back(column);
  }
}

void Trend::add_rows(api::Table& table, const std::vector<api::Cell>& prefix,
                     const std::optional<model::Category>& only) const {
  const bool has_signs = !only || analytics::has_signs(*only);
  for (const auto& [start, sums] : points_) {
    std::vector<api::Cell> row = prefix;
    row.emplace_back(base::to_date(start));
    row.emplace_back(sums.total);
    row.push_back(api::average_cell(model::average(sums.sum, sums.total)));
    row.push_back(has_signs ? api::Cell(sums.positive) : api::Cell());
    row.push_back(has_signs ? api::Cell(sums.negative) : api::Cell());
    table.rows.push_back(std::move(row));
  }
}

void write_series(json::Writer& json, model::Category category, const Trend& trend) {
  api::Table points;
  Trend::add_columns(points);
  trend.add_rows(points, {}, category);
  json.begin_object().key("category").string(name_of(category)).key("points");
  api::write_table(json, points);
  json.end_object();
}

Interval read_interval(api::Fields& fields) {
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

Interval resolved(Interval interval, const analytics::DayRange& days) {
  if (interval != Interval::automatic) return interval;
  if (days.length() <= kDaysByDay) return Interval::day;
  return days.length() <= kDaysByWeek ? Interval::week : Interval::month;
}

std::optional<api::Error> refuse_long_trend(const analytics::DayRange& days, Interval interval) {
  const std::int64_t points = days.length() / kDaysOfInterval[static_cast<std::size_t>(interval)];
  if (points <= kMaxPoints) return std::nullopt;
  return api::invalid_parameter(
      "interval", api::kOutOfBounds,
      base::Message(
          "The period must not contain more than {maximum} intervals. Choose a longer interval or "
          "a shorter period.",
          {{"maximum", kMaxPoints}}));
}

}  // namespace handlers
