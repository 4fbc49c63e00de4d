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
  // What PHP makes of no parameters at all.
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
  for (const http::Field& field : *query) parameters.add_field(field);
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
      if (!value.is_null()) parameters.add(name, std::move(value));
    }
  } else if (type == http::BodyType::form) {
    auto fields = read_form(request.body);
    if (!fields) return tl::unexpected(std::move(fields.error()));
    for (const http::Field& field : *fields) parameters.add_field(field);
  } else {
    return tl::unexpected(Error{ErrorCode::unsupported_media_type});
  }
  return query;
}

const json::Value* Parameters::find(std::string_view name) const {
  // Backwards: what was added last, counts.
  const auto found = std::find_if(values_.rbegin(), values_.rend(),
                                  [&](const json::Member& member) { return member.first == name; });
  return found == values_.rend() ? nullptr : &found->second;
}

std::map<std::string_view, const json::Value*> Parameters::all() const {
  std::map<std::string_view, const json::Value*> values;
  for (const auto& [name, value] : values_) values.insert_or_assign(name, &value);
  return values;
}

void Parameters::add(std::string_view name, json::Value value) {
  values_.emplace_back(name, std::move(value));
}

void Parameters::add_field(const http::Field& field) {
  const std::size_t bracket = field.name.find('[');
  if (bracket == 0 || bracket == std::string::npos || !field.name.ends_with(']')) {
    add(field.name, {field.value});
    return;
  }
  const std::string_view name = std::string_view(field.name).substr(0, bracket);
  const auto known = std::find_if(values_.begin(), values_.end(), [&](const json::Member& member) {
    return member.first == name && std::holds_alternative<json::Value::Array>(member.second.data);
  });
  if (known != values_.end()) {
    std::get<json::Value::Array>(known->second.data).push_back({field.value});
  } else {
    add(name, {json::Value::Array{{field.value}}});
  }
}

}  // namespace api
