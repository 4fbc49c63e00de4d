#include "api/parameters.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "base/bytes.h"
#include "http/parse.h"

namespace api {
namespace {

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
  auto* object = std::get_if<json::Value::Object>(&parsed->data);
  if (object == nullptr) return invalid_json("The body must be an object.");
  return std::move(*object);
}

tl::expected<std::vector<http::Field>, Error> read_form(std::string_view text) {
  auto fields = http::parse_form(text);
  if (fields) return *std::move(fields);
  if (fields.error() == http::FormError::bad_utf8) {
    return tl::unexpected(Error{ErrorCode::bad_encoding});
  }
  return tl::unexpected(
      Error{ErrorCode::bad_encoding,
            "There must not be more than " + std::to_string(http::kMaxFields) + " parameters."});
}

// Whether the body is JSON: by its type, or by its first character when a careless client
// (curl -d) declares it a form or a text.
bool is_json(http::BodyType type, std::string_view body) {
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  const bool looks_like_json =
      first != std::string_view::npos && (body[first] == '{' || body[first] == '[');
  return type == http::BodyType::json || (type == http::BodyType::form && looks_like_json);
}

}  // namespace

tl::expected<Parameters, Error> Parameters::read(const http::Request& request) {
  if (request.body_too_large) return tl::unexpected(Error{ErrorCode::body_too_large});
  Parameters parameters;

  auto query = read_form(request.query);
  if (!query) return tl::unexpected(std::move(query.error()));
  for (http::Field& field : *query) parameters.add(field.name, {std::move(field.value)});
  if (request.body.empty()) return parameters;

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
    for (http::Field& field : *fields) parameters.add(field.name, {std::move(field.value)});
  } else {
    return tl::unexpected(Error{ErrorCode::unsupported_media_type});
  }
  return parameters;
}

const json::Value* Parameters::find(std::string_view name) const {
  // Backwards: what was added last, counts.
  const auto found = std::find_if(values_.rbegin(), values_.rend(),
                                  [&](const json::Member& member) { return member.first == name; });
  return found == values_.rend() ? nullptr : &found->second;
}

void Parameters::add(std::string_view name, json::Value value) {
  values_.emplace_back(name, std::move(value));
}

}  // namespace api
