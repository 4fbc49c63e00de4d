#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/text.h"
#include "handlers/handlers.h"
#include "support/service.h"

namespace {

using Texts = std::vector<std::string>;

class Votes : public ::testing::Test {
 protected:
  api::Result run(const std::string& fields, bool withdraws = false) {
    http::Request request;
    request.method = withdraws ? http::Method::delete_ : http::Method::post;
    const std::string body = "{" + fields + "}";
    request.body = body;
    const auto site = service_.app().front.site.state();
    api::Call call{request, *site, {}, {}, model::kAnonymousBit | 1, {}, {}};
    call.parameters = api::Parameters::read(request).value();
    return support::written(service_.app(),
                            withdraws ? api::run<handlers::withdraw_vote>(service_.app(), call)
                                      : api::run<handlers::cast_vote>(service_.app(), call));
  }
  // Maps the name of each rejected field to the error code and the error message. The result is
  // empty if no field is rejected.
  std::map<std::string, std::pair<std::string, std::string>> refused(const std::string& fields) {
    std::map<std::string, std::pair<std::string, std::string>> refused;
    const auto result = run(fields);
    if (result) return refused;
    EXPECT_EQ(result.error().code, api::ErrorCode::invalid_parameters) << fields;
    for (const api::FieldError& field : result.error().fields) {
      EXPECT_FALSE(refused.contains(field.field)) << fields;
      refused[field.field] = {std::string(field.code), field.message.text()};
    }
    return refused;
  }
  // Returns the fields of a vote. "object" contains the fields that identify the object.
  static std::string on(const std::string& object) {
    return object + R"(,"category":"binary","value":1)";
  }

  support::Service service_;
};

TEST_F(Votes, OtherCategoriesThanTheEnabledAreRefused) {
  service_.change({{"enabled_categories", Texts{"binary", "scale"}}});
  const auto fields = refused(R"("object_id":1,"category":"bipolar","value":1)");
  ASSERT_EQ(fields.size(), 1U);
  EXPECT_EQ(fields.at("category"),
            std::pair(std::string("rest_not_in_enum"),
                      std::string("category must be one of binary, scale.")));
  EXPECT_TRUE(refused(R"("object_id":1,"category":"scale","value":1)").empty());
}

TEST_F(Votes, SentencesListWhatIsEnabledWhateverIsWrong) {
  service_.change({{"enabled_categories", Texts{"scale"}}});
  EXPECT_EQ(refused(R"("object_id":1,"category":"stars","value":1)").at("category"),
            std::pair(std::string("rest_not_in_enum"), std::string("category must be scale.")));
  EXPECT_EQ(refused(R"("object_id":1,"category":7,"value":1)").at("category"),
            std::pair(std::string("rest_invalid_type"), std::string("category must be scale.")));
}

TEST_F(Votes, OtherTypesThanTheEnabledAreRefused) {
  service_.change({{"enabled_object_types", Texts{"page", "comment"}}});
  const std::pair wanted(std::string("rest_not_in_enum"),
                         std::string("object_type must be one of page, comment."));
  EXPECT_EQ(refused(on(R"("object_id":1,"object_type":"product")")).at("object_type"), wanted);
  EXPECT_TRUE(refused(on(R"("object_id":1,"object_type":"Page")")).empty());
}

TEST_F(Votes, MissingTypeIsAPostWhichMayBeRefused) {
  service_.change({{"enabled_object_types", Texts{"page"}}});
  EXPECT_EQ(refused(on(R"("object_id":1)")).at("object_type").second, "object_type must be page.");
}

TEST_F(Votes, TypeThatIsNoneIsRefusedForThat) {
  service_.change({{"enabled_object_types", Texts{"page"}}});
  EXPECT_EQ(refused(on(R"("object_id":1,"object_type":"a b")")).at("object_type").first,
            "rest_invalid_pattern");
}

TEST_F(Votes, AllIsWrongAtOnce) {
  service_.change(
      {{"enabled_categories", Texts{"scale"}}, {"enabled_object_types", Texts{"page"}}});
  EXPECT_EQ(refused(on(R"("object_id":0)")).size(), 3U);
}

TEST_F(Votes, WhatIsNoLongerEnabledCanBeTakenBack) {
  service_.change(
      {{"enabled_categories", Texts{"scale"}}, {"enabled_object_types", Texts{"page"}}});
  const auto result = run(R"("object_id":1,"category":"binary")", true);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, api::ErrorCode::not_found);
}

// Votes on posts of every type may use the "post" object type, so the service looks up the posts'
// types in the CMS.
TEST_F(Votes, PostMayBeRatedIfItsOwnTypeIsEnabled) {
  service_.wordpress().connection().execute(
      "INSERT INTO wp_posts (ID, post_type, post_status) VALUES (1, 'book', 'publish'), "
      "(2, 'page', 'publish'), (3, 'book', 'trash'), (5, 'secret', 'draft')");
  service_.change({{"enabled_object_types", Texts{"book", "product-x"}}});
  EXPECT_TRUE(refused(on(R"("object_id":1)")).empty());
  EXPECT_TRUE(refused(on(R"("object_id":1,"object_type":"post")")).empty());
  EXPECT_TRUE(refused(on(R"("object_id":9,"object_type":"product-x")")).empty());
  const std::string wanted = "object_type must be one of book, product-x.";
  EXPECT_EQ(refused(on(R"("object_id":2)")).at("object_type").second,
            wanted + " The type of this post is page.");
  for (const char* id : {"3", "4", "5"}) {
    EXPECT_EQ(refused(on(R"("object_id":)" + std::string(id))).at("object_type").second, wanted);
  }
  EXPECT_EQ(refused(on(R"("object_id":2,"object_type":"page")")).at("object_type").second, wanted);
}

TEST_F(Votes, FacetMayBeRatedIfTheObjectMay) {
  service_.wordpress().connection().execute(
      "INSERT INTO wp_posts (ID, post_type, post_status) VALUES (1, 'book', 'publish'), "
      "(2, 'page', 'publish')");
  service_.change({{"enabled_object_types", Texts{"book", "product-x"}},
                   {"facets", Texts{"taste", "service"}}});
  EXPECT_TRUE(refused(on(R"("object_id":1,"object_type":"post:taste")")).empty());
  EXPECT_TRUE(refused(on(R"("object_id":9,"object_type":"Product-X:Service")")).empty());
  for (const char* type : {"post:love", "page:taste", "taste", "book:x:taste"}) {
    EXPECT_EQ(refused(on(R"("object_id":1,"object_type":")" + std::string(type) + '"')).size(), 1U)
        << type;
  }
  EXPECT_EQ(refused(on(R"("object_id":2,"object_type":"post:taste")")).at("object_type").second,
            "object_type must be one of book, product-x. The type of this post is page.");
}

TEST_F(Votes, FacetsAreKnownIfTheObjectIs) {
  service_.wordpress().connection().execute(
      "INSERT INTO wp_posts (ID, post_type, post_status) VALUES (1, 'post', 'publish'), "
      "(2, 'post', 'draft')");
  service_.change({{"object_check", std::string("published")}, {"facets", Texts{"taste"}}});
  EXPECT_TRUE(run(on(R"("object_id":1,"object_type":"post:taste")")));
  for (const char* object : {R"("object_id":2,"object_type":"post:taste")",
                             R"("object_id":3,"object_type":"post:taste")",
                             R"("object_id":1,"object_type":"post:service")"}) {
    const auto result = run(on(object));
    ASSERT_FALSE(result) << object;
    EXPECT_EQ(result.error().code, api::ErrorCode::not_found) << object;
  }
}

// In version 0.2, sites used the type "post" to enable all post types of WordPress.
TEST_F(Votes, EnabledPostStandsForPostsOfEveryType) {
  service_.wordpress().connection().execute(
      "INSERT INTO wp_posts (ID, post_type, post_status) VALUES (1, 'book', 'publish')");
  service_.change({{"enabled_object_types", Texts{"post"}}});
  EXPECT_TRUE(refused(on(R"("object_id":1)")).empty());
  EXPECT_TRUE(refused(on(R"("object_id":2)")).empty());
}

TEST_F(Votes, PostsOfTheTypePostMayBeEnabledAlone) {
  service_.wordpress().connection().execute(
      "INSERT INTO wp_posts (ID, post_type, post_status) VALUES (1, 'post', 'publish'), "
      "(2, 'book', 'publish')");
  service_.change({{"enabled_object_types", Texts{"post:post"}}});
  EXPECT_TRUE(refused(on(R"("object_id":1)")).empty());
  EXPECT_EQ(refused(on(R"("object_id":2)")).at("object_type").second,
            "object_type must be post:post.");
}

TEST_F(Votes, TypeAndStateAreCheckedTogether) {
  service_.wordpress().connection().execute(
      "INSERT INTO wp_posts (ID, post_type, post_status) VALUES (1, 'book', 'draft'), "
      "(2, 'book', 'publish')");
  service_.change({{"enabled_object_types", Texts{"book"}}, {"object_check", "published"}});
  EXPECT_EQ(run(on(R"("object_id":1)")).error().code, api::ErrorCode::not_found);
  EXPECT_TRUE(refused(on(R"("object_id":2)")).empty());
}

// The response does not reveal whether a post exists, or what type the post has.
TEST_F(Votes, AbsentUnpublishedAndInternalPostsHaveOneAnswer) {
  service_.wordpress().connection().execute(
      "INSERT INTO wp_posts (ID, post_type, post_status) VALUES (1, 'book', 'draft'), "
      "(2, 'book', 'private'), (3, 'book', 'trash'), (4, 'page', 'draft'), "
      "(5, 'shop_coupon', 'publish'), (6, 'secret', 'publish'), (7, 'revision', 'inherit')");
  const auto answers = [&](const std::string& type) {
    std::set<std::string> all;
    for (const char* id : {"1", "2", "3", "4", "5", "6", "7", "99"}) {
      const auto result = run(on(R"("object_id":)" + std::string(id) + type));
      all.insert(result ? "200"
                        : std::to_string(static_cast<int>(result.error().code)) + " " +
                              result.error().message.text() +
                              base::joined(result.error().fields, ",", [](const auto& field) {
                                return field.field + field.message.text();
                              }));
    }
    return all;
  };
  for (const char* type : {"", R"(,"object_type":"post")", R"(,"object_type":"post:taste")",
                           R"(,"object_type":"page")", R"(,"object_type":"shop_coupon")"}) {
    service_.change({{"enabled_object_types", Texts{"book"}},
                     {"object_check", "published"},
                     {"facets", Texts{"taste"}}});
    EXPECT_EQ(answers(type).size(), 1U) << type;
    EXPECT_FALSE(answers(type).contains("200")) << type;
  }
}

TEST_F(Votes, InternalPostsAreNotFoundUnlessTheirTypeIsEnabled) {
  service_.wordpress().connection().execute(
      "INSERT INTO wp_posts (ID, post_type, post_status) VALUES (1, 'shop_coupon', 'publish'), "
      "(2, 'book', 'publish')");
  service_.change({{"object_check", "published"}});
  for (const char* object : {R"("object_id":1)", R"("object_id":1,"object_type":"shop_coupon")"}) {
    const auto result = run(on(object));
    ASSERT_FALSE(result) << object;
    EXPECT_EQ(result.error().code, api::ErrorCode::not_found) << object;
  }
  EXPECT_TRUE(run(on(R"("object_id":2)")));
  service_.change({{"enabled_object_types", Texts{"shop_coupon"}}});
  EXPECT_TRUE(run(on(R"("object_id":1)")));
}

// Even if the service does not check whether objects are published, it must not reveal the types of
// hidden posts.
TEST_F(Votes, TypesOfHiddenPostsAreNotNamedWithoutACheckEither) {
  service_.wordpress().connection().execute(
      "INSERT INTO wp_posts (ID, post_type, post_status) VALUES (1, 'shop_coupon', 'publish'), "
      "(2, 'page', 'draft')");
  service_.change({{"enabled_object_types", Texts{"book"}}});
  for (const char* id : {"1", "2", "99"}) {
    EXPECT_EQ(refused(on(R"("object_id":)" + std::string(id))).at("object_type").second,
              "object_type must be book.");
  }
}

class VotesOnKnownObjects : public Votes {
 protected:
  VotesOnKnownObjects() {
    service_.wordpress().connection().execute(
        "INSERT INTO wp_posts (ID, post_type, post_status) VALUES (1, 'post', 'publish'), "
        "(2, 'post', 'draft')");
  }
  // Returns "200" if the vote is accepted, or the error message.
  std::string answer(const std::string& object) {
    const auto result = run(on(object));
    if (result) return std::to_string(result->status);
    EXPECT_EQ(result.error().code, api::ErrorCode::not_found);
    return result.error().message.text();
  }
};

TEST_F(VotesOnKnownObjects, AnyObjectUnlessChecked) {
  EXPECT_EQ(answer(R"("object_id":3)"), "200");
}

TEST_F(VotesOnKnownObjects, UnknownOnesAreNotFound) {
  service_.change({{"object_check", "known"}});
  EXPECT_EQ(answer(R"("object_id":1)"), "200");
  EXPECT_EQ(answer(R"("object_id":2)"), "200");
  EXPECT_EQ(answer(R"("object_id":3)"), "There is no such post.");
  EXPECT_EQ(answer(R"("object_id":1,"object_type":"page")"), "There is no such page.");
}

TEST_F(VotesOnKnownObjects, UnpublishedOnesAreNotFound) {
  service_.change({{"object_check", "published"}});
  EXPECT_EQ(answer(R"("object_id":1)"), "200");
  EXPECT_EQ(answer(R"("object_id":2)"), "There is no such post.");
  EXPECT_EQ(answer(R"("object_id":3)"), "There is no such post.");
}

TEST_F(VotesOnKnownObjects, PublishedOnesAreAskedForOnce) {
  service_.change({{"object_check", "published"}});
  EXPECT_EQ(answer(R"("object_id":1)"), "200");
  EXPECT_EQ(answer(R"("object_id":2)"), "There is no such post.");
  service_.wordpress().connection().execute(
      "UPDATE wp_posts SET post_status = IF(ID = 1, 'draft', 'publish')");
  EXPECT_EQ(answer(R"("object_id":1)"), "200");
  EXPECT_EQ(answer(R"("object_id":2)"), "200");
}

TEST_F(VotesOnKnownObjects, BadFieldsAreSaidFirst) {
  service_.change({{"object_check", "known"}});
  EXPECT_EQ(refused(R"("object_id":3,"category":"binary","value":2)").size(), 1U);
}

}  // namespace
