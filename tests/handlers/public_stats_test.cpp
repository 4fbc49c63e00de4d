// Tests the response to `GET /public/stats` in lib/handlers/stats.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/answers.h"
#include "support/clock.h"
#include "support/service.h"
#include "support/tickets.h"
#include "support/voter_cookie.h"
#include "support/voting.h"

namespace {

using http::Method;
using support::header;
using support::kNow;

http::Request get(std::string_view query = "") {
  http::Request request;
  request.method = Method::get;
  request.query = query;
  request.remote_address = "192.0.2.1";
  request.received_at = kNow;
  request.id = "1";
  return request;
}

class PublicStats : public ::testing::Test {
 protected:
  http::Response serve(const http::Request& request, const std::string& path = "/public/stats/1") {
    return service_.serve(request, path);
  }

  support::Service service_;
};

TEST_F(PublicStats, HaveTheNumbersWithoutOwnRatings) {
  const std::string all = serve(get("object_type=post"), "/stats/1").body;
  const std::string own = R"(,"user_ratings":{})";
  ASSERT_NE(all.find(own), std::string::npos);
  std::string without = all;
  without.erase(without.find(own), own.size());
  EXPECT_EQ(serve(get("object_type=post")).body, without);
}

TEST_F(PublicStats, AreTheSameWhateverTheRequestCarries) {
  const http::Response plain = serve(get());
  ASSERT_EQ(plain.status, 200);
  std::vector<http::Request> requests(11, get());
  const std::string cookies = support::voter_cookie("x") + "; wordpress_logged_in_x=y";
  requests[0].cookie = cookies;
  requests[1].authorization = "Basic YTpi";
  requests[2].has_wp_nonce = true;
  requests[3].device_token = "too short";
  requests[3].has_device_token = true;
  requests[4].origin = "https://example.org";
  requests[4].has_origin = true;
  requests[5].origin = "https://evil.example";
  requests[5].has_origin = true;
  requests[6].body = R"({"object_type":"page","_fields":"success"})";
  requests[7].body_too_large = true;
  requests[8].query = "_fields=success&_method=DELETE&_wpnonce=1&_locale=user";
  const std::string ticket =
      support::ticket(support::Service::ticket_secret("shop"), "shop", "anna", kNow);
  const std::string bearer = "Bearer " + ticket;
  requests[9].ticket = ticket;
  requests[9].has_ticket = true;
  requests[10].authorization = bearer;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const http::Response response = serve(requests[i]);
    EXPECT_EQ(response.body, plain.body) << i;
    EXPECT_TRUE(std::ranges::equal(response.headers, plain.headers)) << i;
  }
}

TEST_F(PublicStats, MayBeKeptByAnyCache) {
  const http::Response response = serve(get());
  EXPECT_EQ(header(response, "Cache-Control"),
            "public, max-age=2, stale-while-revalidate=2, stale-if-error=86400");
  EXPECT_EQ(header(response, "Access-Control-Allow-Origin"), "*");
  for (const char* name : {"Vary", "Set-Cookie", "RateLimit", "RateLimit-Policy",
                           "Access-Control-Allow-Credentials"}) {
    EXPECT_EQ(header(response, name), "none") << name;
  }
  http::Request again = get();
  const std::string etag = header(response, "ETag");
  again.if_none_match = etag;
  const http::Response unchanged = serve(again);
  EXPECT_EQ(unchanged.status, 304);
  EXPECT_EQ(unchanged.body, "");
  EXPECT_EQ(header(unchanged, "Cache-Control"), header(response, "Cache-Control"));
  EXPECT_EQ(header(unchanged, "RateLimit"), "none");
}

TEST_F(PublicStats, ErrorsAreNotKept) {
  const http::Response response = serve(get(), "/public/stats/0");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(header(response, "Cache-Control"), "no-store");
  EXPECT_EQ(header(response, "Access-Control-Allow-Origin"), "*");
}

TEST_F(PublicStats, CountAsReadsOfTheirAddress) {
  service_.change({{"rate_limit_read", model::decimal_of(10)},
                   {"rate_limit_window_seconds", model::decimal_of(60)}});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(serve(get()).status, 200);
  const http::Response refusal = serve(get());
  EXPECT_EQ(refusal.status, 429);
  EXPECT_EQ(header(refusal, "RateLimit"), R"("read";r=0;t=6)");
  EXPECT_EQ(header(refusal, "Cache-Control"), "no-store");
}

// If both a post and a product have the same id, the id refers to the post only if the post is
// public.
TEST_F(PublicStats, UnpublishedPostsDoNotChangeWhatAnIdMeans) {
  db::Connection& connection = service_.wordpress().connection();
  const auto type_of = [&](int id) {
    const http::Response response = serve(get(), "/public/stats/" + std::to_string(id));
    const auto body = support::parsed(response.body);
    return std::get<std::string>(support::member(body, "object_type").data);
  };
  connection.execute(
      "INSERT INTO wp_posts (ID, post_type, post_status) VALUES (11, 'post', 'draft'), "
      "(12, 'post', 'private'), (13, 'post', 'trash'), (14, 'shop_coupon', 'publish'), "
      "(16, 'post', 'publish')");
  for (const std::uint64_t id : {11U, 12U, 13U, 14U, 15U, 16U}) {
    votes::VoteRequest request = support::vote(model::kAnonymousBit | 1, 1000);
    request.key.object = {id, "product"};
    ASSERT_TRUE(service_.app().voting.writer.write(request));
  }
  for (const int id : {11, 12, 13, 14, 15}) EXPECT_EQ(type_of(id), "product") << id;
  EXPECT_EQ(type_of(16), "post");
}

// --- nginx ---------------------------------------------------------------------------------------

TEST_F(PublicStats, NginxKeepsOneAnswerInEight) {
  int kept = 0;
  for (const char digit : std::string_view("0123456789abcdef")) {
    http::Request request = get();
    request.id = std::string(31, 'a') + digit;
    const http::Response response = serve(request);
    const auto at = [&](std::string_view name) {
      return std::ranges::find(response.headers, name, &http::Header::name);
    };
    kept += header(response, "X-Accel-Expires") == "2" ? 1 : 0;
    EXPECT_LT(at("X-Accel-Expires"), at("Cache-Control")) << "nginx 1.22 obeys the first";
  }
  EXPECT_EQ(kept, 2);
  http::Request conditional = get();
  conditional.id = std::string(32, '0');
  EXPECT_EQ(header(serve(conditional), "X-Accel-Expires"), "2");
  conditional.if_none_match = "\"1\"";
  EXPECT_EQ(header(serve(conditional), "X-Accel-Expires"), "0") << "or others would get 304";
}

TEST_F(PublicStats, StatsOfARequesterAreForNoSharedCache) {
  for (const char* path : {"/stats/1", "/stats"}) {
    const http::Response response = serve(get("object_ids=1,2"), path);
    EXPECT_EQ(header(response, "Cache-Control"), "private, no-cache") << path;
    EXPECT_EQ(header(response, "X-Accel-Expires"), "none") << path;
  }
}

}  // namespace
