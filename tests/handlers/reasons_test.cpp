// Tests the rules in lib/handlers/votes.cpp and lib/handlers/rating_table.h about who may give and
// read the reasons for low votes.

#include <gtest/gtest.h>

#include "handlers/handlers.h"
#include "support/service.h"

namespace {

using support::kNoon;
using namespace std::chrono_literals;
using Handler = api::Result (*)(const api::App&, const api::Call&);

constexpr model::VoterId kFirstVoter = model::kAnonymousBit | 1;
constexpr const char* kLow = R"("object_id":42,"category":"scale","scale":5,"value":1)";

class Reasons : public ::testing::Test {
 protected:
  Reasons() { change({{"low_vote_reasons", true}}); }

  void change(const store::SettingChanges& changes) {
    service_.change(changes);
    site_ = *service_.app().front.site.state();
    site_.settings.analytics_cache = std::chrono::seconds(0);
  }
  api::Result run(Handler handler, const std::vector<std::string_view>& rights = {},
                  const std::string& argument = "") {
    api::Call call{request_, site_, argument, {}, voter_, {}, {}};
    if (!rights.empty()) call.requester.user = cms::User{user_, {}};
    for (const std::string_view name : rights) {
      if (const auto right = model::right_named(name)) call.requester.user->rights.add(*right);
    }
    call.parameters = api::Parameters::read(request_).value();
    return support::written(service_.app(), handler(service_.app(), call));
  }
  // Returns the response to a vote with the given fields, or the error message for the "reason"
  // field.
  std::string vote(const std::string& fields, const std::string& query = "") {
    const std::string body = "{" + fields + "}";
    request_ = {};
    request_.method = http::Method::post;
    request_.received_at = now_;
    request_.body = body;
    request_.query = query;
    const auto result = run(api::run<handlers::cast_vote>);
    request_ = {};
    if (result) return result->body;
    for (const auto& field : result.error().fields) {
      if (field.field == "reason") return field.message.text();
    }
    return "refused for another reason";
  }
  std::string list(Handler handler, const std::string& query,
                   const std::vector<std::string_view>& rights, const std::string& argument = "") {
    request_ = {};
    request_.received_at = now_;
    request_.query = query;
    const auto result = run(handler, rights, argument);
    request_ = {};
    return result ? result->body : "refused";
  }
  static bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }
  static bool is_invited(const std::string& answer) {
    EXPECT_TRUE(contains(answer, R"("success":true)")) << answer;
    return contains(answer, R"("reason_invited":true)");
  }

  support::Service service_;
  store::SiteState site_;
  http::Request request_;
  model::VoterId voter_ = kFirstVoter;
  std::uint64_t user_ = 900;
  base::Time now_ = kNoon;
};

TEST_F(Reasons, AreInvitedByTheAnswerToALowVote) {
  EXPECT_TRUE(is_invited(vote(kLow)));
  EXPECT_TRUE(is_invited(vote(R"("object_id":42,"category":"scale","scale":10,"value":5)")));
  EXPECT_TRUE(is_invited(vote(R"("object_id":42,"category":"binary","value":0)")));
  EXPECT_TRUE(is_invited(vote(R"("object_id":42,"category":"bipolar","value":-1)")));
  EXPECT_FALSE(is_invited(vote(R"("object_id":42,"category":"scale","scale":10,"value":5.01)")));
  EXPECT_FALSE(is_invited(vote(R"("object_id":42,"category":"binary","value":1)")));
  EXPECT_FALSE(is_invited(vote(R"("object_id":42,"category":"bipolar","value":0)")));
}

TEST_F(Reasons, AreNotInvitedOnceOneIsStored) {
  EXPECT_TRUE(is_invited(vote(kLow)));
  EXPECT_FALSE(is_invited(vote(std::string(kLow) + R"(,"reason":"Too short")")));
  EXPECT_FALSE(is_invited(vote(kLow)));
}

TEST_F(Reasons, AreOffByDefault) {
  change({{"low_vote_reasons", false}});
  EXPECT_FALSE(is_invited(vote(kLow)));
  EXPECT_EQ(vote(std::string(kLow) + R"(,"reason":"Too short")"),
            "This site does not accept reasons for ratings.");
  EXPECT_FALSE(is_invited(vote(std::string(kLow) + R"(,"reason":" ")")));
}

TEST_F(Reasons, GoWithLowVotesOfTheObjectItselfOnly) {
  change({{"facets", std::vector<std::string>{"taste"}}});
  const std::string reason = R"(,"reason":"Too short")";
  for (const char* fields : {R"("object_id":42,"category":"binary","value":1)",
                             R"("object_id":42,"category":"bipolar","value":0)",
                             R"("object_id":42,"category":"scale","scale":5,"value":3)"}) {
    EXPECT_EQ(vote(fields + reason),
              "The “reason” field is allowed only with a low rating. Low ratings are 0 in the "
              "“binary” category, -1 in the “bipolar” category, and at most half of the maximum in "
              "the “scale” category.");
  }
  const std::string facets = R"(,"facets":{"taste":1})";
  EXPECT_EQ(vote(kLow + facets + reason), "The “reason” field is not allowed in votes for facets.");
  EXPECT_EQ(vote(std::string(kLow) + R"(,"object_type":"post:taste")" + reason),
            "The “reason” field is not allowed in votes for facets.");
  EXPECT_FALSE(is_invited(vote(kLow + facets)));
  EXPECT_FALSE(is_invited(vote(std::string(kLow) + R"(,"object_type":"post:taste")")));
}

TEST_F(Reasons, AreTextsOfAtMostAThousandCharacters) {
  const auto refused = [&](const std::string& json) {
    const std::string answer = vote(std::string(kLow) + R"(,"reason":)" + json);
    return contains(answer, R"("success":true)") ? "" : answer;
  };
  std::string longest;
  for (int i = 0; i < 1000; ++i) longest += R"(\ud83d\ude00)";
  EXPECT_EQ(refused('"' + longest + '"'), "");
  EXPECT_EQ(refused(R"("one\ntwo\tthree")"), "");
  const std::string sentence =
      "reason must contain 0 to 1000 characters. Control characters are not allowed.";
  EXPECT_EQ(refused('"' + longest + "a\""), sentence);
  EXPECT_EQ(refused(R"("a\u0000b")"), sentence);
  EXPECT_EQ(refused(R"("a\u001bb")"), sentence);
  for (const char* json : {"7", "true", "[]", "{}"}) {
    EXPECT_TRUE(contains(refused(json), "reason must be")) << json;
  }
}

TEST_F(Reasons, AreTrimmedAndBlankOnesAreIgnored) {
  for (const char* blank : {R"("")", R"("  \n ")", R"("\r\n\t\r\n")"}) {
    EXPECT_TRUE(is_invited(vote(std::string(kLow) + R"(,"reason":)" + blank))) << blank;
  }
  EXPECT_FALSE(is_invited(vote(std::string(kLow) + R"(,"reason":"\n Too\nshort \r\n")")));
  EXPECT_TRUE(contains(list(api::run<handlers::own_ratings>, "", {}), R"("reason":"Too\nshort"})"));
}

// The reason must not be in the query string, because web servers log query strings.
TEST_F(Reasons, MustBeInTheBody) {
  EXPECT_EQ(vote(kLow, "reason=Too+short"), "The “reason” field must be in the request body.");
}

TEST_F(Reasons, OfOthersAreNotInTheirVotersAnswers) {
  vote(std::string(kLow) + R"(,"reason":"Too short")");
  EXPECT_TRUE(contains(list(api::run<handlers::own_ratings>, "", {}), R"("reason":"Too short"})"));
  voter_ = kFirstVoter + 1;
  vote(std::string(kLow) + R"(,"reason":"Too loud")");
  const std::string own = list(api::run<handlers::own_ratings>, "", {});
  EXPECT_TRUE(contains(own, "Too loud")) << own;
  EXPECT_FALSE(contains(own, "Too short")) << own;
  vote(R"("object_id":43,"category":"scale","value":0.2)");
  EXPECT_FALSE(contains(list(api::run<handlers::own_ratings>, "per_page=1", {}), "reason"));
}

TEST_F(Reasons, AreShownToThoseWhoMayListUsersAndNobodyElse) {
  voter_ = user_ = 7;
  vote(std::string(kLow) + R"(,"reason":"<b>Too short")");
  for (auto* const handler :
       {api::run<handlers::recent_ratings>, api::run<handlers::post_details>}) {
    EXPECT_FALSE(contains(list(handler, "", {"see_unpublished"}, "42"), "reason"));
    EXPECT_FALSE(contains(list(handler, "format=csv", {"see_unpublished"}, "42"), "reason"));
    EXPECT_TRUE(
        contains(list(handler, "", {"see_persons"}, "42"), R"("reason":"<b>Too short","voter":)"));
  }
  // Users may read their own reasons. Users with the "see_persons" permission may read all reasons.
  EXPECT_TRUE(contains(list(api::run<handlers::user_details>, "", {"read"}, "7"),
                       R"("reason":"<b>Too short")"));
}

TEST_F(Reasons, AreNoFormulasInSpreadsheets) {
  vote(std::string(kLow) + R"(,"reason":"=HYPERLINK(1)\n+2")");
  const std::string csv = list(api::run<handlers::recent_ratings>, "format=csv", {"see_persons"});
  EXPECT_TRUE(contains(csv, ",\"'=HYPERLINK(1)\n'+2\",")) << csv;
}

TEST_F(Reasons, SelectTheNewestRatings) {
  for (std::uint64_t i = 1; i <= 9; ++i) {
    now_ = kNoon + std::chrono::minutes(i / 4);  // some have the same time
    voter_ = kFirstVoter + i;
    const std::string number = std::to_string(i);
    vote(kLow + (i % 2 == 0 ? R"(,"reason":"No. )" + number + '"' : std::string()));
  }
  now_ = kNoon + 1h;
  EXPECT_EQ(list(api::run<handlers::recent_ratings>, "with_reason=true", {"see_unpublished"}),
            "refused");
  std::string found;
  std::string after;
  for (int page = 0; page < 3; ++page) {
    const std::string answer =
        list(api::run<handlers::recent_ratings>,
             "with_reason=1&object_type=post&per_page=2" + after, {"see_persons"});
    for (std::size_t at = answer.find("No. "); at != std::string::npos;
         at = answer.find("No. ", at + 1)) {
      found += answer[at + 4];
    }
    const std::size_t next = answer.find(R"("next":")");
    if (next == std::string::npos) break;
    after = "&after=" + answer.substr(next + 8, answer.find('"', next + 8) - next - 8);
  }
  EXPECT_EQ(found, "8642");
  EXPECT_FALSE(contains(
      list(api::run<handlers::recent_ratings>, "with_reason=true", {"see_persons"}), "null,\"v"));
}

}  // namespace
