#include "api/parameters.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "base/bytes.h"
#include "http/parse.h"

namespace api {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n";

tl::unexpected<Error> invalid_json(std::string message) {
  return tl::unexpected(
      Error{.code = ErrorCode::invalid_json, .json_error_message = std::move(message)});
}

tl::expected<json::Value::Object, Error> read_json(std::string_view body) {
  auto parsed = json::parse(body);
  if (!parsed) {
    return invalid_json(parsed.error().message + " at byte " +
                        std::to_string(parsed.error().offset));
  }
  if (auto* object = std::get_if<json::Value::Object>(&parsed->data)) return std::move(*object);
  // PHP's JSON of no parameters.
  if (parsed->data == json::Value::Variant(json::Value::Array())) return json::Value::Object();
  return invalid_json("The body must be an object.");
}

tl::expected<std::vector<http::Field>, Error> read_form(std::string_view text) {
  auto fields = http::parse_form(text);
  if (fields) return *std::move(fields);
  if (fields.error() == http::FormError::bad_utf8) {
    return tl::unexpected(Error{ErrorCode::bad_encoding});
  }
  return tl::unexpected(Error{ErrorCode::too_many_parameters});
}

// Whether the body is JSON: by its type, or by its first character when a careless client
// (curl -d) declares it a form or a text.
bool is_json(http::BodyType type, std::string_view body) {
  const std::size_t first = body.find_first_not_of(kWhiteSpace);
  const bool looks_like_json =
      first != std::string_view::npos && (body[first] == '{' || body[first] == '[');
  return type == http::BodyType::json || (type == http::BodyType::form && looks_like_json);
}

}  // namespace

tl::expected<Parameters, Error> Parameters::read_query(const http::Request& request) {
  auto query = read_form(request.query);
  if (!query) return tl::unexpected(std::move(query.error()));
  Parameters parameters;
  for (const http::Field& field : *query) parameters.add_field(Source::query, field);
  return parameters;
}

tl::expected<Parameters, Error> Parameters::read(const http::Request& request) {
  if (request.body_too_large) return tl::unexpected(Error{ErrorCode::body_too_large});
  auto query = read_query(request);
  if (!query) return query;
  Parameters& parameters = *query;
  if (request.body.find_first_not_of(kWhiteSpace) == std::string_view::npos) return query;

  const http::BodyType type = http::body_type(request.content_type);
  if (is_json(type, request.body)) {
    auto members = read_json(request.body);
    if (!members) return tl::unexpected(std::move(members.error()));
    for (auto& [name, value] : *members) {
      if (!value.is_null()) parameters.add(Source::body, name, std::move(value));
    }
  } else if (type == http::BodyType::form) {
    auto fields = read_form(request.body);
    if (!fields) return tl::unexpected(std::move(fields.error()));
    for (const http::Field& field : *fields) parameters.add_field(Source::body, field);
  } else {
    return tl::unexpected(Error{ErrorCode::unsupported_media_type});
  }
  return query;
}

const json::Value* Parameters::find(std::string_view name) const {
  // Backwards, because the last value counts.
  const auto found = std::find_if(values_.rbegin(), values_.rend(),
                                  [&](const Given& given) { return given.name == name; });
  return found == values_.rend() ? nullptr : &found->value;
}

std::optional<json::Value> Parameters::find_list(std::string_view name) const {
  std::vector<const Given*> found;
  for (const Given& given : values_) {
    if (given.name != name) continue;
    if (!found.empty() && found.back()->source != given.source) found.clear();
    found.push_back(&given);
  }
  if (found.empty()) return std::nullopt;
  if (found.size() == 1) return found.front()->value;
  json::Value::Array items;
  for (const Given* given : found) {
    if (const auto* array = std::get_if<json::Value::Array>(&given->value.data)) {
      items.insert(items.end(), array->begin(), array->end());
    } else {
      items.push_back(given->value);
    }
  }
  return json::Value{std::move(items)};
}

std::map<std::string_view, const json::Value*> Parameters::all() const {
  std::map<std::string_view, const json::Value*> values;
  for (const Given& given : values_) values.insert_or_assign(given.name, &given.value);
  return values;
}

void Parameters::add(Source source, std::string_view name, json::Value value) {
  values_.push_back({std::string(name), std::move(value), source});
}

void Parameters::add_field(Source source, const http::Field& field) {
  const std::size_t bracket = field.name.find('[');
  if (bracket == 0 || bracket == std::string::npos || !field.name.ends_with(']')) {
    add(source, field.name, {field.value});
    return;
  }
  const std::string_view name = std::string_view(field.name).substr(0, bracket);
  const auto last = std::find_if(values_.rbegin(), values_.rend(), [&](const Given& given) {
    return given.source == source && given.name == name;
  });
  auto* array =
      last == values_.rend() ? nullptr : std::get_if<json::Value::Array>(&last->value.data);
  if (array != nullptr) {
    array->push_back({field.value});
  } else {
    add(source, name, {json::Value::Array{{field.value}}});
  }
}

}  // namespace api
