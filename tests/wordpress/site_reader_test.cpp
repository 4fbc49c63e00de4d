#include <gtest/gtest.h>

#include "support/wordpress_site.h"
#include "wordpress/wordpress.h"

namespace {

using model::ObjectCheck;

class SiteReader : public ::testing::Test {
 protected:
  void add_post(int id, const std::string& type, const std::string& status, int parent = 0) {
    site_.connection().execute(
        "INSERT INTO wp_posts (ID, post_type, post_status, post_parent) VALUES (" +
        std::to_string(id) + ", '" + type + "', '" + status + "', " + std::to_string(parent) + ")");
  }
  void add_comment(int id, int post, const std::string& approved) {
    site_.connection().execute(
        "INSERT INTO wp_comments (comment_ID, comment_post_ID, comment_approved) VALUES (" +
        std::to_string(id) + ", " + std::to_string(post) + ", '" + approved + "')");
  }
  ObjectCheck passed(int id, const std::string& type = "post") {
    return adapter_.state_of(connection_, {static_cast<std::uint64_t>(id), type}).passed_check;
  }

  support::Database database_;
  support::WordPressSite site_{database_};
  db::Connection connection_{database_.endpoint()};
  const config::WordPressSite config_{};
  const wordpress::WordPress adapter_{config_};
};

TEST_F(SiteReader, PostIsKnownByItsStatus) {
  int id = 0;
  for (const char* status : {"publish", "private", "draft", "pending", "future", "wc-processing"}) {
    add_post(++id, "post", status);
    EXPECT_EQ(passed(id), id == 1 ? ObjectCheck::published : ObjectCheck::known) << status;
  }
  EXPECT_EQ(passed(99), ObjectCheck::off);
}

TEST_F(SiteReader, TrashAutomaticDraftsAndRevisionsAreNotKnown) {
  add_post(1, "post", "trash");
  add_post(2, "post", "auto-draft");
  add_post(3, "revision", "inherit");
  for (const int id : {1, 2, 3}) EXPECT_EQ(passed(id), ObjectCheck::off) << id;
  EXPECT_EQ(passed(3, "revision"), ObjectCheck::off);
}

TEST_F(SiteReader, PostStandsForEveryTypeAndOthersForThemselves) {
  add_post(1, "page", "publish");
  add_post(2, "product", "publish");
  EXPECT_EQ(passed(1), ObjectCheck::published);
  EXPECT_EQ(passed(1, "page"), ObjectCheck::published);
  EXPECT_EQ(passed(2, "product"), ObjectCheck::published);
  EXPECT_EQ(passed(2, "page"), ObjectCheck::off);
  EXPECT_EQ(passed(1, "user"), ObjectCheck::off);
}

TEST_F(SiteReader, StateHasTheTypeOfThePost) {
  add_post(1, "Book", "draft");
  add_post(2, "book", "trash");
  EXPECT_EQ(adapter_.state_of(connection_, {1, "post"}),
            (cms::ObjectState{"book", ObjectCheck::known}));
  EXPECT_EQ(adapter_.state_of(connection_, {2, "post"}), cms::ObjectState());
  EXPECT_EQ(adapter_.state_of(connection_, {1, "page"}), cms::ObjectState());
}

TEST_F(SiteReader, IdsOfATypeAreThoseOfItsPosts) {
  add_post(1, "book", "publish");
  add_post(2, "page", "publish");
  add_post(3, "book", "draft");
  const auto ids = adapter_.ids_of_type(connection_, "book");
  ASSERT_TRUE(ids);
  db::Rows row =
      connection_.query("SELECT GROUP_CONCAT(ID ORDER BY ID) FROM (" + *ids + ") AS books");
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.text(1), "1,3");
  EXPECT_EQ(adapter_.ids_of_type(connection_, "product"), std::nullopt);
  EXPECT_EQ(adapter_.ids_of_type(connection_, "' or 1"), std::nullopt);
}

TEST_F(SiteReader, AttachmentIsPublishedLikeThePostItBelongsTo) {
  add_post(1, "post", "publish");
  add_post(2, "post", "draft");
  add_post(11, "attachment", "inherit", 1);
  add_post(12, "attachment", "inherit", 2);
  add_post(13, "attachment", "inherit");
  add_post(14, "attachment", "inherit",
           99);  // WordPress treats attachments of deleted posts as published
  add_post(15, "attachment", "private", 1);
  EXPECT_EQ(passed(11, "attachment"), ObjectCheck::published);
  EXPECT_EQ(passed(12, "attachment"), ObjectCheck::known);
  EXPECT_EQ(passed(13, "attachment"), ObjectCheck::published);
  EXPECT_EQ(passed(14), ObjectCheck::published);
  EXPECT_EQ(passed(15), ObjectCheck::known);
}

TEST_F(SiteReader, CommentIsPublishedWhenApprovedOnAPublishedPost) {
  add_post(1, "post", "publish");
  add_post(2, "post", "private");
  add_post(3, "attachment", "inherit", 1);
  add_comment(11, 1, "1");
  add_comment(12, 1, "0");
  add_comment(13, 1, "spam");
  add_comment(14, 2, "1");
  add_comment(15, 3, "1");
  add_comment(16, 99, "1");
  EXPECT_EQ(passed(11, "comment"), ObjectCheck::published);
  EXPECT_EQ(passed(15, "comment"), ObjectCheck::published);
  for (const int id : {12, 13, 14, 16}) {
    EXPECT_EQ(passed(id, "comment"), ObjectCheck::known) << id;
  }
}

TEST_F(SiteReader, CommentInTheTrashIsNotKnown) {
  add_post(1, "post", "trash");
  add_comment(11, 1, "trash");
  add_comment(12, 1, "post-trashed");
  for (const int id : {11, 12, 99}) EXPECT_EQ(passed(id, "comment"), ObjectCheck::off);
}

TEST_F(SiteReader, CommentAndPostOfTheSameIdAreTwoObjects) {
  add_post(1, "post", "publish");
  EXPECT_EQ(passed(1, "comment"), ObjectCheck::off);
}

}  // namespace
