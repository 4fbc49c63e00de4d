#include "handlers/analysis.h"

#include <array>

#include "analytics/range_lists.h"
#include "analytics/rating_sums.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "json/codec.h"
#include "runtime/memory.h"

namespace handlers {

namespace {

api::Error timeout_error() {
  return {api::ErrorCode::unavailable,
          base::Message("This report took too long. Choose a shorter period, remove filters, or "
                        "try again later.")};
}
api::Error busy_error() {
  return {api::ErrorCode::unavailable,
          base::Message(
              "Other long reports are running. Try again later, or choose a predefined period.")};
}

constexpr std::array<std::string_view, 2> kListFormats = {"json", "csv"};
constexpr std::array<std::string_view, 2> kDirections = {"desc", "asc"};

const std::vector<std::string> kTitleColumns = {"type", "title", "link"};

// Returns a cache key that contains everything that affects a response, except the ratings.
std::string key_of(const api::Call& call) {
  std::string key(call.request.path);
  key.append("\n").append(call.request.query).append("\n").append(call.request.body);
  key.append("\n").append(call.request.content_type);
  key += call.request.https ? "\nhttps" : "\nhttp";
  for (const auto right :
       {model::Right::see_persons, model::Right::see_unpublished, model::Right::administer}) {
    key += call.requester.may(right) ? "\n1" : "\n0";
  }
  return key;
}

std::optional<api::Answer> cached_answer(const api::Analytics& analytics, const api::Call& call) {
  return analytics.answers.find(key_of(call), call.request.received_at,
                                call.site.settings.analytics_cache);
}

Attempt attempt(Analysis& analysis, const AnalyticsQuery& query,
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
  for (const auto& [name, value] : analysis.meta) api::write_value(json.key(name), value);
  json.end_object();
}

}  // namespace

AnalyticsQuery read_analytics_query(api::Fields& fields) {
  AnalyticsQuery query;
  query.period = read_period(fields);
  query.category = fields.category("category", api::Fields::Presence::optional);
  query.object_type = fields.object_type("object_type");
  query.is_csv = fields.choice("format", kListFormats).value_or(0) == 1;
  return query;
}

std::optional<std::string> read_search(api::Fields& fields) {
  constexpr std::size_t kMaxWords = 100;
  auto words = fields.text("search", api::Fields::Presence::optional,
                           {.may_be_empty = false, .maximum = kMaxWords});
  if (!words) return std::nullopt;
  words = std::string(base::trim(*words));
  if (words->empty()) {
    fields.reject("search", "rest_invalid_pattern",
                  base::Message("The “search” parameter must not be empty."));
  }
  return words;
}

bool read_ascending(api::Fields& fields) {
  return fields.choice("order", kDirections).value_or(0) == 1;
}

Order read_order(api::Fields& fields, std::span<const std::string_view> allowed) {
  return {fields.choice("orderby", allowed).value_or(0), read_ascending(fields)};
}

bool Analysis::begin_long_scan() {
  if (is_long_scan()) return true;
  session.release();
  permit.emplace(analytics.long_scans);
  if (!permit->is_granted()) {
    early_result = tl::unexpected(busy_error());
    // While this request waited for the permit, another request may have cached the response.
  } else if (auto answer = cached_answer(analytics, call)) {
    early_result = *std::move(answer);
  }
  return !early_result;
}

api::Result analyze(const api::Core& core, const api::Analytics& analytics, const api::Call& call,
                    const api::Fields& fields, const AnalyticsQuery& query,
                    const std::function<Attempt(Analysis&)>& work) {
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  if (auto answer = cached_answer(analytics, call)) return *std::move(answer);
  return analytics.sessions.with_lease([&](db::Pool::Lease& session) -> api::Result {
    Analysis analysis(core, analytics, call, session, query.is_csv);
    Attempt made = attempt(analysis, query, work);
    if (analysis.early_result) return *std::move(analysis.early_result);
    if (analysis.is_long_scan()) runtime::give_back_memory();
    if (!made) return tl::unexpected(timeout_error());
    if (*made) analytics.answers.fill(key_of(call), **made, call.request.received_at);
    return *std::move(made);
  });
}

api::Answer json_answer(const Analysis& analysis, const std::string& data) {
  api::Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").raw(data);
  write_meta(json, analysis);
  json.end_object();
  return answer;
}

api::Answer list_answer(const Analysis& analysis, std::string_view name, const api::Table& table) {
  if (!analysis.is_csv) {
    std::string data;
    json::Writer json(data);
    api::write_table(json, table);
    return json_answer(analysis, data);
  }
  api::Answer answer;
  answer.body = api::csv_of(table);
  answer.headers.push_back({"Content-Type", "text/csv; charset=UTF-8; header=present"});
  answer.headers.push_back({"Content-Disposition",
                            std::string("attachment; filename=\"").append(name).append(".csv\"")});
  return answer;
}

Titles::Titles(const api::Core& core, const api::Call& call, db::Connection& connection,
               const std::vector<model::Object>& objects) {
  add(core, call, connection, objects);
}

void Titles::add(const api::Core& core, const api::Call& call, db::Connection& connection,
                 const std::vector<model::Object>& objects) {
  titles_.add(connection, core.cms, call.site.settings,
              call.requester.may(model::Right::see_unpublished), objects);
}

void Titles::add(const Analysis& analysis, const std::vector<model::Object>& objects) {
  add(analysis.core, analysis.call, analysis.connection(), objects);
}

void Titles::add_columns(api::Table& table) {
  table.columns.insert(table.columns.end(), kTitleColumns.begin(), kTitleColumns.end());
}

void Titles::add_cells(std::vector<api::Cell>& row, const model::Object& object) const {
  const cms::ContentItem* known = find(object);
  row.push_back(known != nullptr ? api::Cell(known->type) : api::Cell());
  row.push_back(known != nullptr ? api::Cell(known->title) : api::Cell());
  row.push_back(known != nullptr && !known->link.empty() ? api::Cell(known->link) : api::Cell());
}

void Titles::write(json::Writer& json, const model::Object& object) const {
  std::vector<api::Cell> row;
  add_cells(row, object);
  api::write_members(json, kTitleColumns, row);
}

}  // namespace handlers
