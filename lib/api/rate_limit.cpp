#include "api/rate_limit.h"

#include <string>

#include "base/address.h"

namespace api {
namespace {

std::int64_t seconds_up(std::chrono::microseconds time) {
  return std::chrono::ceil<std::chrono::seconds>(time).count();
}

}  // namespace

std::optional<Allowance> take_allowance(const App& app, const http::Request& request,
                                        const model::Settings& settings, Charge charge) {
  if (charge == Charge::none) return std::nullopt;
  const bool writes = charge == Charge::write;
  Allowance allowance{writes ? "write" : "read", {}, {}};
  const int requests = writes ? settings.rate_limit_write : settings.rate_limit_read;
  allowance.quota = {static_cast<std::uint32_t>(requests), settings.rate_limit_window};
  const auto address = base::Address::parse(request.remote_address);
  allowance.decision = app.limiter.take(writes ? limit::Class::write : limit::Class::read,
                                        address.network(), allowance.quota, request.received_at);
  return allowance;
}

std::optional<Error> refusal_in(const Allowance& allowance) {
  if (allowance.decision.allowed) return std::nullopt;
  Error error{ErrorCode::rate_limited};
  error.retry_after = std::chrono::seconds(seconds_up(allowance.decision.retry_after));
  error.message = "Too many requests from your network. Please try again in " +
                  std::to_string(error.retry_after.count()) + " seconds.";
  return error;
}

void add_rate_limit_headers(const Allowance& allowance, http::Response& response) {
  const limit::Decision& decision = allowance.decision;
  const std::string policy = '"' + std::string(allowance.policy) + '"';
  response.headers.push_back(
      {"RateLimit-Policy", policy + ";q=" + std::to_string(allowance.quota.requests) +
                               ";w=" + std::to_string(allowance.quota.window.count())});
  const auto until_more = decision.allowed ? decision.reset : decision.retry_after;
  response.headers.push_back({"RateLimit", policy + ";r=" + std::to_string(decision.remaining) +
                                               ";t=" + std::to_string(seconds_up(until_more))});
}

}  // namespace api
