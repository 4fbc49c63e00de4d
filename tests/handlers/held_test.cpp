#include <gtest/gtest.h>

#include <string>

#include "handlers/handlers.h"
#include "json/codec.h"
#include "support/service.h"

namespace {

class Held : public ::testing::Test {
 protected:
  // Stores a held vote by "voter" on the post with the id "object". The vote was cast on
  // 2026-11-21.
  void hold(int object, const std::string& voter, int minute) {
    const std::string key = "object_id = " + std::to_string(object) +
                            ", object_type = 'post', category = 0, voter = " + voter;
    const std::string time = "'2026-11-21 12:" + std::to_string(minute) + ":00'";
    service_.connection().execute("INSERT INTO wp_ratingd_votes SET " + key +
                                  ", value = 1000, held = 1, created_at = " + time +
                                  ", rated_at = " + time);
    service_.connection().execute("INSERT INTO wp_ratingd_held SET " + key +
                                  ", reasons = 3, held_at = " + time);
  }
  std::string list(std::string_view query = "") {
    http::Request request;
    request.query = query;
    return answer(request, api::run<handlers::list_held>);
  }
  std::string settle(std::string_view body) {
    http::Request request;
    request.method = http::Method::post;
    request.body = body;
    return answer(request, api::run<handlers::resolve_held>);
  }
  int positive(int object) {
    db::Rows row = service_.connection().query(
        "SELECT COALESCE(SUM(bin10), 0) FROM wp_ratingd_totals WHERE object_id = " +
        std::to_string(object));
    return row.next() ? static_cast<int>(row.integer(1)) : -1;
  }

  support::Service service_;
  std::optional<cms::User> user_;

 private:
  // Returns the body of a successful response, or the names of the rejected fields.
  std::string answer(const http::Request& request,
                     api::Result (*handler)(const api::App&, const api::Call&)) {
    const store::SiteState site;
    api::Call call{request, site, {}, {}, {}, {}};
    auto parameters = api::Parameters::read(request);
    if (!parameters) return "unreadable";
    call.parameters = *std::move(parameters);
    call.requester.user = user_;
    const auto result = handler(service_.app(), call);
    if (result) return result->body;
    if (result.error().code == api::ErrorCode::page_past_end) return "past the end";
    std::string fields;
    for (const auto& field : result.error().fields) fields += field.field + " ";
    return fields;
  }
};

constexpr const char* kVisitors =
    R"({"id":"42/post/binary/9223372036854775809","object_id":42,"object_type":"post",)"
    R"("type":null,"title":null,"link":null,"category":"binary",)"
    R"("value":1,"user_id":null,"issuer":null,"subject":null,"rated_at":"2026-11-21T12:10:00Z",)"
    R"("held_at":"2026-11-21T12:10:00Z","reasons":["few_networks","one_agent"]})";
constexpr const char* kUsers =
    R"({"id":"43/post/binary/7","object_id":43,"object_type":"post",)"
    R"("type":null,"title":null,"link":null,"category":"binary",)"
    R"("value":1,"user_id":7,"issuer":null,"subject":null,"rated_at":"2026-11-21T12:20:00Z",)"
    R"("held_at":"2026-11-21T12:20:00Z","reasons":["few_networks","one_agent"]})";

std::string data(const std::string& items) { return R"({"success":true,"data":)" + items + "}"; }

TEST_F(Held, PagePastTheEndIsRefused) {
  EXPECT_EQ(list("page=1"), data("[]"));
  EXPECT_EQ(list("page=2"), "past the end");
  hold(42, "9223372036854775809", 10);
  hold(43, "7", 20);
  EXPECT_EQ(list("page=2&per_page=1"), data(std::string("[") + kVisitors + "]"));
  EXPECT_EQ(list("page=3&per_page=1"), "past the end");
  EXPECT_EQ(list("page=2"), "past the end");
}

TEST_F(Held, VisitorsOfOtherFrontEndsAreNamed) {
  hold(42, "9223372036854775809", 10);
  hold(43, "7", 20);
  service_.connection().execute(
      "INSERT INTO wp_ratingd_visitors VALUES (9223372036854775809, 'shop', 'anna', '2026-11-21')");
  const std::string named = list();
  EXPECT_NE(named.find(R"("user_id":null,"issuer":"shop","subject":"anna","rated_at")"),
            std::string::npos);
  EXPECT_NE(named.find(R"("user_id":7,"issuer":null,"subject":null,"rated_at")"),
            std::string::npos);
}

TEST_F(Held, ListSaysWhy) {
  EXPECT_EQ(list(), data("[]"));
  hold(42, "9223372036854775809", 10);
  hold(43, "7", 20);
  EXPECT_EQ(list(), data(std::string("[") + kUsers + "," + kVisitors + "]"));
  EXPECT_EQ(list("object_id=42"), data(std::string("[") + kVisitors + "]"));
  EXPECT_EQ(list("object_id=42&object_type=page"), data("[]"));
  EXPECT_EQ(list("per_page=1&page=2"), data(std::string("[") + kVisitors + "]"));
}

TEST_F(Held, ObjectsHaveTitlesAndLinksThatTheRequesterMaySee) {
  service_.wordpress().connection().execute(
      "INSERT INTO wp_posts (ID, post_title, post_type, post_status) VALUES"
      " (42, 'Bread &amp; <b>butter</b>', 'post', 'publish'), (43, 'A secret', 'post', 'draft')");
  hold(42, "9223372036854775809", 10);
  hold(43, "7", 20);
  const std::string bread =
      R"("title":"Bread &amp; <b>butter</b>","link":"https://example.org/?p=42")";
  const std::string secret = R"("title":"A secret","link":"https://example.org/?p=43")";
  const std::string seen = list();
  EXPECT_NE(seen.find(bread), std::string::npos) << seen;
  EXPECT_NE(
      seen.find(R"("object_id":43,"object_type":"post","type":null,"title":null,"link":null)"),
      std::string::npos);
  user_ = cms::User{900, model::Rights::all()};
  EXPECT_NE(list().find(secret), std::string::npos);
}

TEST_F(Held, ReleasesByIds) {
  hold(42, "9223372036854775809", 10);
  hold(42, "7", 20);
  EXPECT_EQ(settle(R"({"action":"release","ids":["42/post/binary/7","1/post/binary/7"]})"),
            data(R"({"released":1})"));
  EXPECT_EQ(positive(42), 1);
  EXPECT_EQ(list(), data(std::string("[") + kVisitors + "]"));
}

TEST_F(Held, DropsAllOfAnObject) {
  for (int voter = 1; voter <= 300; ++voter) hold(42, std::to_string(voter), 10);
  hold(43, "7", 20);
  EXPECT_EQ(settle(R"({"action":"drop","object_id":"42"})"), data(R"({"dropped":300})"));
  EXPECT_EQ(settle(R"({"action":"drop","object_id":"42"})"), data(R"({"dropped":0})"));
  EXPECT_EQ(positive(42), 0);
  EXPECT_EQ(list(), data(std::string("[") + kUsers + "]"));
}

TEST_F(Held, SaysWhatIsWrong) {
  EXPECT_EQ(settle("{}"), "action ids ");
  EXPECT_EQ(settle(R"({"action":"keep","object_id":1})"), "action ");
  EXPECT_EQ(settle(R"({"action":"drop","ids":["42"]})"), "ids ");
  EXPECT_EQ(settle(R"({"action":"drop","ids":["42/post/binary/x"]})"), "ids ");
  EXPECT_EQ(settle(R"({"action":"drop","ids":["42/post/binary/-7"]})"), "ids ");
  EXPECT_EQ(settle(R"({"action":"drop","ids":[]})"), "ids ");
  EXPECT_EQ(settle(R"({"action":"drop","ids":["42/post/binary/7"],"object_id":42})"), "object_id ");
  EXPECT_EQ(list("object_id=0&page=0"), "page object_id ");
}

TEST_F(Held, IsForAdministrators) {
  http::Request request;
  request.method = http::Method::get;
  EXPECT_EQ(service_.serve(request, "/data/held").status, 401);
  request.method = http::Method::post;
  request.body = R"({"action":"drop","object_id":42})";
  EXPECT_EQ(service_.serve(request, "/data/held").status, 401);
}

}  // namespace
