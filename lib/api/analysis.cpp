#include "api/analysis.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "analytics/range_lists.h"
#include "analytics/site_analytics.h"
#include "base/bytes.h"
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

Attempt make(Analysis& analysis, const AnalyticsQuery& query,
             const std::function<Attempt(Analysis&)>& work) {
  if (!analysis.begin(query)) return std::nullopt;
  try {
    return work(analysis);
  } catch (const analytics::TakesTooLong&) {
    return std::nullopt;
  }
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

std::optional<std::string> read_search(Fields& fields) {
  constexpr std::size_t kMaxWords = 100;
  auto words = fields.text("search", Fields::Presence::optional,
                           {.may_be_empty = false, .maximum = kMaxWords});
  if (!words) return std::nullopt;
  words = std::string(base::trim(*words));
  if (words->empty()) {
    fields.reject("search", "rest_invalid_pattern", base::Message("search must not be empty."));
  }
  return words;
}

bool read_ascending(Fields& fields) { return fields.choice("order", kDirections).value_or(0) == 1; }

Order read_order(Fields& fields, std::span<const std::string_view> allowed) {
  return {fields.choice("orderby", allowed).value_or(0), read_ascending(fields)};
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

Result analyse(const App& app, const Call& call, const Fields& fields, const AnalyticsQuery& query,
               const std::function<Attempt(Analysis&)>& work) {
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  if (auto answer = cached_answer(app, call)) return *std::move(answer);
  return app.analytics_sessions.with_lease([&](db::Pool::Lease& session) -> Result {
    Analysis analysis(app, call, session, query.is_csv);
    Attempt made = make(analysis, query, work);
    if (analysis.early_result) return *std::move(analysis.early_result);
    if (analysis.is_long_scan()) base::give_back_memory();
    if (!made) return tl::unexpected(takes_too_long());
    if (*made) app.analytics_answers.fill(key_of(call), **made, call.request.received_at);
    return *std::move(made);
  });
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
  titles_.add(connection, app.cms, call.site.settings,
              call.requester.may(model::Right::see_unpublished), objects);
}

void Titles::add(const Analysis& analysis, const std::vector<model::Object>& objects) {
  add(analysis.app, analysis.call, analysis.connection(), objects);
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

}  // namespace api
