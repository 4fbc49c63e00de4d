#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "api/routes.h"
#include "handlers/handlers.h"
#include "store/named_values.h"
#include "support/answers.h"
#include "support/service.h"
#include "wordpress/password.h"

namespace {

using http::Method;
using support::header;

constexpr std::string_view kLike = R"({"object_id":1,"category":"binary","value":1})";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

class Metrics : public ::testing::Test {
 protected:
  http::Response ask(const std::string& path, std::string_view address = "127.0.0.1") {
    http::Request request;
    request.method = Method::get;
    request.remote_address = address;
    return service_.serve(request, path);
  }
  // Returns the value of a metric's sample as a string, or an empty string if the sample does not
  // exist.
  std::string sample(const std::string& name) {
    const std::string body = "\n" + ask("/metrics").body;
    const std::size_t begin = body.find("\n" + name + " ");
    if (begin == std::string::npos) return {};
    const std::size_t value = begin + name.size() + 2;
    return body.substr(value, body.find('\n', value) - value);
  }

  support::Service service_;
};

TEST_F(Metrics, AreForTheHostItselfAndItsNetworks) {
  EXPECT_EQ(ask("/metrics").status, 200);
  EXPECT_EQ(ask("/metrics", "::1").status, 200);
  EXPECT_EQ(ask("/metrics", "198.51.100.7").status, 404);
  EXPECT_EQ(ask("/metrics", "").status, 404);
  service_.allow_monitor("198.51.100.0/24");
  service_.allow_monitor("2001:db8::/32");
  EXPECT_EQ(ask("/metrics", "198.51.100.7").status, 200);
  EXPECT_EQ(ask("/metrics", "::ffff:198.51.100.7").status, 200);
  EXPECT_EQ(ask("/metrics", "2001:db8::7").status, 200);
  EXPECT_EQ(ask("/metrics", "198.51.101.7").status, 404);
}

// If nginx is not configured for a proxy on the same host, the requests of all visitors seem to
// come from the loopback address.
TEST_F(Metrics, AreNotForClientsOfAProxyOnTheHost) {
  http::Request request;
  request.method = Method::get;
  request.remote_address = "127.0.0.1";
  request.is_forwarded = true;
  EXPECT_EQ(service_.serve(request, "/metrics").status, 404);
  EXPECT_FALSE(contains(service_.serve(request, "/health").body, "version"));
}

TEST_F(Metrics, OthersSeeNoRoute) {
  const http::Response metrics = ask("/metrics", "198.51.100.7");
  EXPECT_TRUE(contains(metrics.body, "rest_no_route")) << metrics.body;
  EXPECT_EQ(ask("/health", "198.51.100.7").body, R"({"success":true,"status":"ok"})");
}

TEST_F(Metrics, AreNotForPagesOfOtherSites) {
  http::Request request;
  request.method = Method::get;
  request.remote_address = "127.0.0.1";
  request.origin = "https://evil.example";
  request.has_origin = true;
  const http::Response metrics = service_.serve(request, "/metrics");
  EXPECT_EQ(metrics.status, 404);
  for (const http::Header& header : metrics.headers) {
    EXPECT_NE(header.name, "Access-Control-Allow-Origin");
  }
  EXPECT_EQ(service_.serve(request, "/health").body, R"({"success":true,"status":"ok"})");
  service_.change({{"allow_null_origin", true}});
  request.origin = "null";  // any page can have this origin
  EXPECT_EQ(service_.serve(request, "/metrics").status, 404);
  request.origin = "https://example.org";
  EXPECT_TRUE(contains(service_.serve(request, "/health").body, "version"));
}

TEST_F(Metrics, HealthSaysMore) {
  const auto health = support::parsed(ask("/health").body);
  EXPECT_EQ(support::member(health, "ready"), support::parsed("true"));
  EXPECT_EQ(support::member(health, "database"), support::parsed("\"ok\""));
  EXPECT_EQ(support::member(health, "schema"), support::member(health, "schema_wanted"));
  EXPECT_EQ(support::member(health, "queue"), support::parsed("0"));
  EXPECT_EQ(support::member(health, "timezone"), support::parsed("\"Europe/Berlin\""));
}

TEST_F(Metrics, HealthHasTheFindingsOfTheChecks) {
  const std::string body = ask("/health").body;
  EXPECT_TRUE(contains(
      body, R"({"subject":"schema","health":"ok","title":"Rating tables","text":"version )"))
      << body;
  EXPECT_TRUE(contains(body, R"("pattern":"version {version}","values":{"version":)")) << body;
  EXPECT_FALSE(contains(ask("/health", "198.51.100.7").body, "findings"));
}

TEST_F(Metrics, HealthIsBadOnTablesOfAnotherVersion) {
  service_.connection().execute("INSERT INTO wp_ratingd_schema VALUES (1000, '2026-01-01')");
  const http::Response stranger = ask("/health", "198.51.100.7");
  EXPECT_EQ(stranger.status, 503);
  EXPECT_FALSE(contains(stranger.body, "schema"));
  const http::Response monitor = ask("/health");
  EXPECT_EQ(monitor.status, 503);
  EXPECT_TRUE(contains(monitor.body, R"("health":{"version":)")) << monitor.body;
  EXPECT_TRUE(contains(monitor.body, R"("ready":false,"database":"ok","schema":1000)"));
  EXPECT_TRUE(contains(monitor.body, R"({"subject":"schema","health":"fail")")) << monitor.body;
  EXPECT_EQ(sample("ratingd_schema_version"), "1000");
}

TEST_F(Metrics, RequestsAreCountedByRouteMethodAndStatus) {
  ask("/stats/1");
  ask("/stats/2");
  ask("/nowhere");
  ask("/stats/x");
  http::Request vote;
  vote.method = Method::post;
  vote.body = kLike;
  vote.origin = "https://example.org";
  vote.has_origin = true;
  service_.serve(vote, "/rate");
  vote.origin = "https://evil.example";
  service_.serve(vote, "/rate");
  http::Request preflight;
  preflight.method = Method::options;
  service_.serve(preflight, "/rate");

  const std::string requests = "ratingd_http_requests_total";
  const std::string stats = R"({method="GET",route="/stats/{object_id}",status=)";
  EXPECT_EQ(sample(requests + stats + "\"200\"}"), "2");
  EXPECT_EQ(sample(requests + stats + "\"400\"}"), "1");
  EXPECT_EQ(sample(requests + R"({method="POST",route="/rate",status="200"})"), "1");
  EXPECT_EQ(sample(requests + R"({method="POST",route="/rate",status="403"})"), "1");
  EXPECT_EQ(sample(requests + R"({method="OPTIONS",route="any",status="200"})") +
                sample(requests + R"({method="OPTIONS",route="any",status="204"})"),
            "1");
  EXPECT_EQ(sample(requests + R"({method="other",route="none",status="404"})"), "1");
  EXPECT_EQ(sample("ratingd_http_request_duration_seconds_count"
                   R"({method="GET",route="/stats/{object_id}"})"),
            "3");
}

TEST_F(Metrics, PathsAndMethodsThatClientsMakeUpAddNoSeries) {
  const auto lines = [&] {
    const std::string body = ask("/metrics").body;
    return std::count(body.begin(), body.end(), '\n');
  };
  ask("/stats/1");
  ask("/x");
  lines();  // this request counts itself
  const auto before = lines();
  for (int i = 1; i <= 100; ++i) {
    ask("/stats/" + std::to_string(i));
    ask("/" + std::to_string(i));
  }
  EXPECT_EQ(lines(), before);
}

TEST_F(Metrics, CountersAreExported) {
  http::Request vote;
  vote.method = Method::post;
  vote.body = kLike;
  vote.user_agent = "one";
  vote.remote_address = "203.0.113.7";
  EXPECT_EQ(service_.serve(vote, "/rate").status, 200);
  EXPECT_EQ(service_.serve(vote, "/rate").status, 200);
  ask("/stats/1");
  EXPECT_EQ(sample(R"(ratingd_votes_total{outcome="stored",identified_by="network"})"), "1");
  EXPECT_EQ(sample(R"(ratingd_votes_total{outcome="unchanged",identified_by="network"})"), "1");
  EXPECT_EQ(sample(R"(ratingd_votes_total{outcome="too_soon",identified_by="network"})"), "0");
  EXPECT_EQ(sample(R"(ratingd_votes_total{outcome="stored",identified_by="cookie"})"), "0");
  EXPECT_EQ(sample("ratingd_network_votes_changed_total"), "0");
  EXPECT_EQ(sample("ratingd_vote_batch_size_count"), "2");
  EXPECT_EQ(sample("ratingd_vote_batch_size_sum"), "2");
  EXPECT_EQ(sample("ratingd_vote_commit_duration_seconds_count"), "1");  // the vote changed nothing
  EXPECT_EQ(sample(R"(ratingd_stats_cache_lookups_total{result="hit"})"), "1");
  EXPECT_EQ(sample("ratingd_votes_held"), "0");
  EXPECT_EQ(sample("ratingd_database_up"), "1");
}

TEST_F(Metrics, TimeOfTheMaintenanceIsExported) {
  const std::string name = "ratingd_maintenance_last_success_timestamp_seconds";
  service_.connection().execute(
      "UPDATE wp_ratingd_schema SET applied_at = '2026-11-20 12:00:00' WHERE version > 0");
  EXPECT_EQ(sample(name), "1795176000");
  store::save_value(service_.connection(), store::kMaintainedAt, "2026-11-21 05:00:00.000000");
  EXPECT_EQ(sample(name), "1795237200");
}

TEST_F(Metrics, FindingsOfTheChecksAreExported) {
  EXPECT_EQ(sample(R"(ratingd_check_status{check="schema"})"), "0");
  EXPECT_EQ(sample(R"(ratingd_check_status{check="database"})"), "0");
  EXPECT_EQ(sample(R"(ratingd_check_status{check="browsers"})"), "0");
}

TEST_F(Metrics, WorstFindingOfACheckIsExported) {
  service_.store_row("revote", "nonsense");
  EXPECT_EQ(sample(R"(ratingd_check_status{check="settings"})"), "1");
}

TEST_F(Metrics, FailedCheckIsExported) {
  service_.connection().execute("INSERT INTO wp_ratingd_schema VALUES (1000, '2026-01-01')");
  EXPECT_EQ(sample(R"(ratingd_check_status{check="schema"})"), "2");
}

TEST_F(Metrics, RefusalsByLimitsAreCounted) {
  service_.change({{"rate_limit_read", model::decimal_of(1)}});
  EXPECT_EQ(ask("/stats/1", "203.0.113.7").status, 200);
  EXPECT_EQ(ask("/stats/1", "203.0.113.7").status, 429);
  EXPECT_EQ(sample(R"(ratingd_limit_refusals_total{class="read"})"), "1");
  EXPECT_EQ(sample(R"(ratingd_limit_refusals_total{class="write"})"), "0");
}

TEST_F(Metrics, UncheckedPasswordsOfMonitorsAreCounted) {
  constexpr int kChecked = 10;  // wrong passwords for a user name from a network
  service_.wordpress().set_option("using_application_passwords", "1");
  service_.change({});
  http::Request request;
  request.method = Method::get;
  request.remote_address = "198.51.100.7";
  request.https = true;
  request.received_at = base::Time(std::chrono::hours(24 * 365));
  request.authorization = "Basic bm9ib2R5Om5vYm9keQ==";  // nobody:nobody
  for (int i = 0; i < kChecked; ++i) service_.serve(request, "/health");
  EXPECT_EQ(sample(R"(ratingd_limit_refusals_total{class="login"})"), "0");
  EXPECT_EQ(service_.serve(request, "/health").status, 200);
  EXPECT_EQ(service_.serve(request, "/metrics").status, 404);
  EXPECT_EQ(sample(R"(ratingd_limit_refusals_total{class="login"})"), "2");

  const http::Response refusal = service_.serve(request, "/settings");
  EXPECT_EQ(refusal.status, 429);
  EXPECT_EQ(header(refusal, "RateLimit-Policy"), R"("login-name";q=10;w=300)");
  EXPECT_EQ(header(refusal, "RateLimit"), R"("login-name";r=0;t=30)");
  EXPECT_EQ(header(refusal, "Retry-After"), "30");
}

TEST_F(Metrics, VisitorsBehindOneAddressAreCounted) {
  http::Request request;
  request.method = Method::get;
  request.remote_address = "10.0.0.1";
  for (int i = 0; i < 5; ++i) {
    const std::string visitor = "198.51.100." + std::to_string(i);
    request.forwarded_for = visitor;
    service_.serve(request, "/stats/1");
  }
  EXPECT_EQ(sample("ratingd_forwarded_visitors_of_one_address"), "5");
  ask("/stats/1", "203.0.113.7");
  EXPECT_EQ(sample("ratingd_forwarded_visitors_of_one_address"), "0");
}

TEST_F(Metrics, WorkersAreShownBySlot) {
  EXPECT_EQ(sample("ratingd_workers"), "0");
  ASSERT_TRUE(service_.workers().join());
  service_.workers().show(runtime::Gauge::queue, 7);
  EXPECT_EQ(sample("ratingd_workers"), "1");
  EXPECT_EQ(sample("ratingd_workers_configured"), "2");
  EXPECT_EQ(sample(R"(ratingd_vote_queue_length{worker="1"})"), "7");
}

TEST(MetricsSeries, HaveNamesAndPlacesOfTheirOwn) {
  const auto names = api::request_series(handlers::routes());
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_LT(names.size(), 64U);  // places in runtime::MetricsTable
  for (const api::Route& route : handlers::routes()) {
    const std::string& name = names[api::series_of(handlers::routes(), &route, route.method)];
    EXPECT_TRUE(name.ends_with(route.path)) << name;
    EXPECT_TRUE(name.starts_with(name_of(route.method))) << name;
  }
  EXPECT_EQ(names[api::series_of(handlers::routes(), nullptr, Method::options)], "OPTIONS any");
  EXPECT_EQ(names[api::series_of(handlers::routes(), nullptr, Method::get)], "other none");
}

}  // namespace
