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

// The errors that clients can get. Their statuses and codes are in errors.cpp only.
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
  unauthenticated,  // the right needs a login
  not_logged_in,
  invalid_nonce,
  bad_ticket,
  forbidden,  // the user lacks the right
  not_for_all_sites,
  bad_origin,
  blocked,
  disabled,
  already_rated,
  no_route,
  not_found,
  site_closed,  // of a network
  rate_limited,
  logins_limited,  // too many logins have failed
  cooldown,
  internal,
  unavailable,
};

using json::FieldError;

// A limit and its state after a request, for the RateLimit header fields.
struct RateLimitState {
  limit::Limit limit;
  limit::Decision decision;
};

struct Error {
  ErrorCode code;
  base::Message message = {};            // empty: the default of the code
  std::vector<FieldError> fields = {};   // of missing_parameters and invalid_parameters
  std::string json_error_message = {};   // of invalid_json
  std::uint64_t limit = http::kMaxBody;  // of body_too_large, in bytes
  std::string_view reason = {};          // of bad_ticket: one of identity::kTicketResults
  std::string health = {};               // of unavailable: JSON with details, for monitors
  // When to retry after an error that is temporary.
  std::chrono::seconds retry_after{1};
  limit::Limit refused_by = {};  // of an error 429: the limit that was reached
};

// The error for one invalid parameter. "code" and "message" as in FieldError.
[[nodiscard]] Error invalid_parameter(std::string_view field, std::string_view code,
                                      base::Message message);

// The members "pattern" and "values" of an open object, if "message" has values: what a client
// needs to show it in another language.
void write_pattern(json::Writer& json, const base::Message& message);

// The response for "error" in WordPress's format, with the headers that only it has.
[[nodiscard]] http::Response error_response(const Error& error);

}  // namespace api
