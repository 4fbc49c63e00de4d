#include "api/parameters.h"

#include <string>
#include <utility>
#include <variant>

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

// Adds a field of a form or a query. "name[]" adds to the array of this name.
template <typename Values>
void add_field(Values& values, const http::Field& field) {
  const std::size_t bracket = field.name.find('[');
  if (bracket == 0 || bracket == std::string::npos || !field.name.ends_with(']')) {
    values[field.name].push_back({field.value});
    return;
  }
  std::vector<json::Value>& given = values[field.name.substr(0, bracket)];
  auto* array = given.empty() ? nullptr : std::get_if<json::Value::Array>(&given.back().data);
  if (array != nullptr) {
    array->push_back({field.value});
  } else {
    given.push_back({json::Value::Array{{field.value}}});
  }
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
  for (const http::Field& field : *query) add_field(parameters.query_, field);
  return parameters;
}

tl::expected<Parameters, Error> Parameters::read(const http::Request& request) {
  if (request.body_too_large) return tl::unexpected(Error{ErrorCode::body_too_large});
  auto query = read_query(request);
  if (!query) return query;
  Values& body = query->body_;
  if (request.body.find_first_not_of(kWhiteSpace) == std::string_view::npos) return query;

  const http::BodyType type = http::body_type(request.content_type);
  if (is_json(type, request.body)) {
    auto members = read_json(request.body);
    if (!members) return tl::unexpected(std::move(members.error()));
    for (auto& [name, value] : *members) {
      if (!value.is_null()) body[name].push_back(std::move(value));
    }
  } else if (type == http::BodyType::form) {
    auto fields = read_form(request.body);
    if (!fields) return tl::unexpected(std::move(fields.error()));
    for (const http::Field& field : *fields) add_field(body, field);
  } else {
    return tl::unexpected(Error{ErrorCode::unsupported_media_type});
  }
  return query;
}

const json::Value* Parameters::find(std::string_view name) const {
  const auto* const values = values_of(name);
  return values == nullptr ? nullptr : &values->back();
}

std::optional<json::Value> Parameters::find_list(std::string_view name) const {
  const auto* const values = values_of(name);
  if (values == nullptr) return std::nullopt;
  if (values->size() == 1) return values->front();
  json::Value::Array items;
  for (const json::Value& value : *values) {
    if (const auto* array = std::get_if<json::Value::Array>(&value.data)) {
      items.insert(items.end(), array->begin(), array->end());
    } else {
      items.push_back(value);
    }
  }
  return json::Value{std::move(items)};
}

std::map<std::string_view, const json::Value*> Parameters::all() const {
  std::map<std::string_view, const json::Value*> values;
  for (const Values* source : {&query_, &body_}) {
    for (const auto& [name, given] : *source) values.insert_or_assign(name, &given.back());
  }
  return values;
}

const std::vector<json::Value>* Parameters::values_of(std::string_view name) const {
  for (const Values* source : {&body_, &query_}) {
    if (const auto found = source->find(name); found != source->end()) return &found->second;
  }
  return nullptr;
}

}  // namespace api
