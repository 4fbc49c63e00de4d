#pragma once

#include <optional>
#include <string_view>

#include "api/app.h"
#include "api/errors.h"
#include "api/routes.h"
#include "http/request.h"
#include "http/response.h"
#include "model/settings.h"

namespace api {

// What a request has left of its address's allowance, after it has taken its share.
struct Allowance {
  std::string_view policy;  // "read" or "write"
  limit::Quota quota;
  limit::Decision decision;
};

// Takes what "charge" says from the allowance of the sender's network. Nothing for Charge::none.
[[nodiscard]] std::optional<Allowance> take_allowance(const App& app, const http::Request& request,
                                                      const model::Settings& settings,
                                                      Charge charge);

// The refusal, if nothing was left.
[[nodiscard]] std::optional<Error> refusal_in(const Allowance& allowance);

// Adds RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers): how much is allowed
// in how many seconds, how much is left ("r") and when more will be ("t").
void add_rate_limit_headers(const Allowance& allowance, http::Response& response);

}  // namespace api
