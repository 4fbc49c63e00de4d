#include "api/errors.h"

#include <utility>

#include "json/codec.h"

namespace api {
namespace {

struct Kind {
  int status;
  std::string_view code;
  std::string_view message;
};

Kind kind_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::missing_parameters:
      return {400, "rest_missing_callback_param", "Missing parameter(s): "};
    case ErrorCode::invalid_parameters:
      return {400, "rest_invalid_param", "Invalid parameter(s): "};
    case ErrorCode::invalid_json:
      return {400, "rest_invalid_json", "Invalid JSON body passed."};
    case ErrorCode::unsupported_media_type:
      return {400, "ratingd_unsupported_media_type",
              "The body must be JSON (application/json) or a form "
              "(application/x-www-form-urlencoded)."};
    case ErrorCode::bad_encoding:
      return {400, "ratingd_bad_encoding", "Parameters must be UTF-8."};
    case ErrorCode::too_many_parameters:
      return {400, "ratingd_too_many_parameters", "There must not be more than 1000 parameters."};
    case ErrorCode::body_too_large:
      return {400, "ratingd_body_too_large", "The body must not be larger than 65536 bytes."};
    case ErrorCode::page_past_end:
      return {400, "rest_invalid_page_number",
              "The page number requested is larger than the number of pages available."};
    case ErrorCode::unauthenticated:
      return {401, "rest_forbidden", "Sorry, you are not allowed to do that."};
    case ErrorCode::not_logged_in:
      return {401, "rest_not_logged_in", "You are not currently logged in."};
    case ErrorCode::invalid_nonce:
      return {401, "rest_cookie_invalid_nonce", "Cookie check failed."};
    case ErrorCode::forbidden:
      return {403, "rest_forbidden", "Sorry, you are not allowed to do that."};
    case ErrorCode::bad_origin:
      return {403, "ratingd_bad_origin", "Requests from this origin are not allowed."};
    case ErrorCode::blocked:
      return {403, "ratingd_blocked", "Ratings are not taken from here."};
    case ErrorCode::disabled:
      return {403, "ratingd_disabled", "Ratings are switched off."};
    case ErrorCode::already_rated:
      return {403, "ratingd_already_rated", "You have rated this already."};
    case ErrorCode::no_route:
      return {404, "rest_no_route", "No route was found matching the URL and request method."};
    case ErrorCode::not_found:
      return {404, "ratingd_not_found", "There is nothing here."};
    case ErrorCode::damaged_setting:
      return {400, "ratingd_damaged_setting", "What is stored of a setting is damaged."};
    case ErrorCode::rate_limited:
      return {429, "ratingd_rate_limited", "Too many requests. Please try again later."};
    case ErrorCode::cooldown:
      return {429, "ratingd_cooldown", "You have rated a moment ago. Please try again later."};
    case ErrorCode::unavailable:
      return {503, "ratingd_unavailable",
              "The service cannot answer right now. Please repeat the request; with its cookie or "
              "device token that is safe."};
    case ErrorCode::internal:
      break;
  }
  return {500, "ratingd_internal", "An internal error occurred. The log has the request id."};
}

// Whether the same request may succeed later.
bool is_passing(const Kind& kind) { return kind.status == 429 || kind.status == 503; }

std::string message_of(const Error& error, const Kind& kind) {
  std::string message(error.message.empty() ? kind.message : error.message);
  for (std::size_t i = 0; i < error.fields.size(); ++i) {
    if (i > 0) message += ", ";
    message += error.fields[i].field;
  }
  return message;
}

void write_missing(json::Writer& json, const Error& error) {
  json.key("params").begin_array();
  for (const FieldError& field : error.fields) json.string(field.field);
  json.end_array();
}

void write_invalid(json::Writer& json, const Error& error) {
  json.key("params").begin_object();
  for (const FieldError& field : error.fields) json.key(field.field).string(field.message);
  json.end_object().key("details").begin_object();
  for (const FieldError& field : error.fields) {
    json.key(field.field).begin_object();
    json.key("code").string(field.code).key("message").string(field.message);
    json.key("data").null().end_object();
  }
  json.end_object();
}

void write_data(json::Writer& json, const Error& error, const Kind& kind) {
  json.begin_object().key("status").integer(kind.status);
  if (error.code == ErrorCode::missing_parameters) write_missing(json, error);
  if (error.code == ErrorCode::invalid_parameters) write_invalid(json, error);
  if (error.code == ErrorCode::invalid_json) {
    json.key("json_error_message").string(error.json_error_message);
  }
  if (error.code == ErrorCode::body_too_large) {
    json.key("limit").unsigned_integer(error.limit);
  }
  if (is_passing(kind)) json.key("retry_after").integer(error.retry_after.count());
  if (!error.health.empty()) json.key("health").raw(error.health);
  json.end_object();
}

}  // namespace

http::Response error_response(const Error& error) {
  const Kind kind = kind_of(error.code);
  http::Response response;
  response.status = kind.status;
  json::Writer json(response.body);
  json.begin_object().key("code").string(kind.code);
  json.key("message").string(message_of(error, kind)).key("data");
  write_data(json, error, kind);
  json.end_object();

  if (is_passing(kind)) {
    response.headers.push_back({"Retry-After", std::to_string(error.retry_after.count())});
  }
  return response;
}

}  // namespace api
