#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "http/request.h"
#include "json/fields.h"
#include "limit/limiter.h"

namespace api {

// The errors that clients can receive. The file errors.cpp defines the errors' HTTP statuses and
// codes.
enum class ErrorCode {
  missing_parameters,
  invalid_parameters,
  invalid_json,
  unsupported_media_type,
  malformed_form,
  bad_encoding,
  too_many_parameters,
  body_too_large,
  page_past_end,
  unauthenticated,  // a permission is needed, and nobody is logged in
  not_logged_in,
  invalid_nonce,
  bad_ticket,
  forbidden,  // the user does not have the permission
  not_for_all_sites,
  bad_origin,
  blocked,
  disabled,
  already_rated,
  no_route,
  not_found,
  site_closed,  // the site is closed in its network
  rate_limited,
  logins_limited,  // too many failed logins
  cooldown,
  internal,
  unavailable,
};

using json::FieldError;

// The values of the RateLimit and RateLimit-Policy headers after a request.
struct RateLimitState {
  limit::Limit limit;
  limit::Decision decision;
};

struct Error {
  ErrorCode code;
  base::Message message = {};            // if empty, the default message of the code
  std::vector<FieldError> fields = {};   // for missing_parameters and invalid_parameters
  std::string json_error_message = {};   // for invalid_json: the parser's message
  std::uint64_t limit = http::kMaxBody;  // for body_too_large: the maximum in bytes
  std::string_view reason = {};          // for bad_ticket: one of identity::kTicketResults
  std::string health = {};               // for unavailable: JSON with details for monitors
  // For a temporary error, the time after which the client should retry.
  std::chrono::seconds retry_after{1};
  limit::Limit refused_by = {};  // for errors with status 429: the exceeded limit
};

// Returns the error for one invalid parameter. "code" and "message" have the same meaning as in
// FieldError.
[[nodiscard]] Error invalid_parameter(std::string_view field, std::string_view code,
                                      base::Message message);

// If "message" has values, writes its "pattern" and "values" members into an open JSON object.
// Clients need "pattern" and "values" to translate the message.
void write_pattern(json::Writer& json, const base::Message& message);

// Returns the response for "error" in WordPress's format. The response contains no general headers,
// only headers specific to the error.
[[nodiscard]] http::Response error_response(const Error& error);

}  // namespace api
