#include "api/table.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/links.h"
#include "base/csv.h"
#include "base/text.h"
#include "http/parse.h"

namespace api {
namespace {

std::string cell_as_csv(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return {};
  if (const auto* text = std::get_if<std::string>(&cell)) return base::csv_text(*text);
  std::string number;  // JSON and CSV write numbers alike
  json::Writer json(number);
  write_value(json, cell);
  return number;
}

constexpr std::int64_t kMaxPageSize = 100;
// The maximum size of a Link header in bytes. The limit ensures that a response's headers fit into
// the web server's buffer.
constexpr std::size_t kLongestLink = 2000;

// Returns "text", encoded for use between the angle brackets of a Link header.
std::string harmless(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_harmful = c <= ' ' || c >= 0x7F || c == '<' || c == '>' || c == '"' || c == ',';
    result += is_harmful ? "%" + base::to_hex({&c, 1}) : std::string(1, c);
  }
  return result;
}

// Returns a value for a Link header that links to the request's URL with other query parameters.
// Adds "parameters" to the URL's query, and removes the query parameters whose names are in
// "replaced". Other query parameters stay unchanged.
std::string link_to(const Call& call, const std::string& parameters,
                    std::span<const std::string_view> replaced, std::string_view relation) {
  std::string link = "<";
  if (!call.site.origins.empty()) link += with_scheme_of(call.request, call.site.origins.front());
  link += harmless(call.request.path) + "?" + parameters;
  std::string_view rest = call.request.query;
  while (!rest.empty()) {
    const std::string_view field = base::take_until(rest, '&');
    const std::string name = http::percent_decode(field.substr(0, field.find('=')));
    const bool is_replaced = std::find(replaced.begin(), replaced.end(), name) != replaced.end();
    if (field.empty() || is_replaced) continue;
    link += '&' + harmless(field);
  }
  link += ">; rel=\"";
  link += relation;
  return link + '"';
}

std::string link_to_page(const Call& call, const Page& page, std::int64_t number,
                         std::string_view relation) {
  constexpr std::array<std::string_view, 3> kReplaced = {"page", "per_page", "limit"};
  return link_to(call, "per_page=" + std::to_string(page.size) + "&page=" + std::to_string(number),
                 kReplaced, relation);
}

// The range of valid timestamps, in microseconds since 1970: from the first microsecond of the year
// 1000 to the last microsecond of the year 9999.
constexpr std::int64_t kEarliest = -30'610'224'000'000'000;
constexpr std::int64_t kLatest = 253'402'300'799'999'999;
constexpr std::int64_t kMaxSeconds = 1'000'000'000;

// Removes a number and the following dot from the beginning of "text", and returns the number.
template <typename Number>
std::optional<Number> take_number(std::string_view& text) {
  if (text.find('.') == std::string_view::npos) return std::nullopt;
  return base::parse_number<Number>(base::take_until(text, '.'));
}

}  // namespace

Cell average_cell(const std::optional<std::int64_t>& ten_thousandths) {
  if (!ten_thousandths) return {};
  return Fraction{*ten_thousandths, 4};
}

void write_value(json::Writer& json, const Cell& cell) {
  if (const auto* truth = std::get_if<bool>(&cell)) {
    json.boolean(*truth);
  } else if (const auto* number = std::get_if<std::int64_t>(&cell)) {
    json.integer(*number);
  } else if (const auto* id = std::get_if<std::uint64_t>(&cell)) {
    json.unsigned_integer(*id);
  } else if (const auto* fraction = std::get_if<Fraction>(&cell)) {
    json.decimal(fraction->value, fraction->places);
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    json.string(*text);
  } else {
    json.null();
  }
}

void write_members(json::Writer& json, const std::vector<std::string>& columns,
                   const std::vector<Cell>& row) {
  std::string_view open;  // the object that contains the previous column, if any
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string_view column = columns[i];
    const std::size_t dot = column.find('.');
    const std::string_view object = dot == std::string_view::npos ? "" : column.substr(0, dot);
    if (object != open) {
      if (!open.empty()) json.end_object();
      if (!object.empty()) json.key(object).begin_object();
      open = object;
    }
    json.key(object.empty() ? column : column.substr(dot + 1));
    write_value(json, row[i]);
  }
  if (!open.empty()) json.end_object();
}

void write_table(json::Writer& json, const Table& table) {
  json.begin_array();
  for (const auto& row : table.rows) {
    json.begin_object();
    write_members(json, table.columns, row);
    json.end_object();
  }
  json.end_array();
}

std::string csv_of(const Table& table) {
  std::string text;
  for (const std::string& column : table.columns) {
    if (!text.empty()) text += ',';
    text += base::csv_text(column);
  }
  text += "\r\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += ',';
      text += cell_as_csv(row[i]);
    }
    text += "\r\n";
  }
  return text;
}

Page read_page(Fields& fields) {
  Page page;
  page.number = fields.positive_integer("page", Fields::kNoMaximum, page.number);
  page.size = fields.positive_integer("limit", kMaxPageSize, page.size);
  page.size = fields.positive_integer("per_page", kMaxPageSize, page.size);
  return page;
}

void reject_page(Fields& fields, base::Message message) {
  if (fields.has("page")) fields.reject("page", "rest_invalid_param", std::move(message));
}

void add_page_headers(Answer& answer, const Call& call, const Page& page, std::int64_t total) {
  const std::int64_t pages = (total + page.size - 1) / page.size;
  answer.headers.push_back({"X-WP-Total", std::to_string(total)});
  answer.headers.push_back({"X-WP-TotalPages", std::to_string(pages)});
  std::string links;
  if (page.number > 1) links = link_to_page(call, page, std::min(page.number - 1, pages), "prev");
  if (page.number < pages) {
    if (!links.empty()) links += ", ";
    links += link_to_page(call, page, page.number + 1, "next");
  }
  if (!links.empty() && links.size() <= 2 * kLongestLink) answer.headers.push_back({"Link", links});
}

void add_next_link(Answer& answer, const Call& call, std::string_view name,
                   const std::string& value) {
  std::string link = link_to(call, std::string(name) + "=" + value, {&name, 1}, "next");
  if (link.size() <= kLongestLink) answer.headers.push_back({"Link", std::move(link)});
}

std::string write_cursor(const analytics::Cursor& cursor) {
  return std::to_string(cursor.rated_at.time_since_epoch().count()) + "." +
         std::to_string(cursor.object.id) + "." +
         std::to_string(static_cast<int>(cursor.category)) + "." +
         std::to_string(cursor.listed_at_this_time) + "." + cursor.object.type;
}

std::optional<analytics::Cursor> read_cursor(std::string_view text) {
  const auto rated_at = take_number<std::int64_t>(text);
  const auto id = rated_at ? take_number<std::uint64_t>(text) : std::nullopt;
  const auto category = id ? take_number<int>(text) : std::nullopt;
  const auto passed = category ? take_number<std::int64_t>(text) : std::nullopt;
  auto type = passed ? model::parse_object_type(text) : std::nullopt;
  if (!type || *rated_at < kEarliest || *rated_at > kLatest || *id > model::kMaxObjectId ||
      *category < 0 || *category > 2 || *passed < 0 || *passed > kMaxSeconds) {
    return std::nullopt;
  }
  return analytics::Cursor{base::Time(std::chrono::microseconds(*rated_at)),
                           {*id, *std::move(type)},
                           static_cast<model::Category>(*category),
                           *passed};
}

}  // namespace api
