#include "api/analysis.h"

#include <algorithm>
#include <array>

#include "api/access.h"
#include "api/answer_cache.h"
#include "base/memory.h"
#include "base/timestamp.h"
#include "json/codec.h"

namespace api {
namespace {

constexpr const char* kTooLong =
    "There are too many ratings for a report of so many days. Ask for fewer, or for a period by "
    "its "
    "name.";
constexpr const char* kBusy =
    "Other long reports are being made just now. Try again, or ask for a period by its name.";

constexpr std::array<std::string_view, 2> kFormats = {"json", "csv"};
constexpr std::array<std::string_view, 2> kDirections = {"desc", "asc"};

// All that an answer depends on, but for the ratings.
std::string key_of(const App& app, const Call& call) {
  std::string key(call.request.path);
  key.append("\n").append(call.request.query).append("\n").append(call.request.body);
  key.append("\n").append(call.request.content_type);
  key += sees_persons(app, call) ? "\npersons" : "\n";
  key += sees_unpublished(app, call) ? "\nunpublished" : "\n";
  return key;
}

Analysis begin(const App& app, const Call& call, db::Connection& connection,
               const AnalyticsQuery& query) {
  Analysis analysis{.app = app,
                    .call = call,
                    .connection = connection,
                    .calendar = app.analytics.calendar.read(connection),
                    .is_csv = query.is_csv,
                    .as_of = call.request.received_at};
  analysis.today = analysis.calendar.zone.day_of(call.request.received_at);
  analysis.first_day = app.analytics.site.first_day(connection);
  analysis.filter = {days_of(query.period, analysis.calendar, analysis.today, analysis.first_day),
                     query.category, query.object_type, query.period.is_all()};
  if (!query.period.days) {
    analysis.kept = {query.period.name, analysis.filter.days, analysis.calendar.zone.name()};
  }
  return analysis;
}

void write_meta(json::Writer& json, const Analysis& analysis) {
  json.key("meta").begin_object();
  json.key("from").string(base::to_date(analysis.filter.days.first));
  json.key("to").string(base::to_date(analysis.filter.days.last));
  json.key("timezone").string(analysis.calendar.zone.name());
  json.key("timezone_pending");
  if (analysis.calendar.is_pending()) {
    json.string(analysis.calendar.site_zone.name());
  } else {
    json.null();
  }
  json.key("as_of").string(base::to_rfc3339(analysis.as_of));
  for (const auto& [name, value] : analysis.meta) json.key(name).raw(value);
  json.end_object();
}

}  // namespace

AnalyticsQuery read_analytics_query(Fields& fields) {
  AnalyticsQuery query;
  query.period = read_period(fields);
  query.category = fields.category("category", Fields::Presence::optional);
  query.object_type = fields.object_type("object_type");
  query.is_csv = fields.choice("format", kFormats).value_or(0) == 1;
  return query;
}

Order read_order(Fields& fields, std::span<const std::string_view> allowed) {
  return {fields.choice("orderby", allowed).value_or(0),
          fields.choice("order", kDirections).value_or(0) == 1};
}

std::optional<store::DayRange> Analysis::rated_days() const {
  if (!first_day) return std::nullopt;
  // A vote on its way may have a moment that is later than this request's.
  const store::DayRange days{std::max(filter.days.first, *first_day),
                             std::min(filter.days.last, today + std::chrono::days(1))};
  if (days.first > days.last) return std::nullopt;
  return days;
}

std::optional<store::RatingFilter> Analysis::rated_filter() const {
  const auto days = rated_days();
  if (!days) return std::nullopt;
  store::RatingFilter rated = filter;
  rated.days = *days;
  rated.other_days = (days->first - *first_day).count() + (today - days->last).count() + 1;
  if (filter.object_type && app.analytics.site.days(connection, rated).empty()) return std::nullopt;
  return rated;
}

Result analyse(const App& app, const Call& call, const AnalyticsQuery& query,
               const std::function<Result(Analysis&)>& work) {
  const base::Time now = call.request.received_at;
  const std::string key = key_of(app, call);
  const auto find_answer = [&] {
    return app.analytics_answers.find(key, now - call.site.settings.analytics_cache);
  };
  bool lacks_time = false;
  const auto run = [&](bool may_take_long) -> Result {
    return app.analytics_sessions.with_session([&](db::Connection& connection) {
      Analysis analysis = begin(app, call, connection, query);
      analysis.may_take_long = may_take_long;
      Result result = work(analysis);
      lacks_time = analysis.lacks_time;
      return result;
    });
  };

  if (auto answer = find_answer()) return *std::move(answer);
  Result result = run(false);
  if (lacks_time) {
    // Without a session while it waits.
    const base::Gate::Visit visit(app.long_analyses);
    if (!visit.is_inside()) return tl::unexpected(Error{ErrorCode::unavailable, kBusy});
    if (auto answer = find_answer()) return *std::move(answer);  // of whom it waited for
    result = run(true);
    base::give_back_memory();
    if (lacks_time) return tl::unexpected(Error{ErrorCode::unavailable, kTooLong});
  }
  if (result) app.analytics_answers.keep(key, *result, now);
  return result;
}

Answer json_answer(const Analysis& analysis, const std::string& data) {
  Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").raw(data);
  write_meta(json, analysis);
  json.end_object();
  return answer;
}

Answer list_answer(const Analysis& analysis, std::string_view name, const Table& table) {
  if (!analysis.is_csv) {
    std::string data;
    json::Writer json(data);
    write_table(json, table);
    return json_answer(analysis, data);
  }
  Answer answer;
  answer.body = csv_of(table);
  answer.headers.push_back({"Content-Type", "text/csv; charset=UTF-8; header=present"});
  answer.headers.push_back({"Content-Disposition",
                            std::string("attachment; filename=\"").append(name).append(".csv\"")});
  return answer;
}

Titles::Titles(const Analysis& analysis, const std::vector<model::Object>& objects)
    : known_(analysis.app.analytics.wp_objects.describe(analysis.connection, objects)),
      sees_unpublished_(sees_unpublished(analysis.app, analysis.call)) {}

void Titles::add_columns(Table& table) {
  table.columns.emplace_back("title");
  table.columns.emplace_back("link");
}

void Titles::add_cells(std::vector<Cell>& row, const model::Object& object) const {
  const store::WpObject* known = find(object);
  const bool is_shown = known != nullptr && (known->is_published || sees_unpublished_);
  row.push_back(is_shown ? Cell(known->title) : Cell());
  row.push_back(is_shown ? Cell(known->link) : Cell());
}

const store::WpObject* Titles::find(const model::Object& object) const {
  const auto known = known_.find(object);
  return known == known_.end() ? nullptr : &known->second;
}

}  // namespace api
