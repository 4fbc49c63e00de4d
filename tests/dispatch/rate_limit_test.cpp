// Tests the limits that lib/dispatch/admission.h enforces.

#include <gtest/gtest.h>

#include <string>

#include "support/answers.h"
#include "support/clock.h"
#include "support/service.h"

namespace {

using support::header;
using support::kNow;
using namespace std::chrono_literals;

class RateLimit : public ::testing::Test {
 protected:
  RateLimit() {
    service_.change({{"rate_limit_write", model::decimal_of(3)},
                     {"rate_limit_read", model::decimal_of(10)},
                     {"rate_limit_window_seconds", model::decimal_of(60)}});
  }
  http::Response ask(http::Method method, const std::string& path, base::Time now = kNow,
                     std::string_view address = "192.0.2.1") {
    http::Request request;
    request.method = method;
    request.remote_address = address;
    request.received_at = now;
    return service_.serve(request, path);
  }
  // Sends an invalid vote. The status of the response is 400, or 429 if the limit is reached.
  http::Response write(base::Time now = kNow, std::string_view address = "192.0.2.1") {
    return ask(http::Method::post, "/rate", now, address);
  }

  support::Service service_;
};

TEST_F(RateLimit, TheLastAllowedRequestPassesAndTheNextIsRefused) {
  for (const char* left : {"2", "1", "0"}) {
    const auto answer = write();
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(header(answer, "RateLimit-Policy"), R"("write";q=3;w=60)");
    EXPECT_EQ(header(answer, "RateLimit").substr(0, 11), std::string(R"("write";r=)") + left);
    EXPECT_EQ(header(answer, "Retry-After"), "none");
  }
  const auto refusal = write();
  EXPECT_EQ(refusal.status, 429);
  EXPECT_EQ(header(refusal, "RateLimit"), R"("write";r=0;t=20)");
  EXPECT_EQ(header(refusal, "Retry-After"), "20");
  EXPECT_EQ(header(refusal, "Cache-Control"), "no-store");
  EXPECT_NE(refusal.body.find(R"("code":"ratingd_rate_limited")"), std::string::npos);
  EXPECT_NE(refusal.body.find(R"("retry_after":20,"policy":"write")"), std::string::npos);
}

TEST_F(RateLimit, ClientThatHonoursRetryAfterIsServed) {
  for (int i = 0; i < 4; ++i) static_cast<void>(write());
  EXPECT_EQ(write(kNow + 19s).status, 429);
  EXPECT_EQ(write(kNow + 20s).status, 400);
  EXPECT_EQ(write(kNow + 20s).status, 429);
}

TEST_F(RateLimit, AnIpv6NetworkIsOneSender) {
  for (const char* address : {"2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2:ffff::3"}) {
    EXPECT_EQ(write(kNow, address).status, 400);
  }
  EXPECT_EQ(write(kNow, "2001:db8:1:2:abcd::4").status, 429);
  EXPECT_EQ(write(kNow, "2001:db8:1:3::1").status, 400);
  EXPECT_EQ(write(kNow, "192.0.2.2").status, 400);
}

TEST_F(RateLimit, AnalyticsAreReadsForAllButAdministrators) {
  service_.change({{"analytics_access", std::string("public")}});
  for (int i = 0; i < 10; ++i) {
    const auto answer = ask(http::Method::get, "/analytics/trends");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(header(answer, "RateLimit-Policy"), R"("read";q=10;w=60)");
  }
  const auto refusal = ask(http::Method::get, "/analytics/trends");
  EXPECT_EQ(refusal.status, 429);
  EXPECT_EQ(header(refusal, "Retry-After"), "6");
  EXPECT_EQ(ask(http::Method::get, "/stats/1").status, 429);
}

TEST_F(RateLimit, ChecksOfHealthAreReadsForAllButMonitors) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(ask(http::Method::get, "/health").status, 200);
  const auto refusal = ask(http::Method::get, "/health");
  EXPECT_EQ(refusal.status, 429);
  EXPECT_EQ(header(refusal, "RateLimit"), R"("read";r=0;t=6)");
  for (int i = 0; i < 20; ++i) {
    const auto answer = ask(http::Method::get, "/health", kNow, "127.0.0.1");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(header(answer, "RateLimit"), "none");
  }
}

TEST_F(RateLimit, ReadsAndWritesAreLimitedSeparately) {
  for (int i = 0; i < 4; ++i) static_cast<void>(write());
  const auto answer = ask(http::Method::get, "/stats/1");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(header(answer, "RateLimit-Policy"), R"("read";q=10;w=60)");
  EXPECT_EQ(header(answer, "RateLimit"), R"("read";r=9;t=6)");
}

TEST_F(RateLimit, AnOverriddenMethodCountsAsWhatItIs) {
  http::Request request;
  request.method = http::Method::post;
  request.method_override = "DELETE";
  request.received_at = kNow;
  EXPECT_EQ(header(service_.serve(request, "/me"), "RateLimit-Policy"), R"("write";q=3;w=60)");
}

TEST_F(RateLimit, ForeignPagesAndUnknownPathsTakeNothing) {
  http::Request request;
  request.method = http::Method::post;
  request.has_origin = true;
  request.origin = "https://evil.example";
  request.remote_address = "192.0.2.1";
  request.received_at = kNow;
  EXPECT_EQ(header(service_.serve(request, "/rate"), "RateLimit"), "none");
  EXPECT_EQ(header(ask(http::Method::get, "/nowhere"), "RateLimit"), "none");
  EXPECT_EQ(header(write(), "RateLimit").substr(0, 11), R"("write";r=2)");
}

TEST_F(RateLimit, ProtectedRoutesTakeNothing) {
  EXPECT_EQ(header(ask(http::Method::get, "/settings"), "RateLimit"), "none");
}

}  // namespace
