// Tests lib/handlers/analysis.h and the responses in lib/handlers/analytics_*.cpp.

#include <gtest/gtest.h>

#include <algorithm>

#include "analytics/materialized_lists.h"
#include "api/access.h"
#include "handlers/analysis.h"
#include "handlers/handlers.h"
#include "rollups/rollup_state.h"
#include "support/answers.h"
#include "support/clock.h"
#include "support/service.h"
#include "support/wordpress_cms.h"
#include "transfer/rating_merge.h"
#include "transfer/retention.h"

namespace {

using namespace std::chrono_literals;
using model::AnalyticsAccess;
using support::kNoon;

class Analytics : public ::testing::Test {
 protected:
  Analytics() {
    site_.settings.analytics_cache = std::chrono::seconds(0);
    service_.wordpress().set_option("timezone_string", "Europe/Berlin");
    service_.wordpress().set_option("home", "https://example.org");
  }

  // Returns a call by a user with the permissions in "rights". If "rights" is {"read"}, the user is
  // logged in but has no permissions, because "read" is not a permission. If "rights" is empty, no
  // user is logged in.
  api::Call call(const std::vector<std::string_view>& rights, std::uint64_t user = 900) {
    api::Call call{request_, site_, argument_, {}, {}, {}};
    if (!rights.empty()) call.requester.user = cms::User{user, {}};
    for (const std::string_view name : rights) {
      if (const auto right = model::right_named(name)) call.requester.user->rights.add(*right);
    }
    call.parameters = api::Parameters::read(request_).value();
    return call;
  }
  std::string body(api::Result (*handler)(const api::App&, const api::Call&), std::string query,
                   const std::vector<std::string_view>& rights = {}, std::string argument = "") {
    query_ = std::move(query);
    argument_ = std::move(argument);
    request_.query = query_;
    const auto result = handler(service_.app(), call(rights));
    EXPECT_TRUE(result) << query_;
    return result ? result->body : std::string();
  }
  static bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }

  void vote(const model::Object& object, model::VoterId voter, base::Time time = kNoon,
            model::Category category = model::Category::binary, model::Thousandths value = 1000) {
    votes::VoteRequest vote_request;
    vote_request.key = {object, category, voter};
    vote_request.value = value;
    vote_request.received_at = time;
    ASSERT_TRUE(service_.app().voting.writer.write(vote_request));
  }
  void add_post(int id, std::string_view title, std::string_view status,
                std::string_view type = "post") {
    service_.wordpress().connection().execute(
        "INSERT INTO wp_posts (ID, post_title, post_status, post_name, post_type)"
        " VALUES (?,?,?,?,?)",
        std::int64_t{id}, title, status, "name", type);
  }
  // Returns the error code of a request that the service must reject.
  api::ErrorCode refusal(api::Result (*handler)(const api::App&, const api::Call&),
                         std::string query, const std::vector<std::string_view>& rights = {},
                         std::string argument = "") {
    query_ = std::move(query);
    argument_ = std::move(argument);
    request_.query = query_;
    const auto result = handler(service_.app(), call(rights));
    EXPECT_FALSE(result) << query_;
    return result ? api::ErrorCode{} : result.error().code;
  }

  std::string query_, argument_;
  http::Request request_ = [] {
    http::Request request;
    request.method = http::Method::get;
    request.received_at = kNoon;
    return request;
  }();
  store::SiteState site_;
  support::Service service_;
};

TEST_F(Analytics, AreForThoseWhomTheSettingNames) {
  struct Row {
    AnalyticsAccess access;
    bool stranger, reader, editor, administrator;
  };
  for (const Row& row : {Row{AnalyticsAccess::administrator, false, false, false, true},
                         Row{AnalyticsAccess::editor, false, false, true, true},
                         Row{AnalyticsAccess::authenticated, false, true, true, true},
                         Row{AnalyticsAccess::public_, true, true, true, true}}) {
    site_.settings.analytics_access = row.access;
    const auto may = [&](const std::vector<std::string_view>& rights) {
      return !api::refuse_analytics(call(rights));
    };
    EXPECT_EQ(may({}), row.stranger);
    if (!row.stranger) {
      EXPECT_EQ(api::refuse_analytics(call({}))->code,
                row.reader ? api::ErrorCode::not_logged_in : api::ErrorCode::unauthenticated);
    }
    EXPECT_EQ(may({"read"}), row.reader);
    EXPECT_EQ(may({"see_unpublished"}), row.editor);
    EXPECT_EQ(may({"administer"}), row.administrator);
  }
}

TEST_F(Analytics, PersonsNeedListUsersWhateverTheSettingSays) {
  site_.settings.analytics_access = AnalyticsAccess::public_;
  const auto refused = [&](const api::Call& asked, std::uint64_t person) {
    return api::refuse_persons(asked, person);
  };
  EXPECT_EQ(refused(call({}), 0)->code, api::ErrorCode::unauthenticated);
  EXPECT_EQ(refused(call({"see_unpublished"}), 0)->code, api::ErrorCode::forbidden);
  EXPECT_FALSE(refused(call({"see_persons"}), 0));

  site_.settings.analytics_access = AnalyticsAccess::administrator;
  EXPECT_TRUE(refused(call({"see_persons"}), 5));
  EXPECT_FALSE(refused(call({"see_persons", "administer"}), 5));
}

TEST_F(Analytics, UsersMayReadWhatIsAboutThemselves) {
  EXPECT_FALSE(api::refuse_persons(call({"read"}, 7), 7));
  EXPECT_TRUE(api::refuse_persons(call({"read"}, 7), 8));
  EXPECT_TRUE(api::refuse_persons(call({"read"}, 7), 0));
}

TEST_F(Analytics, TitlesOfWhatIsNotPublishedNeedEditOthersPosts) {
  add_post(1, "Seen by all", "publish");
  add_post(2, "Salaries", "private");
  vote({1, "post"}, 7);
  vote({2, "post"}, 7);
  for (auto* handler : {api::run<handlers::top_rated>, api::run<handlers::recent_ratings>,
                        api::run<handlers::top_posts_overview>}) {
    const std::string others = body(handler, "", {"see_persons"});
    EXPECT_TRUE(contains(others, "Seen by all"));
    EXPECT_FALSE(contains(others, "Salaries")) << others;
    EXPECT_FALSE(contains(others, "https://example.org/?p=2")) << others;
    EXPECT_TRUE(contains(body(handler, "", {"see_unpublished"}), "Salaries"));
  }
  EXPECT_FALSE(contains(body(api::run<handlers::post_details>, "", {}, "2"), "Salaries"));
  EXPECT_FALSE(contains(body(api::run<handlers::user_details>, "", {"read"}, "7"), "Salaries"));
}

// The list contains objects that do not exist in the CMS, because visitors may rate any id.
TEST_F(Analytics, ListsLeaveOutWhatTheCmsKnowsAsUnpublished) {
  add_post(1, "Seen by all", "publish");
  add_post(2, "Thrown away", "trash");
  for (const model::VoterId voter : {7U, 8U, 9U}) vote({2, "post"}, voter);
  for (const model::VoterId voter : {7U, 8U}) vote({1, "post"}, voter);
  vote({2, "song"}, 7);
  for (auto* handler : {api::run<handlers::top_rated>, api::run<handlers::recent_ratings>,
                        api::run<handlers::top_posts_overview>}) {
    const std::string others = body(handler, "", {"see_persons"});
    EXPECT_TRUE(contains(others, R"("object_id":1,)")) << others;
    EXPECT_FALSE(contains(others, R"("object_id":2,"object_type":"post")")) << others;
    const std::string editors = body(handler, "", {"see_unpublished"});
    EXPECT_TRUE(contains(editors, R"("title":"Thrown away","link":null)")) << editors;
  }
  for (auto* handler : {api::run<handlers::top_rated>, api::run<handlers::recent_ratings>}) {
    EXPECT_TRUE(contains(body(handler, ""), R"("object_type":"song")"));
  }
}

TEST_F(Analytics, CountsAgreeWithListsThatLeaveObjectsOut) {
  for (int id = 1; id <= 6; ++id) {
    add_post(id, "A post", id <= 4 ? "draft" : "publish");
    vote({static_cast<std::uint64_t>(id), "post"}, 7);
  }
  const auto total = [&](const std::vector<std::string_view>& rights) {
    request_.query = "per_page=2";
    const auto result = api::run<handlers::top_rated>(service_.app(), call(rights));
    for (const http::Header& header : result->headers) {
      if (header.name == "X-WP-Total") return header.value;
    }
    return std::string();
  };
  EXPECT_EQ(total({}), "2");
  EXPECT_EQ(total({"see_unpublished"}), "6");
  EXPECT_EQ(refusal(api::run<handlers::top_rated>, "per_page=2&page=2"),
            api::ErrorCode::page_past_end);
}

// Browsers block HTTP requests from a page that was loaded over HTTPS.
TEST_F(Analytics, LinksBetweenPagesHaveTheSchemeOfTheRequest) {
  site_.origins = {"http://example.org"};
  site_.settings.analytics_cache = 1h;
  request_.path = "/wp-json/ratingd/v1/analytics/top-rated";
  for (const std::uint64_t id : {1, 2}) vote({id, "song"}, 7);
  for (const bool https : {false, true}) {
    request_.https = https;
    request_.query = "per_page=1";
    const auto result = api::run<handlers::top_rated>(service_.app(), call({}));
    const auto link = std::ranges::find(result->headers, "Link", &http::Header::name);
    ASSERT_NE(link, result->headers.end());
    EXPECT_TRUE(link->value.starts_with(https ? "<https://example.org/" : "<http://example.org/"))
        << link->value;
  }
}

// A page of recent ratings contains older ratings in place of ratings for hidden objects, and the
// next page continues after these older ratings.
TEST_F(Analytics, RecentGoesOnBehindWhatIsLeftOut) {
  add_post(2, "Thrown away", "trash");
  for (int i = 0; i < 30; ++i) {
    vote({i % 3 == 0 ? 1U : 2U, "post"}, 10 + static_cast<model::VoterId>(i), kNoon - i * 1min);
  }
  std::string cursor;
  int listed = 0;
  for (int page = 0; page < 3; ++page) {
    const std::string answer = body(api::run<handlers::recent_ratings>,
                                    "per_page=4" + (page == 0 ? "" : "&after=" + cursor));
    EXPECT_FALSE(contains(answer, R"("object_id":2)")) << answer;
    for (std::size_t at = answer.find("rated_at"); at != std::string::npos;
         at = answer.find("rated_at", at + 1)) {
      ++listed;
    }
    const std::size_t next = answer.find(R"("next":")");
    if (page < 2) {
      EXPECT_EQ(listed, 4 * (page + 1)) << answer;
      ASSERT_NE(next, std::string::npos) << answer;
      cursor = answer.substr(next + 8, answer.find('"', next + 8) - next - 8);
    }
  }
  EXPECT_EQ(listed, 10);
}

// Plugins also publish posts that no page shows, such as coupons and orders.
TEST_F(Analytics, PublishedPostsOfOtherTypesNeedEditOthersPostsUnlessTheyAreEnabled) {
  add_post(1, "SUMMER50", "publish", "voucher");
  vote({1, "voucher"}, 7);
  vote({1, "post"}, 7);
  EXPECT_FALSE(contains(body(api::run<handlers::top_rated>, ""), "SUMMER50"));
  EXPECT_TRUE(
      contains(body(api::run<handlers::post_details>, "", {}, "1"), R"("type":null,"title":null)"));
  EXPECT_TRUE(contains(body(api::run<handlers::top_rated>, "", {"see_unpublished"}), "SUMMER50"));
  site_.settings.enabled_object_types = {"voucher"};
  site_.settings.analytics_cache = std::chrono::seconds(0);
  EXPECT_TRUE(contains(body(api::run<handlers::top_rated>, ""), "SUMMER50"));
}

TEST_F(Analytics, TitlesOfPostsWithAPasswordNeedEditOthersPosts) {
  add_post(1, "Prices for members", "publish");
  service_.wordpress().connection().execute("UPDATE wp_posts SET post_password = 'x'");
  vote({1, "post"}, 7);
  for (auto* handler : {api::run<handlers::top_rated>, api::run<handlers::recent_ratings>,
                        api::run<handlers::top_posts_overview>}) {
    const std::string others = body(handler, "", {"see_persons"});
    EXPECT_TRUE(contains(others, R"("object_id":1,)")) << others;
    EXPECT_FALSE(contains(others, "Prices")) << others;
    EXPECT_FALSE(contains(others, "https://example.org/?p=1")) << others;
    EXPECT_TRUE(contains(body(handler, "", {"see_unpublished"}), "Prices"));
  }
  EXPECT_TRUE(contains(body(api::run<handlers::top_rated>, "search=prices"), R"("data":[])"));
  EXPECT_TRUE(contains(body(api::run<handlers::top_rated>, "search=prices", {"see_unpublished"}),
                       "Prices"));
}

TEST_F(Analytics, TopRatedAreSearchedByTitle) {
  add_post(1, "Bread without kneading", "publish");
  add_post(2, "Bread and salaries", "private");
  add_post(3, "Walks along the river", "publish");
  for (const std::uint64_t id : {1U, 2U, 3U, 4U}) vote({id, "post"}, 7);
  for (const std::string days : {"", "&from=2026-11-20&to=2026-11-21"}) {
    const std::string bread = body(api::run<handlers::top_rated>, "search=+bread" + days);
    EXPECT_TRUE(contains(bread, R"("object_id":1,)")) << bread;
    EXPECT_TRUE(contains(bread, R"("search_is_limited":false)")) << bread;
    for (const char* other : {R"("object_id":2)", R"("object_id":3)", R"("object_id":4)"}) {
      EXPECT_FALSE(contains(bread, other)) << bread;
    }
    EXPECT_TRUE(
        contains(body(api::run<handlers::top_rated>, "search=bread" + days, {"see_unpublished"}),
                 R"("object_id":2)"));
    EXPECT_TRUE(
        contains(body(api::run<handlers::top_rated>, "search=salaries" + days), R"("data":[])"));
  }
  EXPECT_FALSE(contains(body(api::run<handlers::top_rated>, ""), "search_is_limited"));
}

// Votes on posts of every type may use the "post" object type.
TEST_F(Analytics, TypesOfTheCmsAreLookedUp) {
  add_post(1, "Moby Dick", "publish", "book");
  add_post(2, "Seen by all", "publish");
  add_post(3, "Emma", "publish", "book");
  vote({1, "post"}, 7);
  vote({3, "book"}, 7);
  vote({9, "product-x"}, 7);
  for (const model::VoterId voter : {7U, 8U, 9U})
    vote({2, "post"}, voter, kNoon, model::Category::scale);
  const auto ids = [&](auto* handler, const std::string& query) {
    const std::string answer = body(handler, query, {"see_unpublished"});
    std::string found;
    for (const char* id : {"1", "2", "3", "9"}) {
      if (contains(answer, R"("object_id":)" + std::string(id) + ",")) found += id;
    }
    return found;
  };
  for (auto* handler : {api::run<handlers::top_rated>, api::run<handlers::recent_ratings>,
                        api::run<handlers::top_posts_overview>}) {
    for (const std::string days : {"", "&period=all", "&from=2026-11-20&to=2026-11-21"}) {
      EXPECT_EQ(ids(handler, "object_type=book" + days), "13") << days;
      EXPECT_EQ(ids(handler, "object_type=product-x" + days), "9") << days;
      EXPECT_EQ(ids(handler, "object_type=page" + days), "") << days;
    }
    EXPECT_EQ(ids(handler, "object_type=book&category=scale"), "");
  }
  // The "post" object type includes posts of every type.
  EXPECT_EQ(ids(api::run<handlers::recent_ratings>, "object_type=post"), "12");
  EXPECT_EQ(ids(api::run<handlers::top_rated>, "object_type=book&search=moby"), "1");
  EXPECT_EQ(ids(api::run<handlers::top_rated>, "object_type=post&search=emma"), "");
  EXPECT_EQ(ids(api::run<handlers::top_rated>, "object_type=book&search=seen"), "");
  for (auto* handler : {api::run<handlers::trends>, api::run<handlers::trends_by_category>}) {
    const std::string days = "&from=2026-11-21&to=2026-11-21";
    EXPECT_TRUE(contains(body(handler, "object_type=book" + days), R"("count":2,)"));
  }
}

// Every report can be restricted to one of the CMS's post types, even if some ratings are stored
// only as sums.
TEST_F(Analytics, ReportsOfATypeOfTheCmsCountTheSameRatings) {
  add_post(1, "Moby Dick", "publish", "book");
  add_post(2, "Seen by all", "publish");
  vote({1, "post"}, 7, kNoon, model::Category::scale);
  vote({1, "post"}, 8, kNoon - std::chrono::days(40), model::Category::scale);
  vote({5, "book"}, 7, kNoon, model::Category::binary);
  vote({2, "post"}, 7);
  vote({2, "post"}, 9, kNoon, model::Category::scale);
  const std::vector<std::string_view> rights = {"see_unpublished", "see_persons"};
  for (const std::string days : {"&period=30d", "&from=2026-11-20&to=2026-11-21"}) {
    const std::string query = "object_type=book" + days;
    const std::string stats = body(api::run<handlers::site_stats>, query, rights);
    EXPECT_TRUE(contains(stats, R"("total_ratings":2,"rated_objects":{"total":2,)")) << stats;
    EXPECT_TRUE(contains(stats, R"("distribution":[0,0,0,0,0,0,0,0,0,0,1])")) << stats;
    EXPECT_TRUE(contains(body(api::run<handlers::distribution>, query),
                         R"({"value":1,"count":1,"share":1}])"));
    const std::string users = body(api::run<handlers::rating_users>, query, rights);
    EXPECT_TRUE(contains(users, R"("id":7,"name":null,"total":2,)")) << users;
    EXPECT_FALSE(contains(users, R"("id":9,)")) << users;
    const std::string user = body(api::run<handlers::user_details>, query, rights, "7");
    EXPECT_TRUE(contains(user, R"("total":2,)")) << user;
    EXPECT_FALSE(contains(user, R"("object_id":2,)")) << user;
  }
  EXPECT_TRUE(contains(
      body(api::run<handlers::rating_users>, "object_type=book&period=all", rights), R"("id":8,)"));
}

TEST_F(Analytics, DistributionOfATypeOfTheCmsHasWhatIsStoredAsSums) {
  add_post(1, "Moby Dick", "publish", "book");
  vote({1, "post"}, 7, kNoon - std::chrono::days(3), model::Category::scale);
  vote({2, "post"}, 8, kNoon - std::chrono::days(3), model::Category::scale);
  ASSERT_EQ(transfer::Aggregation(service_.connection()).aggregate(kNoon - std::chrono::days(1)),
            2U);
  EXPECT_TRUE(contains(body(api::run<handlers::site_stats>, "object_type=book"),
                       R"("distribution":[0,0,0,0,0,0,0,0,0,0,1])"));
}

// The "post" object type includes posts of every type. The "post:post" object type includes only
// posts whose own type is "post".
TEST_F(Analytics, PostsOfTheTypePostHaveANameOfTheirOwn) {
  add_post(1, "Moby Dick", "publish", "book");
  add_post(2, "Blogged", "publish");
  for (const std::uint64_t id : {1U, 2U}) vote({id, "post"}, 7);
  vote({3, "book"}, 7);
  for (auto* handler : {api::run<handlers::top_rated>, api::run<handlers::recent_ratings>,
                        api::run<handlers::top_posts_overview>}) {
    const std::string blog = body(handler, "object_type=post:post", {"see_unpublished"});
    EXPECT_TRUE(contains(blog, "Blogged")) << blog;
    EXPECT_FALSE(contains(blog, "Moby Dick")) << blog;
    EXPECT_TRUE(contains(body(handler, "object_type=post", {"see_unpublished"}), "Moby Dick"));
  }
  EXPECT_TRUE(contains(body(api::run<handlers::top_rated>, "object_type=post:post&search=blog"),
                       "Blogged"));
  EXPECT_TRUE(contains(body(api::run<handlers::top_rated>, "object_type=post:post&search=moby"),
                       R"("data":[])"));
  const std::string stats = body(api::run<handlers::site_stats>, "object_type=post:book");
  EXPECT_TRUE(contains(stats, R"("total_ratings":1,)")) << stats;
}

// The report about a single object also accepts the object's type in the CMS, if the requester may
// see the object.
TEST_F(Analytics, PostIsFoundByItsOwnType) {
  add_post(1, "About us", "publish", "page");
  add_post(2, "Draft", "draft", "page");
  add_post(3, "Blogged", "publish");
  for (const std::uint64_t id : {1U, 2U, 3U}) vote({id, "post"}, 7);
  vote({1, "product-x"}, 7);
  const std::string found = body(api::run<handlers::post_details>, "object_type=page", {}, "1");
  EXPECT_TRUE(contains(found, R"("object_id":1,"object_type":"post","type":"page",)")) << found;
  EXPECT_TRUE(contains(body(api::run<handlers::post_details>, "object_type=post:post", {}, "3"),
                       "Blogged"));
  EXPECT_TRUE(contains(body(api::run<handlers::post_details>, "object_type=product-x", {}, "1"),
                       "product-x"));
  EXPECT_EQ(refusal(api::run<handlers::post_details>, "object_type=book", {}, "1"),
            api::ErrorCode::not_found);
  EXPECT_EQ(refusal(api::run<handlers::post_details>, "object_type=page", {}, "2"),
            api::ErrorCode::not_found);
  vote({1, "page"}, 8);
  EXPECT_TRUE(contains(body(api::run<handlers::post_details>, "object_type=page", {}, "1"),
                       R"("object_id":1,"object_type":"page",)"));
}

// A coupon's name is secret, so the search must not reveal the name.
TEST_F(Analytics, SearchFindsOnlyTitlesThatTheRequesterMaySee) {
  add_post(1, "SUMMER50", "publish", "voucher");
  vote({1, "voucher"}, 7);
  EXPECT_TRUE(contains(body(api::run<handlers::top_rated>, "search=summer"), R"("data":[])"));
  EXPECT_TRUE(contains(body(api::run<handlers::top_rated>, "search=summer", {"see_unpublished"}),
                       "SUMMER50"));
  site_.settings.enabled_object_types = {"voucher"};
  EXPECT_TRUE(contains(body(api::run<handlers::top_rated>, "search=summer"), "SUMMER50"));
}

TEST_F(Analytics, UnratedAndHiddenPostsAreNotFound) {
  add_post(1, "Salaries", "private");
  add_post(2, "SUMMER50", "publish", "shop_coupon");
  add_post(3, "Seen by all", "publish", "page");
  for (const char* id : {"1", "2", "4"}) {
    EXPECT_EQ(refusal(api::run<handlers::post_details>, "", {}, id), api::ErrorCode::not_found);
  }
  EXPECT_TRUE(contains(body(api::run<handlers::post_details>, "", {}, "3"), "Seen by all"));
  EXPECT_TRUE(
      contains(body(api::run<handlers::post_details>, "", {"see_unpublished"}, "1"), "Salaries"));
  // If the post with the requested id is hidden or missing, but a product with this id has ratings,
  // the response describes the product.
  vote({1, "product"}, 7);
  vote({4, "product"}, 7);
  for (const char* id : {"1", "4"}) {
    EXPECT_TRUE(
        contains(body(api::run<handlers::post_details>, "", {}, id), R"("object_type":"product")"));
  }
}

TEST_F(Analytics, VotersAreShownToThoseWhoMayListUsers) {
  service_.wordpress().add_user(7, "walker", "");
  service_.wordpress().connection().execute("UPDATE wp_users SET display_name = 'The Walker'");
  vote({1, "post"}, 7);
  EXPECT_FALSE(
      contains(body(api::run<handlers::recent_ratings>, "", {"see_unpublished"}), "voter"));
  EXPECT_FALSE(contains(body(api::run<handlers::post_details>, "", {}, "1"), "voter"));
  const std::string named =
      R"("voter":{"type":"user","id":7,"name":"The Walker","issuer":null,"subject":null})";
  EXPECT_TRUE(contains(body(api::run<handlers::recent_ratings>, "", {"see_persons"}), named));
  EXPECT_TRUE(contains(body(api::run<handlers::post_details>, "", {"see_persons"}, "1"), named));
}

TEST_F(Analytics, UsersAreFoundByNameLoginAndAddress) {
  for (const unsigned id : {7U, 8U, 9U}) {
    service_.wordpress().add_user(id, "login" + std::to_string(id), "",
                                  "mail" + std::to_string(id));
  }
  service_.wordpress().connection().execute(
      "UPDATE wp_users SET display_name = IF(ID = 7, 'The 100% W&amp;lker', 'Somebody')");
  vote({1, "post"}, 7);
  vote({1, "post"}, 8);  // User 9 has rated nothing.
  const auto found = [&](const std::string& words, const std::string& period) {
    return body(api::run<handlers::rating_users>, "search=" + words + "&" + period,
                {"see_persons"});
  };
  for (const std::string period : {"period=30d", "period=all", "from=2026-11-20&to=2026-11-21"}) {
    for (const char* words : {"the", "100%25", "w%26lk", "LOGIN7", "mail7", "%20the%20"}) {
      const std::string users = found(words, period);
      EXPECT_TRUE(contains(users, R"("id":7,)")) << words << users;
      EXPECT_FALSE(contains(users, R"("id":8,)")) << words << users;
    }
    EXPECT_TRUE(contains(found("login9", period), R"("data":[])"));
    EXPECT_TRUE(contains(found("1%25", period), R"("data":[])"));
  }
}

TEST_F(Analytics, AveragesOfThePeriodBeforeAreBesideTheCounts) {
  add_post(1, "Rated again", "publish");
  vote({1, "post"}, 7, kNoon, model::Category::scale);
  const std::string before = R"("previous_averages":{"binary":1,"bipolar":null,"scale":null})";
  vote({1, "post"}, 8, kNoon - std::chrono::days(40));
  EXPECT_TRUE(contains(body(api::run<handlers::site_stats>, "period=30d"), before));
  EXPECT_TRUE(contains(body(api::run<handlers::top_posts_overview>, "period=30d"), before));
  const std::string none = R"("previous_averages":{"binary":null,"bipolar":null,"scale":null})";
  EXPECT_TRUE(contains(body(api::run<handlers::top_posts_overview>, "period=all"), none));
}

TEST_F(Analytics, TopRatedHasTheAverageOfThePeriodBeforeInItsCategory) {
  vote({1, "post"}, 7, kNoon, model::Category::scale);
  vote({2, "post"}, 7, kNoon, model::Category::scale);
  vote({1, "post"}, 8, kNoon - std::chrono::days(40), model::Category::scale);
  vote({2, "post"}, 8, kNoon - std::chrono::days(40));
  const auto rows = [&](const std::string& period) {
    return body(api::run<handlers::top_rated>, "category=scale&_fields=data&" + period);
  };
  const std::string known = R"("average":1,"previous_average":1})";
  const std::string unknown = R"("average":1,"previous_average":null})";
  EXPECT_TRUE(contains(rows("period=30d"), known)) << rows("period=30d");
  EXPECT_TRUE(contains(rows("period=30d"), unknown));
  EXPECT_FALSE(contains(rows("period=all"), known));
  EXPECT_TRUE(contains(rows("period=all"), unknown));
}

TEST_F(Analytics, VisitorsOfOtherFrontEndsAreShownToThoseWhoMayListUsers) {
  vote({1, "post"}, model::kAnonymousBit | 1);
  vote({1, "post"}, model::kAnonymousBit | 2);
  service_.connection().execute("INSERT INTO wp_ratingd_visitors VALUES (" +
                                std::to_string(model::kAnonymousBit | 1) +
                                ", 'shop', '=1+1;=\"anna\"', '2026-11-21')");
  const std::string named =
      R"("voter":{"type":"anonymous","id":null,"name":"shop: =1+1;=\"anna\"","issuer":"shop",)"
      R"("subject":"=1+1;=\"anna\""})";
  const std::string unknown =
      R"("voter":{"type":"anonymous","id":null,"name":null,"issuer":null,"subject":null})";
  const std::string in_csv = R"(anonymous,,"shop: =1+1;'=""anna""",shop,"'=1+1;'=""anna""")";
  for (auto* const handler :
       {api::run<handlers::recent_ratings>, api::run<handlers::post_details>}) {
    const std::string answer = body(handler, "", {"see_persons"}, "1");
    EXPECT_TRUE(contains(answer, named)) << answer;
    EXPECT_TRUE(contains(answer, unknown)) << answer;
    const std::string csv = body(handler, "format=csv", {"see_persons"}, "1");
    EXPECT_TRUE(contains(csv, ",voter.type,voter.id,voter.name,voter.issuer,voter.subject\r\n"))
        << csv;
    EXPECT_TRUE(contains(csv, in_csv)) << csv;
    for (const char* query : {"", "format=csv"}) {
      const std::string others = body(handler, query, {"see_unpublished"}, "1");
      for (const char* part : {"anna", "issuer", "subject", "shop"}) {
        EXPECT_FALSE(contains(others, part)) << others;
      }
    }
  }
}

TEST_F(Analytics, CursorDoesNotNameTheVoter) {
  vote({1, "post"}, 123456789);
  const std::string answer = body(api::run<handlers::recent_ratings>, "per_page=1");
  EXPECT_TRUE(contains(answer, R"("next":")")) << answer;
  EXPECT_FALSE(contains(answer, "123456789")) << answer;
}

// After an import, many ratings may have the same time.
TEST_F(Analytics, CursorTellsRatingsOfOneMomentApart) {
  for (model::VoterId voter = 1; voter <= 7; ++voter) vote({1, "post"}, voter);
  std::string cursor;
  int listed = 0;
  for (int i = 0; i < 10; ++i) {
    const std::string answer =
        body(api::run<handlers::recent_ratings>, "per_page=2" + (i == 0 ? "" : "&after=" + cursor));
    for (std::size_t at = answer.find("rated_at"); at != std::string::npos;
         at = answer.find("rated_at", at + 1)) {
      ++listed;
    }
    const std::size_t next = answer.find(R"("next":")");
    if (next == std::string::npos) break;
    cursor = answer.substr(next + 8, answer.find('"', next + 8) - next - 8);
  }
  EXPECT_EQ(listed, 7);
}

TEST_F(Analytics, HeldVotesAreInNoList) {
  vote({1, "post"}, 7);
  service_.connection().execute("UPDATE wp_ratingd_votes SET held = 1");
  EXPECT_TRUE(contains(body(api::run<handlers::recent_ratings>, ""), R"("data":[])"));
  EXPECT_TRUE(contains(body(api::run<handlers::post_details>, "", {}, "1"), R"("ratings":[])"));
}

TEST_F(Analytics, CsvIsSafeInASpreadsheet) {
  add_post(1, "=cmd(), \"x\"", "publish");
  vote({1, "post"}, 7);
  EXPECT_EQ(body(api::run<handlers::top_rated>, "format=csv&metric=total"),
            "object_id,object_type,type,title,link,value,total,average,positive,negative,score,"
            "previous_average\r\n"
            "1,post,post,\"'=cmd(), \"\"x\"\"\",https://example.org/?p=1,1,1,1,1,0,1,\r\n");
}

TEST_F(Analytics, ZoneOfTheSiteThatDoesNotCountYetIsSaid) {
  EXPECT_TRUE(contains(body(api::run<handlers::trends>, ""), R"("timezone_pending":null)"));
  service_.wordpress().set_option("timezone_string", "Asia/Tokyo");
  EXPECT_TRUE(contains(body(api::run<handlers::trends>, ""),
                       R"("timezone":"Europe/Berlin","timezone_pending":"Asia/Tokyo")"));
}

TEST_F(Analytics, HealthSaysTheZoneToTheLoopbackAlone) {
  service_.wordpress().set_option("timezone_string", "Asia/Tokyo");
  EXPECT_FALSE(contains(service_.serve(request_, "/health").body, "timezone"));
  request_.remote_address = "127.0.0.1";
  EXPECT_TRUE(contains(service_.serve(request_, "/health").body,
                       R"("timezone":"Europe/Berlin","timezone_pending":"Asia/Tokyo",)"
                       R"("timezone_changes_at":null)"));
  rollups::follow_zone(service_.connection(), base::Zone::named("Asia/Tokyo").value(), kNoon);
  EXPECT_TRUE(contains(service_.serve(request_, "/health").body,
                       R"("timezone_changes_at":"2026-11-21T23:00:00Z")"));
  request_.is_forwarded = true;
  EXPECT_FALSE(contains(service_.serve(request_, "/health").body, "timezone"));
}

TEST_F(Analytics, HealthTellsOfAnUnfinishedRebuild) {
  request_.remote_address = "127.0.0.1";
  EXPECT_TRUE(contains(service_.serve(request_, "/health").body, R"("rebuild_unfinished":false)"));
  service_.connection().execute(
      "UPDATE wp_ratingd_rollup_state SET next_zone = 'Asia/Tokyo', phase = 2");
  EXPECT_TRUE(contains(service_.serve(request_, "/health").body, R"("rebuild_unfinished":true)"));
}

TEST_F(Analytics, AnswerIsGivenAgainForSomeSeconds) {
  site_.settings.analytics_cache = std::chrono::seconds(10);
  const std::string first = body(api::run<handlers::site_stats>, "");
  vote({1, "post"}, 7);
  request_.received_at = kNoon + std::chrono::seconds(9);
  EXPECT_EQ(body(api::run<handlers::site_stats>, ""), first);
  // The service does not reuse the cached response for a requester with more permissions, or for a
  // different query.
  EXPECT_NE(body(api::run<handlers::site_stats>, "", {"see_persons"}), first);
  EXPECT_NE(body(api::run<handlers::site_stats>, "category=binary"), first);
  request_.received_at = kNoon + std::chrono::seconds(10);
  EXPECT_NE(body(api::run<handlers::site_stats>, ""), first);
}

TEST_F(Analytics, CachedAnswerIsForTheSameRightsOnly) {
  site_.settings.analytics_cache = std::chrono::seconds(10);
  vote({1, "post"}, 7);
  const auto ids = [&](const std::vector<std::string_view>& rights) {
    return contains(body(api::run<handlers::post_details>, "ids=true", rights, "1"),
                    R"("id":"1/post/binary/7")");
  };
  EXPECT_TRUE(ids({"see_persons", "administer"}));
  EXPECT_FALSE(ids({"see_persons"}));
}

TEST_F(Analytics, FailureIsNotCached) {
  site_.settings.analytics_cache = std::chrono::seconds(10);
  argument_ = "77";
  EXPECT_FALSE(api::run<handlers::post_details>(service_.app(), call({})));
  vote({77, "post"}, 7);
  EXPECT_TRUE(api::run<handlers::post_details>(service_.app(), call({})));
}

TEST_F(Analytics, AnswersArePrivateAndBrieflyCached) {
  service_.change({{"analytics_access", std::string("public")},
                   {"analytics_cache_seconds", model::decimal_of(3)}});
  const auto response = service_.serve(request_, "/analytics/distribution");
  ASSERT_EQ(response.status, 200);
  const auto is = [](const http::Header& header) {
    return header == http::Header{"Cache-Control", "private, max-age=3"};
  };
  EXPECT_EQ(std::count_if(response.headers.begin(), response.headers.end(), is), 1);
}

TEST_F(Analytics, MaterializedListsHaveTheirAge) {
  vote({1, "post"}, 7);
  const support::FixedClock clock(kNoon);
  analytics::ListRefresher(support::wordpress_cms(), clock, std::chrono::milliseconds(0))
      .refresh(service_.connection());
  vote({2, "post"}, 7);
  request_.received_at = kNoon + std::chrono::seconds(50);
  for (auto* const handler : {api::run<handlers::top_rated>, api::run<handlers::top_posts_overview>,
                              api::run<handlers::rating_users>, api::run<handlers::site_stats>}) {
    for (const char* const days : {"", "from=2026-11-20&to=2026-11-21"}) {
      EXPECT_TRUE(
          contains(body(handler, days, {"see_persons"}), R"("as_of":"2026-11-21T12:00:00Z")"));
    }
  }
  EXPECT_TRUE(contains(body(api::run<handlers::trends>, ""), R"("as_of":"2026-11-21T12:00:50Z")"));
  // If a list is not materialized, the service computes the list.
  service_.connection().execute("UPDATE wp_ratingd_kept_periods SET is_kept = 0 WHERE period = 7");
  EXPECT_TRUE(contains(body(api::run<handlers::top_rated>, "from=2026-11-20&to=2026-11-21"),
                       R"("as_of":"2026-11-21T12:00:50Z")"));
}

TEST_F(Analytics, LongListsAreMadeOneAtATime) {
  vote({1, "post"}, 7);
  const support::FixedClock clock(kNoon);
  analytics::ListRefresher(support::wordpress_cms(), clock, std::chrono::milliseconds(0))
      .refresh(service_.connection());
  const runtime::Semaphore::Permit other(service_.app().analytics.long_scans);
  const std::string year = "from=2025-11-22&to=2026-11-21";
  for (auto* const handler : {api::run<handlers::top_rated>, api::run<handlers::top_posts_overview>,
                              api::run<handlers::rating_users>, api::run<handlers::site_stats>}) {
    query_ = year;
    request_.query = query_;
    const auto refused = handler(service_.app(), call({"see_persons"}));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, api::ErrorCode::unavailable);
    body(handler, "period=30d", {"see_persons"});
  }
  for (auto* const handler : {api::run<handlers::trends>, api::run<handlers::distribution>,
                              api::run<handlers::recent_ratings>}) {
    body(handler, year);
  }
}

TEST_F(Analytics, LongScanGoesOnWhereItWasAndWaitsWithoutASession) {
  const auto& sessions = service_.app().analytics.sessions;
  int runs = 0;
  const auto result = handlers::analyze(service_.app().core, service_.app().analytics, call({}),
                                        api::Fields(api::Parameters()), {},
                                        [&](handlers::Analysis& analysis) -> handlers::Attempt {
                                          ++runs;
                                          EXPECT_EQ(sessions.sessions().busy, 1U);
                                          EXPECT_TRUE(analysis.begin_long_scan());
                                          EXPECT_EQ(sessions.sessions().busy, 0U);
                                          static_cast<void>(analysis.connection());
                                          EXPECT_EQ(sessions.sessions().busy, 1U);
                                          EXPECT_TRUE(analysis.begin_long_scan());
                                          return api::Answer{};
                                        });
  EXPECT_TRUE(result);
  EXPECT_EQ(runs, 1);
}

TEST_F(Analytics, AnswerThatIsMadeMeanwhileIsGivenInsteadOfALongScan) {
  site_.settings.analytics_cache = std::chrono::seconds(10);
  const auto result = handlers::analyze(
      service_.app().core, service_.app().analytics, call({}), api::Fields(api::Parameters()), {},
      [&](handlers::Analysis& analysis) -> handlers::Attempt {
        const auto other = [](handlers::Analysis&) -> handlers::Attempt {
          api::Answer answer;
          answer.body = "by another request";
          return answer;
        };
        EXPECT_TRUE(handlers::analyze(service_.app().core, service_.app().analytics, call({}),
                                      api::Fields(api::Parameters()), {}, other));
        EXPECT_FALSE(analysis.begin_long_scan());
        return std::nullopt;
      });
  ASSERT_TRUE(result);
  EXPECT_EQ(result->body, "by another request");
}

// The rollups contain 100,000 votes that were cast today on objects with the type "page".
TEST_F(Analytics, LongSearchForTheNewestNeedsAPermit) {
  vote({1, "post"}, 7);
  vote({2, "page"}, 7);
  service_.connection().execute(
      "UPDATE wp_ratingd_site_daily SET bin10 = 100000 WHERE object_type = 'page'");
  const std::string of_posts = "object_type=post&limit=2";
  EXPECT_TRUE(contains(body(api::run<handlers::recent_ratings>, of_posts), R"("object_id":1)"));
  const runtime::Semaphore::Permit other(service_.app().analytics.long_scans);
  EXPECT_EQ(refusal(api::run<handlers::recent_ratings>, of_posts), api::ErrorCode::unavailable);
  body(api::run<handlers::recent_ratings>, "limit=2");
  body(api::run<handlers::recent_ratings>, "limit=2&object_type=page");
}

TEST_F(Analytics, LastRatingMayBeOneThatIsKnownAsASumAlone) {
  vote({1, "post"}, 7, kNoon - std::chrono::hours(2));
  const base::Time time = kNoon - std::chrono::hours(1);
  rollups::Aggregate aggregate{
      {{2, "post"}, model::Category::binary, std::chrono::floor<std::chrono::days>(time), "likes"},
      {}};
  aggregate.sums.sum = 1000;
  aggregate.sums.bins.back() = 1;
  aggregate.sums.last_rated_at = time;
  transfer::RatingMerge(service_.connection()).merge_aggregates({&aggregate, 1});
  EXPECT_TRUE(contains(body(api::run<handlers::site_stats>, "category=binary"),
                       R"("last_rated_at":"2026-11-21T11:00:00Z")"));
}

TEST_F(Analytics, TopRatedUsesTheMostRatedCategoryOfTheType) {
  for (model::VoterId voter = 1; voter <= 3; ++voter) vote({1, "post"}, voter);
  vote({2, "recipe"}, 1, kNoon, model::Category::scale);
  EXPECT_TRUE(contains(body(api::run<handlers::top_rated>, ""), R"("category":"binary")"));
  const std::string recipes = body(api::run<handlers::top_rated>, "object_type=recipe");
  EXPECT_TRUE(contains(recipes, R"("category":"scale")")) << recipes;
  EXPECT_TRUE(contains(recipes, R"("object_id":2)")) << recipes;
}

TEST_F(Analytics, ExclusionOfNothingIsNone) {
  vote({1, "post"}, 7);
  EXPECT_TRUE(contains(body(api::run<handlers::top_rated>, "exclude="), R"("object_id":1)"));
  EXPECT_EQ(refusal(api::run<handlers::top_rated>, "exclude=x"),
            api::ErrorCode::invalid_parameters);
}

TEST_F(Analytics, RatingsOfAPostAsCsvHaveNoTrendThatCouldBeTooLong) {
  vote({1, "post"}, 7);
  const std::string days = "from=1010-01-01&to=2026-11-21";
  EXPECT_TRUE(contains(body(api::run<handlers::post_details>, days + "&format=csv", {}, "1"),
                       "2026-11-21T12:00"));
  EXPECT_EQ(refusal(api::run<handlers::post_details>, days + "&interval=day", {}, "1"),
            api::ErrorCode::invalid_parameters);
}

TEST_F(Analytics, TrendOfAPostIsAsFineAsItCanBe) {
  vote({1, "post"}, 7);
  const auto interval = [&](const std::string& query) {
    return support::member(
        support::member(support::parsed(body(api::run<handlers::post_details>, query, {}, "1")),
                        "meta"),
        "interval");
  };
  EXPECT_EQ(std::get<std::string>(interval("period=30d").data), "day");
  EXPECT_EQ(std::get<std::string>(interval("from=2010-01-01&to=2026-11-21").data), "week");
  EXPECT_EQ(std::get<std::string>(interval("from=1900-01-01&to=2026-11-21").data), "month");
}

TEST_F(Analytics, VotesDatedInTheFutureCountNowhereUntilThen) {
  vote({1, "post"}, 7);
  vote({2, "post"}, 7, kNoon + std::chrono::days(30));
  const std::string both = "from=2026-11-01&to=2026-12-31";
  for (const std::string& query : {both, std::string("period=all")}) {
    const std::string stats = body(api::run<handlers::site_stats>, query);
    EXPECT_TRUE(contains(stats, R"("total_ratings":1,"rated_objects":{"total":1,)")) << stats;
    EXPECT_TRUE(contains(stats, R"("active_voters":1)")) << stats;
    for (auto* const handler : {api::run<handlers::top_rated>, api::run<handlers::recent_ratings>,
                                api::run<handlers::top_posts_overview>}) {
      EXPECT_FALSE(contains(body(handler, query), R"("object_id":2)")) << query;
    }
    EXPECT_TRUE(
        contains(body(api::run<handlers::post_details>, query, {}, "2"), R"("ratings":[])"));
    EXPECT_FALSE(
        contains(body(api::run<handlers::user_details>, query, {}, "7"), R"("object_id":2)"));
  }
  request_.received_at = kNoon + std::chrono::days(30);
  EXPECT_TRUE(contains(body(api::run<handlers::site_stats>, both), R"("total_ratings":2)"));
}

TEST_F(Analytics, TypesWithMostObjectsAreNamed) {
  for (int type = 10; type < 35; ++type) {
    vote({1, "type" + std::to_string(type)}, 7);
    if (type > 14) vote({2, "type" + std::to_string(type)}, 7);
  }
  const std::string stats = body(api::run<handlers::site_stats>, "");
  EXPECT_TRUE(contains(stats, R"("rated_objects":{"total":45,"by_type":{"type15":2,)")) << stats;
  EXPECT_TRUE(contains(stats, R"("type34":2},"other":5})")) << stats;
}

TEST_F(Analytics, FacetsAreNeitherCountedNorRankedWithObjects) {
  site_.settings.facets = {"taste"};
  for (const char* type : {"post", "post:taste", "post:chapter"}) vote({1, type}, 7);
  vote({2, "post:taste"}, 7);
  const std::string stats = body(api::run<handlers::site_stats>, "");
  EXPECT_TRUE(contains(
      stats, R"("rated_objects":{"total":2,"by_type":{"post":1,"post:chapter":1},"other":0})"))
      << stats;
  EXPECT_TRUE(contains(stats, R"("total_ratings":4)")) << stats;
  EXPECT_TRUE(contains(body(api::run<handlers::site_stats>, "object_type=post:taste"),
                       R"("rated_objects":{"total":2,"by_type":{"post:taste":2},)"));
  for (const std::string period : {"", "&from=2026-11-01&to=2026-11-21"}) {
    const std::string top = body(api::run<handlers::top_rated>, "category=binary" + period);
    EXPECT_FALSE(contains(top, "taste")) << top;
    EXPECT_TRUE(contains(top, "chapter")) << top;
    const std::string tastes =
        body(api::run<handlers::top_rated>, "object_type=post:taste" + period);
    EXPECT_TRUE(contains(tastes, R"("object_id":1,"object_type":"post:taste")")) << tastes;
    EXPECT_TRUE(contains(tastes, R"("object_id":2,"object_type":"post:taste")")) << tastes;
  }
}

TEST_F(Analytics, FacetsAreNotInTheMeanThatObjectsAreRankedWith) {
  using model::Category;
  vote({1, "post"}, 7, kNoon, Category::scale);
  vote({1, "post:chapter"}, 7, kNoon, Category::scale, 500);
  vote({1, "post:taste"}, 7, kNoon, Category::scale, 0);
  for (model::VoterId voter = 7; voter < 11; ++voter) vote({1, "post:love"}, voter);
  site_.settings.facets = {"taste", "love"};
  for (const std::string period : {"", "from=2026-11-01&to=2026-11-21"}) {
    const std::string top = body(api::run<handlers::top_rated>, period);
    EXPECT_TRUE(contains(top, R"("category":"scale")")) << top;
    EXPECT_TRUE(contains(top, R"("prior_mean":0.75)")) << top;
  }
  EXPECT_TRUE(contains(body(api::run<handlers::top_rated>, "object_type=post&category=scale"),
                       R"("prior_mean":0.75)"));
  EXPECT_TRUE(contains(body(api::run<handlers::top_rated>, "object_type=post:taste"),
                       R"("prior_mean":0.5)"));
  EXPECT_TRUE(
      contains(body(api::run<handlers::top_rated>, "object_type=post:love"), R"("prior_mean":1)"));
}

TEST_F(Analytics, FacetsHaveTheTitleOfTheObjectAndAreHiddenWithIt) {
  site_.settings.facets = {"taste"};
  add_post(1, "Seen by all", "publish");
  add_post(2, "Thrown away", "trash");
  for (const std::uint64_t id : {1U, 2U}) {
    vote({id, "post:taste"}, 7);
    vote({id, "post:chapter"}, 7);
  }
  for (auto* handler : {api::run<handlers::top_rated>, api::run<handlers::recent_ratings>}) {
    const std::string found = body(handler, "object_type=post:taste");
    EXPECT_TRUE(contains(found, R"("title":"Seen by all")")) << found;
    EXPECT_FALSE(contains(found, R"("object_id":2)")) << found;
    EXPECT_TRUE(contains(body(handler, "object_type=post:chapter"), R"("object_id":2)"));
  }
  EXPECT_TRUE(contains(body(api::run<handlers::top_rated>, "object_type=post:taste&search=seen"),
                       R"("object_id":1)"));
}

TEST_F(Analytics, BusyAnswerHasRetryAfter) {
  vote({1, "post"}, 7);
  service_.change({{"analytics_access", std::string("public")}});
  const runtime::Semaphore::Permit other(service_.app().analytics.long_scans);
  const std::string year = "from=2025-11-22&to=2026-11-21";
  request_.query = year;
  const auto response = service_.serve(request_, "/analytics/top-rated");
  EXPECT_EQ(response.status, 503);
  EXPECT_TRUE(contains(response.body, R"("code":"ratingd_unavailable")"));
  EXPECT_TRUE(contains(response.body, "choose a predefined period"));
  const auto is_retry = [](const http::Header& header) {
    return header == http::Header{"Retry-After", "1"};
  };
  EXPECT_EQ(std::count_if(response.headers.begin(), response.headers.end(), is_retry), 1);
}

}  // namespace
