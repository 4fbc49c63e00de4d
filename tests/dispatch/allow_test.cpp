// Tests the Allow header in lib/dispatch/response_headers.h and the response to OPTIONS requests in
// lib/handlers/route_index.h.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/text.h"
#include "support/answers.h"
#include "support/clock.h"
#include "support/service.h"
#include "support/tickets.h"

namespace {

using http::Method;
using json::Value;
using support::header;
using support::kNow;
using support::parsed;

class Allow : public ::testing::Test {
 protected:
  // Returns a ticket for a visitor of the front end "desk", with the permissions in the JSON array
  // "rights". Returns an empty string if "rights" is empty.
  static std::string ticket(const std::string& rights) {
    if (rights.empty()) return "";
    return support::ticket(support::Service::ticket_secret("desk"), "desk", "anna", kNow,
                           ",\"rights\":" + rights);
  }
  http::Response ask(Method method, const std::string& path, const std::string& rights = "") {
    const std::string token = ticket(rights);
    http::Request request;
    request.method = method;
    request.ticket = token;
    request.has_ticket = !token.empty();
    request.remote_address = "192.0.2.1";
    request.received_at = kNow;
    return service_.serve(request, path);
  }
  // Returns the Allow header in the response to an OPTIONS request. The service never rejects an
  // OPTIONS request.
  std::string allowed(const std::string& path, const std::string& rights = "") {
    const http::Response response = ask(Method::options, path, rights);
    EXPECT_EQ(response.status, 200) << path << response.body;
    return header(response, "Allow");
  }

  support::Service service_;
};

constexpr const char* kAdministrator = R"(["administer","see_persons"])";

TEST_F(Allow, HasOnlyMethodsThatTheRequesterMayUse) {
  EXPECT_EQ(allowed("/settings"), "none");
  EXPECT_EQ(allowed("/settings", R"(["see_persons"])"), "none");
  EXPECT_EQ(allowed("/settings", kAdministrator), "GET, POST, PUT, PATCH");
  EXPECT_EQ(allowed("/settings/network", kAdministrator), "none");
  EXPECT_EQ(allowed("/templates"), "GET");
  EXPECT_EQ(allowed("/templates", kAdministrator), "GET, POST");
  EXPECT_EQ(allowed("/templates/simple/stars", kAdministrator), "GET, DELETE");
  EXPECT_EQ(allowed("/data/held", R"(["administer"])"), "none");
  EXPECT_EQ(allowed("/data/held", kAdministrator), "GET, POST");
  EXPECT_EQ(allowed("/analytics/stats"), "none");
  EXPECT_EQ(allowed("/analytics/stats", kAdministrator), "GET");
  EXPECT_EQ(allowed("/me"), "none");
  EXPECT_EQ(allowed("/me", "[]"), "GET, DELETE");
}

TEST_F(Allow, IsTheSameInAnswersOfOtherMethods) {
  EXPECT_EQ(header(ask(Method::get, "/templates"), "Allow"), "GET");
  EXPECT_EQ(header(ask(Method::get, "/templates", kAdministrator), "Allow"), "GET, POST");
  const http::Response settings = ask(Method::get, "/settings");
  EXPECT_EQ(settings.status, 401);
  EXPECT_EQ(header(settings, "Allow"), "none");
  EXPECT_EQ(header(ask(Method::get, "/settings", kAdministrator), "Allow"),
            "GET, POST, PUT, PATCH");
}

TEST_F(Allow, FollowsTheSettingOfAnalytics) {
  service_.change({{"analytics_access", std::string("authenticated")}});
  EXPECT_EQ(allowed("/analytics/stats", "[]"), "GET");
  EXPECT_EQ(allowed("/analytics/stats"), "none");
  EXPECT_EQ(allowed("/analytics/users", "[]"), "none");
}

TEST_F(Allow, OfRatingDoesNotDependOnSettings) {
  service_.change({{"enabled", false}, {"require_login", true}});
  EXPECT_EQ(allowed("/rate"), "POST, DELETE");
  const http::Response refused = ask(Method::post, "/rate");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(header(refused, "Allow"), "POST, DELETE");
}

TEST_F(Allow, OfSharedAnswersIsTheSameForEverybody) {
  for (const std::string rights : {"", "[]", kAdministrator}) {
    EXPECT_EQ(allowed("/public/stats", rights), "GET");
    EXPECT_EQ(header(ask(Method::get, "/public/stats/1", rights), "Allow"), "GET");
  }
}

TEST_F(Allow, DoesNotRevealRoutesOfMonitors) {
  const http::Response response = ask(Method::options, "/metrics");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(header(response, "Allow"), "none");
  EXPECT_EQ(header(ask(Method::get, "/metrics"), "Allow"), "none");
}

TEST_F(Allow, IsThatOfNobodyWithABadTicket) {
  http::Request request;
  request.method = Method::options;
  request.ticket = "nonsense";
  request.has_ticket = true;
  request.received_at = kNow;
  const http::Response response = service_.serve(request, "/templates");
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(header(response, "Allow"), "GET");
}

using AllowOptions = Allow;

Value at(Value value, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) value = support::member(value, name);
  return value;
}

TEST_F(AllowOptions, DescribesThePathAsWordPressDoes) {
  const http::Response response = ask(Method::options, "/stats/7");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(header(response, "Content-Type"), "application/json; charset=UTF-8");
  EXPECT_EQ(header(response, "Cache-Control"), "no-store");
  const Value path = parsed(response.body);
  EXPECT_EQ(at(path, {"namespace"}), parsed(R"("ratingd/v1")"));
  EXPECT_EQ(at(path, {"methods"}), parsed(R"(["GET"])"));
  EXPECT_EQ(path.find("_links"), nullptr);
  const auto endpoints = std::get<Value::Array>(at(path, {"endpoints"}).data);
  ASSERT_EQ(endpoints.size(), 1U);
  const Value arguments = at(endpoints.front(), {"args"});
  EXPECT_EQ(at(arguments, {"object_id", "required"}), parsed("true"));
  EXPECT_EQ(at(arguments, {"object_id", "type"}), parsed(R"("integer")"));
  EXPECT_EQ(at(arguments, {"object_type", "required"}), parsed("false"));
  EXPECT_EQ(arguments.find("If-None-Match"), nullptr);
}

TEST_F(AllowOptions, HasOneEndpointForMethodsThatDoTheSame) {
  const Value path = parsed(ask(Method::options, "/settings").body);
  EXPECT_EQ(at(path, {"methods"}), parsed(R"(["GET","POST","PUT","PATCH"])"));
  const auto endpoints = std::get<Value::Array>(at(path, {"endpoints"}).data);
  ASSERT_EQ(endpoints.size(), 2U);
  EXPECT_EQ(at(endpoints[1], {"methods"}), parsed(R"(["POST","PUT","PATCH"])"));
  EXPECT_EQ(at(endpoints[1], {"args", "enabled", "type"}), parsed(R"("boolean")"));
  EXPECT_EQ(at(endpoints[1], {"args", "data", "type"}), parsed(R"("object")"));
  EXPECT_EQ(at(endpoints[1], {"args", "data"}).find("properties"), nullptr);
  const Value link = at(path, {"_links", "self"});
  EXPECT_EQ(
      link,
      parsed(R"([{"href":"https://example.org/index.php?rest_route=/ratingd/v1/settings"}])"));
}

TEST_F(AllowOptions, CountsAgainstTheLimitOfReads) {
  service_.change({{"rate_limit_read", model::decimal_of(1)}});
  EXPECT_EQ(ask(Method::options, "/settings").status, 200);
  EXPECT_EQ(ask(Method::options, "/rate").status, 429);
}

TEST_F(AllowOptions, WithAPasswordPassesTheLoginGuard) {
  service_.wordpress().set_option("using_application_passwords", "1");
  service_.change({});
  http::Request request;
  request.method = Method::options;
  request.remote_address = "198.51.100.7";
  request.https = true;
  request.received_at = kNow;
  request.authorization = "Basic bm9ib2R5Om5vYm9keQ==";  // nobody:nobody
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(header(service_.serve(request, "/settings"), "X-Ratingd-Login"), "none");
  }
  const http::Response limited = service_.serve(request, "/settings");
  EXPECT_EQ(limited.status, 200);
  EXPECT_EQ(header(limited, "X-Ratingd-Login"), "limited");
  EXPECT_EQ(header(limited, "Allow"), "none");
}

}  // namespace
