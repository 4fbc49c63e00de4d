#include "api/errors.h"

#include <array>
#include <utility>

#include "base/text.h"
#include "json/codec.h"

namespace api {
namespace {

struct Kind {
  ErrorCode error;
  int status;
  std::string_view code;
  std::string_view message;
};

constexpr auto kKinds = std::to_array<Kind>({
    {ErrorCode::missing_parameters, 400, "rest_missing_callback_param", "Missing parameter(s): "},
    {ErrorCode::invalid_parameters, 400, "rest_invalid_param", "Invalid parameter(s): "},
    {ErrorCode::invalid_json, 400, "rest_invalid_json", "Invalid JSON body passed."},
    {ErrorCode::unsupported_media_type, 400, "ratingd_unsupported_media_type",
     "The request body must be JSON (application/json) or a form "
     "(application/x-www-form-urlencoded or multipart/form-data)."},
    {ErrorCode::malformed_form, 400, "ratingd_malformed_form",
     "The multipart/form-data request body is incomplete."},
    {ErrorCode::bad_encoding, 400, "ratingd_bad_encoding", "Parameters must be encoded in UTF-8."},
    {ErrorCode::too_many_parameters, 400, "ratingd_too_many_parameters",
     "A request can have at most 1000 parameters."},
    {ErrorCode::body_too_large, 400, "ratingd_body_too_large",
     "The request body must not be larger than 65536 bytes."},
    {ErrorCode::page_past_end, 400, "rest_invalid_page_number",
     "The page number requested is larger than the number of pages available."},
    {ErrorCode::unauthenticated, 401, "rest_forbidden", "Sorry, you are not allowed to do that."},
    {ErrorCode::not_logged_in, 401, "rest_not_logged_in", "You are not currently logged in."},
    {ErrorCode::invalid_nonce, 401, "rest_cookie_invalid_nonce", "Cookie check failed."},
    {ErrorCode::bad_ticket, 401, "ratingd_bad_ticket", "The ticket is not valid."},
    {ErrorCode::forbidden, 403, "rest_forbidden", "Sorry, you are not allowed to do that."},
    {ErrorCode::not_for_all_sites, 403, "ratingd_not_for_all_sites",
     "Settings for all sites are available only on the network’s first site, and only if "
     "ratingd serves all sites (all-sites = yes)."},
    {ErrorCode::bad_origin, 403, "ratingd_bad_origin",
     "Requests from this origin are not allowed."},
    {ErrorCode::blocked, 403, "ratingd_blocked",
     "Ratings from your network or browser are not accepted."},
    {ErrorCode::disabled, 403, "ratingd_disabled", "Ratings are switched off."},
    {ErrorCode::already_rated, 403, "ratingd_already_rated", "You have already rated this."},
    {ErrorCode::no_route, 404, "rest_no_route",
     "No route was found matching the URL and request method."},
    {ErrorCode::not_found, 404, "ratingd_not_found", "There is nothing at this address."},
    {ErrorCode::site_closed, 410, "ratingd_site_closed", "This site is no longer available."},
    {ErrorCode::rate_limited, 429, "ratingd_rate_limited",
     "Too many requests. Please try again later."},
    {ErrorCode::logins_limited, 429, "ratingd_rate_limited",
     "Too many logins have failed. Please try again later."},
    {ErrorCode::cooldown, 429, "ratingd_cooldown",
     "You rated a moment ago. Please try again later."},
    {ErrorCode::internal, 500, "ratingd_internal",
     "An internal error occurred. The log contains the error and the request ID."},
    {ErrorCode::unavailable, 503, "ratingd_unavailable",
     "The service cannot respond right now. Please try again later."},
});

constexpr bool is_complete() {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (static_cast<std::size_t>(kKinds[i].error) != i) return false;
  }
  return kKinds.size() == static_cast<std::size_t>(ErrorCode::unavailable) + 1;
}
static_assert(is_complete());

bool is_temporary(const Kind& kind) { return kind.status == 429 || kind.status == 503; }

std::string message_of(const Error& error, const Kind& kind) {
  return (error.message.pattern.empty() ? std::string(kind.message) : error.message.text()) +
         base::joined(error.fields, ", ", &FieldError::field);
}

struct WriteValue {
  json::Writer& json;

  void operator()(const std::string& text) const { json.string(base::printable(text)); }
  void operator()(std::int64_t number) const { json.integer(number); }
  void operator()(std::chrono::seconds duration) const {
    const base::Rounded rounded = base::rounded_up(duration);
    json.begin_object().key("number").integer(rounded.number);
    json.key("unit").string(rounded.unit).end_object();
  }
  void operator()(const base::Message& message) const {
    json.begin_object();
    if (message.values.empty()) json.key("pattern").string(base::printable(message.pattern));
    write_pattern(json, message);
    json.end_object();
  }
};

void write_missing(json::Writer& json, const Error& error) {
  json.key("params").begin_array();
  for (const FieldError& field : error.fields) json.string(field.field);
  json.end_array();
}

void write_values(json::Writer& json, const base::Message& message) {
  if (message.values.empty()) {
    json.null();
    return;
  }
  json.begin_object();
  write_pattern(json, message);
  json.end_object();
}

void write_invalid(json::Writer& json, const Error& error) {
  json.key("params").begin_object();
  for (const FieldError& field : error.fields) {
    json.key(field.field).string(field.message.text());
  }
  json.end_object().key("details").begin_object();
  for (const FieldError& field : error.fields) {
    json.key(field.field).begin_object();
    json.key("code").string(field.code).key("message").string(field.message.text());
    json.key("data");
    write_values(json, field.message);
    json.end_object();
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
  if (error.code == ErrorCode::bad_ticket) json.key("reason").string(error.reason);
  if (is_temporary(kind)) json.key("retry_after").integer(error.retry_after.count());
  if (!error.refused_by.policy.empty()) json.key("policy").string(error.refused_by.policy);
  write_pattern(json, error.message);
  if (!error.health.empty()) json.key("health").raw(error.health);
  json.end_object();
}

}  // namespace

Error invalid_parameter(std::string_view field, std::string_view code, base::Message message) {
  return {.code = ErrorCode::invalid_parameters,
          .fields = {{std::string(field), code, std::move(message)}}};
}

void write_pattern(json::Writer& json, const base::Message& message) {
  if (message.values.empty()) return;
  json.key("pattern").string(message.pattern).key("values").begin_object();
  for (const auto& [name, value] : message.values) {
    json.key(name);
    std::visit(WriteValue{json}, value);
  }
  json.end_object();
}

http::Response error_response(const Error& error) {
  const Kind& kind = kKinds[static_cast<std::size_t>(error.code)];
  http::Response response;
  response.status = kind.status;
  json::Writer json(response.body);
  json.begin_object().key("code").string(kind.code);
  json.key("message").string(message_of(error, kind)).key("data");
  write_data(json, error, kind);
  json.end_object();

  if (is_temporary(kind)) {
    response.headers.push_back({"Retry-After", std::to_string(error.retry_after.count())});
  }
  if (error.code == ErrorCode::bad_ticket) {
    response.headers.push_back({"WWW-Authenticate", "Bearer error=\"invalid_token\""});
  }
  return response;
}

}  // namespace api
