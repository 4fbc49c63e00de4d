#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "http/request.h"
#include "http/response.h"

namespace api {

// What a client can be told went wrong. The status and the code of each stand in errors.cpp only.
enum class ErrorCode {
  missing_parameters,
  invalid_parameters,
  invalid_json,
  unsupported_media_type,
  bad_encoding,
  too_many_parameters,
  body_too_large,
  page_past_end,
  unauthenticated,  // nobody is logged in who might have the right
  not_logged_in,
  invalid_nonce,
  forbidden,  // the user has not the right
  bad_origin,
  blocked,
  disabled,
  already_rated,
  no_route,
  not_found,
  damaged_setting,
  rate_limited,
  cooldown,
  internal,
  unavailable,
};

struct FieldError {
  std::string field;
  std::string_view code;  // of WordPress: rest_invalid_type, rest_out_of_bounds ...; a literal
  std::string message;    // a sentence that says what is allowed
};

struct Error {
  ErrorCode code;
  std::string message = {};              // empty: the usual sentence of the code
  std::vector<FieldError> fields = {};   // of missing_parameters and invalid_parameters
  std::string json_error_message = {};   // of invalid_json
  std::uint64_t limit = http::kMaxBody;  // of body_too_large, in bytes
  std::string health = {};  // of unavailable: JSON that says more, for those who may see it
  // When to repeat what was unavailable or refused for a while.
  std::chrono::seconds retry_after{1};
};

// The answer for "error" in WordPress's shape, with the headers that belong to it alone.
[[nodiscard]] http::Response error_response(const Error& error);

}  // namespace api
