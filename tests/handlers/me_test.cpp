#include <gtest/gtest.h>

#include <string>

#include "handlers/handlers.h"
#include "store/front_end_visitors.h"
#include "support/answers.h"
#include "support/service.h"
#include "support/voting.h"

namespace {

using support::vote;

constexpr model::VoterId kVoter = model::kAnonymousBit | 1;

class Me : public ::testing::Test {
 protected:
  std::string body(api::Result (*handler)(const api::App&, const api::Call&),
                   const std::string& argument = "") {
    http::Request request;
    request.received_at = support::kNoon;
    const auto site = service_.app().front.site.state();
    api::Call call{request, *site, {}, {}, kVoter, {}, {}};
    call.argument = argument;
    const auto result = handler(service_.app(), call);
    return result ? result->body : "refused";
  }
  bool is_own_rating_shown() {
    return body(api::run<handlers::stats_of_one>, "42").find(R"("user_ratings":{"binary")") !=
           std::string::npos;
  }

  std::uint64_t counted(runtime::Count what) { return service_.total(what); }

  support::Service service_;
};

TEST_F(Me, LookupsInTheCacheAreCounted) {
  for (int reading = 0; reading < 3; ++reading) EXPECT_FALSE(is_own_rating_shown());
  EXPECT_EQ(counted(runtime::Count::voter_cache_miss), 1U);
  EXPECT_EQ(counted(runtime::Count::voter_cache_hit), 2U);
}

TEST_F(Me, ErasedRatingsAreSeenAtOnce) {
  ASSERT_TRUE(service_.app().voting.writer.write(vote(kVoter, 1000)));
  EXPECT_TRUE(is_own_rating_shown());
  EXPECT_EQ(body(api::run<handlers::erase_own_ratings>), R"({"success":true,"deleted":1})");
  EXPECT_FALSE(is_own_rating_shown());
}

TEST_F(Me, TimeOfTheLastRatingIsErasedUnlessALimitNeedsIt) {
  const auto left_after_erasure = [&] {
    EXPECT_TRUE(service_.app().voting.writer.write(vote(kVoter, 1000)));
    EXPECT_EQ(body(api::run<handlers::erase_own_ratings>), R"({"success":true,"deleted":1})");
    return service_.connection()
        .query(
            "SELECT COUNT(*) FROM wp_ratingd_voters WHERE last_rated_at > '1970-01-01'"
            " OR ratings > 0")
        .number();
  };
  EXPECT_EQ(left_after_erasure(), 0);
  service_.connection().execute("DELETE FROM wp_ratingd_voters");
  service_.change({{"cooldown_seconds", model::decimal_of(60)}});
  EXPECT_EQ(left_after_erasure(), 1);
}

TEST_F(Me, NameOfAVisitorIsErasedWithTheRatings) {
  votes::VoteRequest request = vote(kVoter, 1000);
  request.visitor = model::FrontEndVisitor{"shop", "anna"};
  ASSERT_TRUE(service_.app().voting.writer.write(request));
  const auto voter = [&] {
    db::Connection connection(service_.app().transfers.endpoint);
    return store::find_voter(connection, *request.visitor);
  };
  EXPECT_EQ(voter(), kVoter);
  EXPECT_EQ(body(api::run<handlers::erase_own_ratings>), R"({"success":true,"deleted":1})");
  EXPECT_EQ(voter(), std::nullopt);
  EXPECT_EQ(body(api::run<handlers::erase_own_ratings>), R"({"success":true,"deleted":0})");
}

TEST_F(Me, RightsAreThoseOfTheRequesterAndOfTheSettings) {
  const auto rights = [&](model::Rights of_user) {
    http::Request request;
    request.received_at = support::kNoon;
    const auto site = service_.app().front.site.state();
    api::Call call{request, *site, {}, {}, 7, {}, {}};
    call.requester.user = cms::User{7, of_user};
    const auto answer = api::run<handlers::own_ratings>(service_.app(), call);
    return answer ? support::member(support::parsed(answer->body), "meta") : json::Value();
  };
  service_.wordpress().add_user(7, "ann", "");
  service_.wordpress().connection().execute("UPDATE wp_users SET display_name = 'Ann & Bo'");
  EXPECT_EQ(rights(model::Rights::all()),
            support::parsed(R"({"user":{"id":7,"name":"Ann & Bo"},"rights":{"administer":true,)"
                            R"("see_persons":true,"edit_others":true,"analytics":true}})"));

  service_.wordpress().delete_user(7);
  model::Rights editor;
  editor.add(model::Right::see_unpublished);
  EXPECT_EQ(rights(editor),
            support::parsed(R"({"user":{"id":7,"name":null},"rights":{"administer":false,)"
                            R"("see_persons":false,"edit_others":true,"analytics":false}})"));
  service_.change({{"analytics_access", std::string("editor")}});
  EXPECT_EQ(support::member(support::member(rights(editor), "rights"), "analytics"),
            support::parsed("true"));
}

// In this test, a worker on another host has stored a rating, so the cache of this host is out of
// date.
TEST_F(Me, NothingOlderIsReadAfterTheList) {
  EXPECT_FALSE(is_own_rating_shown());
  service_.connection().execute(
      "INSERT INTO wp_ratingd_votes SET object_id = 42, object_type = 'post', category = 0,"
      " voter = " +
      std::to_string(kVoter) +
      ", value = 1000, created_at = '2026-11-21 12:00:00', rated_at = '2026-11-21 12:00:00'");
  EXPECT_FALSE(is_own_rating_shown());
  EXPECT_NE(body(api::run<handlers::own_ratings>).find(R"("object_id":42)"), std::string::npos);
  EXPECT_TRUE(is_own_rating_shown());
}

}  // namespace
