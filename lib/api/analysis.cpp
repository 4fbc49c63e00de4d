#include "api/analysis.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "analytics/range_lists.h"
#include "analytics/site_analytics.h"
#include "base/memory.h"
#include "base/timestamp.h"
#include "json/codec.h"

namespace api {

std::optional<Answer> AnswerCache::find(const std::string& key, base::Time now,
                                        std::chrono::seconds life) const {
  const base::MutexLock lock(mutex_);
  const auto found = answers_.find(key);
  if (found == answers_.end() || std::chrono::abs(now - found->second.made_at) >= life) {
    return std::nullopt;
  }
  return found->second.answer;
}

void AnswerCache::fill(const std::string& key, const Answer& answer, base::Time made_at) {
  if (answer.body.size() > kMaxBody) return;
  const base::MutexLock lock(mutex_);
  std::erase_if(answers_, [&](const auto& entry) {
    return entry.second.made_at - made_at > kMaxDuration;  // the clock was set back
  });
  const auto known = answers_.find(key);
  if (known != answers_.end() && known->second.made_at > made_at)
    return;  // a faster request has stored a newer answer
  if (answers_.size() >= kMaxAnswers && known == answers_.end()) {
    answers_.erase(std::min_element(
        answers_.begin(), answers_.end(),
        [](const auto& a, const auto& b) { return a.second.made_at < b.second.made_at; }));
  }
  answers_.insert_or_assign(key, Entry{answer, made_at});
}
namespace {

Error takes_too_long() {
  return {
      ErrorCode::unavailable,
      base::Message("This report takes too long. Ask for fewer days, without a type of content or "
                    "a search, or try again later.")};
}
Error is_busy() {
  return {
      ErrorCode::unavailable,
      base::Message("Other long reports are running. Try again later, or ask for a named period.")};
}

// The time limits of searches for the newest ratings: before a long scan, and in it. The
// first also limits the lookup of unpublished objects.
constexpr std::chrono::milliseconds kShortSearch{100}, kLongSearch{1000};

constexpr std::array<std::string_view, 2> kListFormats = {"json", "csv"};
constexpr std::array<std::string_view, 2> kDirections = {"desc", "asc"};

const std::vector<std::string> kTitleColumns = {"type", "title", "link"};

// Everything that an answer depends on, except the ratings.
std::string key_of(const Call& call) {
  std::string key(call.request.path);
  key.append("\n").append(call.request.query).append("\n").append(call.request.body);
  key.append("\n").append(call.request.content_type);
  for (const auto right :
       {model::Right::see_persons, model::Right::see_unpublished, model::Right::administer}) {
    key += call.requester.may(right) ? "\n1" : "\n0";
  }
  return key;
}

std::optional<Answer> cached_answer(const App& app, const Call& call) {
  return app.analytics_answers.find(key_of(call), call.request.received_at,
                                    call.site.settings.analytics_cache);
}

void prepare(Analysis& analysis, const AnalyticsQuery& query) {
  const App& app = analysis.app;
  db::Connection& connection = analysis.connection();
  analysis.calendar = analytics::read_calendar(connection, app.cms);
  analysis.today = analysis.calendar.zone.day_of(analysis.call.request.received_at);
  analysis.first_day = analytics::first_day(connection);
  analysis.filter = {days_of(query.period, analysis.calendar, analysis.today, analysis.first_day),
                     query.category, query.object_type, query.period.is_all()};
  const auto& facets = analysis.call.site.settings.facets;
  const bool is_of_facet = query.object_type && model::is_facet(*query.object_type, facets);
  if (query.object_type && !query.type_is_of_object && !is_of_facet) {
    analysis.filter.ids = app.cms.posts_of(connection, *query.object_type);
  }
  if (!query.period.days && analysis.filter.ids.empty()) {
    analysis.list_query = {query.period.name, analysis.filter.days, analysis.calendar.zone.name()};
  }
}

Attempt make(Analysis& analysis, const AnalyticsQuery& query,
             const std::function<Attempt(Analysis&)>& work) {
  prepare(analysis, query);
  if (!analysis.filter.ids.empty() && !analysis.begin_long_scan()) return std::nullopt;
  try {
    return work(analysis);
  } catch (const analytics::TakesTooLong&) {
    return std::nullopt;
  }
}

// WordPress shows the title of a post with a password in its lists, and finds it in no search; here
// it says what the author keeps from strangers.
bool is_for_everybody(const cms::ContentItem& object, const model::Settings& settings) {
  const bool is_rated = cms::names_own_type(settings.enabled_object_types, object.post_type);
  return object.is_published && !object.has_password && (object.has_public_type || is_rated);
}

// What the CMS knows of "objects". Facets are what the object is whose facets they are.
std::map<model::Object, cms::ContentItem> describe(const App& app, const Call& call,
                                                   db::Connection& connection,
                                                   const std::vector<model::Object>& objects) {
  const model::FacetNames& facets = call.site.settings.facets;
  if (facets.empty()) return app.cms.describe(connection, objects);
  std::vector<model::Object> wholes;
  wholes.reserve(objects.size());
  for (const model::Object& object : objects) wholes.push_back(model::whole_of(object, facets));
  const auto known = app.cms.describe(connection, wholes);
  std::map<model::Object, cms::ContentItem> described;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto found = known.find(wholes[i]);
    if (found != known.end()) described.emplace(objects[i], found->second);
  }
  return described;
}

void write_meta(json::Writer& json, const Analysis& analysis) {
  json.key("meta").begin_object();
  json.key("from").string(base::to_date(analysis.filter.days.first));
  json.key("to").string(base::to_date(analysis.filter.days.last));
  json.key("timezone").string(analysis.calendar.zone.name());
  json.key("timezone_pending");
  analysis.calendar.is_pending() ? json.string(analysis.calendar.site_zone.name()) : json.null();
  json.key("as_of").string(base::to_rfc3339(analysis.as_of));
  for (const auto& [name, value] : analysis.meta) write_value(json.key(name), value);
  json.end_object();
}

}  // namespace

AnalyticsQuery read_analytics_query(Fields& fields) {
  AnalyticsQuery query;
  query.period = read_period(fields);
  query.category = fields.category("category", Fields::Presence::optional);
  query.object_type = fields.object_type("object_type");
  query.is_csv = fields.choice("format", kListFormats).value_or(0) == 1;
  return query;
}

bool read_ascending(Fields& fields) { return fields.choice("order", kDirections).value_or(0) == 1; }

Order read_order(Fields& fields, std::span<const std::string_view> allowed) {
  return {fields.choice("orderby", allowed).value_or(0), read_ascending(fields)};
}

std::optional<analytics::DayRange> Analysis::past_days(const analytics::DayRange& days) const {
  // A vote in progress may have a later time than this request.
  const analytics::DayRange past{days.first, std::min(days.last, today + std::chrono::days(1))};
  if (past.first > past.last) return std::nullopt;
  return past;
}

bool Analysis::begin_long_scan() {
  if (is_long_scan()) return true;
  session.release();
  permit.emplace(app.long_analyses);
  if (!permit->is_granted()) {
    early_result = tl::unexpected(is_busy());
  } else if (auto answer = cached_answer(app, call)) {  // made by the request that held the permit
    early_result = *std::move(answer);
  }
  return !early_result;
}

SearchTime Analysis::search_time() const {
  return SearchTime(is_long_scan() ? kLongSearch : kShortSearch);
}

std::optional<analytics::RecentRatings> Analysis::newest_ratings(
    std::span<const analytics::TimeSpan> spans, const analytics::RatingFilter& kind,
    const std::optional<analytics::Cursor>& cursor, std::int64_t limit, SearchTime& time) {
  auto found = analytics::recent_ratings(connection(), spans, kind, cursor, limit, time.left());
  if (!found.rest || is_long_scan()) return found;
  if (!begin_long_scan()) return std::nullopt;
  time = search_time();
  const std::int64_t missing = limit - std::ssize(found.ratings);
  auto more =
      analytics::recent_ratings(connection(), spans, kind, found.rest, missing, time.left());
  std::move(more.ratings.begin(), more.ratings.end(), std::back_inserter(found.ratings));
  found.rest = more.rest;
  return found;
}

std::optional<analytics::DayRange> Analysis::rated_days(const analytics::DayRange& days) const {
  auto rated = past_days(days);
  if (!first_day || !rated) return std::nullopt;
  rated->first = std::max(rated->first, *first_day);
  if (rated->first > rated->last) return std::nullopt;
  return rated;
}

analytics::SumsByCategory Analysis::read_sums(analytics::RatingFilter kind) const {
  const auto days = rated_days();
  if (!days) return {};
  kind.days = *days;
  return analytics::site_sums(connection(), kind);
}

const analytics::SumsByCategory& Analysis::sums_in_period() {
  if (!period_sums) {
    analytics::RatingFilter kind;
    kind.object_type = filter.object_type;
    kind.ids = filter.ids;
    period_sums = filter.object_type ? read_sums(std::move(kind)) : sums_of_site();
  }
  return *period_sums;
}

const analytics::SumsByCategory& Analysis::sums_of_site() {
  if (!site_sums) site_sums = read_sums({});
  return *site_sums;
}

const analytics::SumsByCategory& Analysis::sums_of_wholes() {
  const model::FacetNames& facets = call.site.settings.facets;
  if (facets.empty()) return sums_of_site();
  if (!whole_sums) {
    analytics::RatingFilter wholes;
    wholes.without = facets;
    whole_sums = read_sums(std::move(wholes));
  }
  return *whole_sums;
}

std::optional<analytics::RatingFilter> Analysis::rated_filter() {
  const auto days = rated_days();
  if (!days) return std::nullopt;
  analytics::RatingFilter rated = filter;
  rated.days = *days;
  rated.other_days = (days->first - *first_day).count() + (today - days->last).count() + 1;
  const bool is_in_rollup = filter.object_type && filter.ids.empty();
  if (is_in_rollup && ratings_in_period(*this) == 0) return std::nullopt;
  return rated;
}

std::optional<analytics::SumsByTypeAndId> Analysis::sums_of_objects(
    const analytics::RatingFilter& rated, analytics::Signs signs) {
  if (rated.ids.empty()) {
    if (auto found =
            analytics::materialized_sums_of_objects(connection(), calendar.zone.name(), rated)) {
      as_of = std::min(as_of, found->as_of);
      return std::move(found->value);
    }
  }
  return analytics::sum_up_objects(connection(), rated, signs, analytics::kSumTimeLimit);
}

Result analyse(const App& app, const Call& call, const Fields& fields, const AnalyticsQuery& query,
               const std::function<Attempt(Analysis&)>& work) {
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  if (auto answer = cached_answer(app, call)) return *std::move(answer);
  return app.analytics_sessions.with_lease([&](db::Pool::Lease& session) -> Result {
    Analysis analysis{.app = app,
                      .call = call,
                      .session = session,
                      .is_csv = query.is_csv,
                      .as_of = call.request.received_at};
    Attempt made = make(analysis, query, work);
    if (analysis.early_result) return *std::move(analysis.early_result);
    if (analysis.is_long_scan()) base::give_back_memory();
    if (!made) return tl::unexpected(takes_too_long());
    if (*made) app.analytics_answers.fill(key_of(call), **made, call.request.received_at);
    return *std::move(made);
  });
}

std::shared_ptr<const model::ObjectSet> hidden_objects(Analysis& analysis) {
  if (analysis.call.requester.may(model::Right::see_unpublished)) {
    return std::make_shared<const model::ObjectSet>();
  }
  const auto find = [&](std::chrono::milliseconds time_limit) {
    return analysis.app.unpublished.find(analysis.connection(), analysis.call.site.settings.facets,
                                         time_limit);
  };
  if (!analysis.is_long_scan()) {
    if (auto found = find(kShortSearch)) return found;
    if (!analysis.begin_long_scan()) return nullptr;
  }
  return find(analytics::kSumTimeLimit);
}

std::int64_t ratings_in_period(Analysis& analysis) {
  const analytics::SumsByCategory& sums = analysis.sums_in_period();
  const auto& category = analysis.filter.category;
  return category ? sums.at(static_cast<std::size_t>(*category)).total : total_of(sums);
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

Titles::Titles(const App& app, const Call& call, db::Connection& connection,
               const std::vector<model::Object>& objects) {
  add(app, call, connection, objects);
}

void Titles::add(const App& app, const Call& call, db::Connection& connection,
                 const std::vector<model::Object>& objects) {
  auto known = describe(app, call, connection, objects);
  if (!call.requester.may(model::Right::see_unpublished)) {
    for (const auto& [object, one] : known) {
      if (!one.is_published) hidden_.insert(object);
    }
    const auto& settings = call.site.settings;
    std::erase_if(known, [&](const auto& one) { return !is_for_everybody(one.second, settings); });
  }
  known_.merge(known);
}

void Titles::add_columns(Table& table) {
  table.columns.insert(table.columns.end(), kTitleColumns.begin(), kTitleColumns.end());
}

void Titles::add_cells(std::vector<Cell>& row, const model::Object& object) const {
  const cms::ContentItem* known = find(object);
  row.push_back(known != nullptr ? Cell(known->type) : Cell());
  row.push_back(known != nullptr ? Cell(known->title) : Cell());
  row.push_back(known != nullptr && !known->link.empty() ? Cell(known->link) : Cell());
}

void Titles::write(json::Writer& json, const model::Object& object) const {
  std::vector<Cell> row;
  add_cells(row, object);
  write_members(json, kTitleColumns, row);
}

const cms::ContentItem* Titles::find(const model::Object& object) const {
  const auto known = known_.find(object);
  return known == known_.end() ? nullptr : &known->second;
}

}  // namespace api
