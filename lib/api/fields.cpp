#include "api/fields.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "http/parse.h"
#include "json/codec.h"

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
  // Accept an empty array, because PHP encodes an empty set of parameters as an empty array.
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

Error error_of(http::MultipartError error) {
  using MultipartKind = http::MultipartError::Kind;
  switch (error.kind) {
    case MultipartKind::has_file:
      return invalid_parameter(
          error.name, "rest_invalid_type",
          base::Message("{name} must be a text field, because files are not accepted.",
                        {{"name", error.name}}));
    case MultipartKind::no_boundary:
      return Error{ErrorCode::malformed_form,
                   base::Message("The boundary in the Content-Type header is missing, or the "
                                 "multipart/form-data request body does not begin with it.")};
    case MultipartKind::bad_utf8:
      return Error{ErrorCode::bad_encoding};
    case MultipartKind::too_many_fields:
      return Error{ErrorCode::too_many_parameters};
    case MultipartKind::malformed:
      break;
  }
  return Error{ErrorCode::malformed_form};
}

tl::expected<std::vector<http::Field>, Error> read_form_body(http::BodyType type,
                                                             const http::Request& request) {
  if (type == http::BodyType::form) return read_form(request.body);
  auto fields = http::parse_multipart(request.content_type, request.body);
  if (fields) return *std::move(fields);
  return tl::unexpected(error_of(std::move(fields.error())));
}

// Returns whether the body is JSON. The content type is not sufficient, because clients such as
// "curl -d" declare JSON as a form or as plain text.
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
  for (const http::Field& field : *query) parameters.add_field_of_query(field.name, field.value);
  return parameters;
}

tl::expected<Parameters, Error> Parameters::read(const http::Request& request) {
  if (request.body_too_large) return tl::unexpected(Error{ErrorCode::body_too_large});
  auto query = read_query(request);
  if (!query) return query;
  if (request.body.find_first_not_of(kWhiteSpace) == std::string_view::npos) return query;

  const http::BodyType type = http::body_type(request.content_type);
  if (is_json(type, request.body)) {
    auto members = read_json(request.body);
    if (!members) return tl::unexpected(std::move(members.error()));
    for (auto& [name, value] : *members) query->add(name, std::move(value));
  } else if (type != http::BodyType::other) {
    auto fields = read_form_body(type, request);
    if (!fields) return tl::unexpected(std::move(fields.error()));
    for (const http::Field& field : *fields) query->add_field(field.name, field.value);
  } else {
    return tl::unexpected(Error{ErrorCode::unsupported_media_type});
  }
  return query;
}

std::optional<Error> refuse_encoded_body(const http::Request& request) {
  constexpr std::string_view kGzip = "\x1F\x8B";
  if (request.body.empty() && !request.body_too_large) return std::nullopt;
  std::string encoding = base::to_lower(base::trim(request.content_encoding));
  if (encoding == "identity") encoding.clear();
  if (encoding.empty() && request.body.starts_with(kGzip)) encoding = "gzip";
  if (encoding.empty()) return std::nullopt;
  return Error{ErrorCode::unsupported_media_type,
               base::Message("The request body uses the {name} content encoding. Send the body "
                             "without a content encoding.",
                             {{"name", base::printable(encoding)}})};
}

std::optional<Error> Fields::error() const {
  if (!missing().empty()) return Error{.code = ErrorCode::missing_parameters, .fields = missing()};
  if (!invalid().empty()) return Error{.code = ErrorCode::invalid_parameters, .fields = invalid()};
  return std::nullopt;
}

Error bad_object_id(std::string_view text, std::string_view name) {
  const auto number = model::parse_decimal(text);
  const bool whole = number && model::is_integer(*number);
  return invalid_parameter(name, whole ? kOutOfBounds : "rest_invalid_type",
                           json::must_be_object_id(name));
}

}  // namespace api
