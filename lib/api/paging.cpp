#include "api/paging.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/parse.h"
#include "http/parse.h"

namespace api {
namespace {

constexpr std::int64_t kMaxPageSize = 100;
constexpr std::size_t kLongestLink = 2000;  // headers must fit into the web server's buffer

// Encoded for the angle brackets of a Link header.
std::string harmless(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_harmful = c <= ' ' || c >= 0x7F || c == '<' || c == '>' || c == '"' || c == ',';
    result += is_harmful ? "%" + base::to_hex({&c, 1}) : std::string(1, c);
  }
  return result;
}

// The request's URL with "parameters" instead of "replaced"; the others stay as sent.
std::string link_to(const Call& call, const std::string& parameters,
                    std::span<const std::string_view> replaced, std::string_view relation) {
  std::string link = "<";
  if (!call.site.origins.empty()) link += call.site.origins.front();
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

}  // namespace

Page read_page(Fields& fields) {
  Page page;
  page.number = fields.positive_integer("page", Fields::kNoMaximum, page.number);
  page.size = fields.positive_integer("limit", kMaxPageSize, page.size);
  page.size = fields.positive_integer("per_page", kMaxPageSize, page.size);
  return page;
}

std::vector<http::Header> page_headers(const Call& call, const Page& page, std::int64_t total) {
  const std::int64_t pages = (total + page.size - 1) / page.size;
  std::vector<http::Header> headers = {{"X-WP-Total", std::to_string(total)},
                                       {"X-WP-TotalPages", std::to_string(pages)}};
  std::string links;
  if (page.number > 1) links = link_to_page(call, page, std::min(page.number - 1, pages), "prev");
  if (page.number < pages) {
    if (!links.empty()) links += ", ";
    links += link_to_page(call, page, page.number + 1, "next");
  }
  if (!links.empty() && links.size() <= 2 * kLongestLink) headers.push_back({"Link", links});
  return headers;
}

void add_page_headers(Answer& answer, const Call& call, const Page& page, std::int64_t total) {
  for (http::Header& header : page_headers(call, page, total)) {
    answer.headers.push_back(std::move(header));
  }
}

void add_next_link(Answer& answer, const Call& call, std::string_view name,
                   const std::string& value) {
  std::string link = link_to(call, std::string(name) + "=" + value, {&name, 1}, "next");
  if (link.size() <= kLongestLink) answer.headers.push_back({"Link", std::move(link)});
}

}  // namespace api
