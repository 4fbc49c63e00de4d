#include <gtest/gtest.h>

#include "support/database.h"
#include "support/wordpress_site.h"
#include "wordpress/wordpress.h"

namespace {

using model::Object;

class Content : public ::testing::Test {
 protected:
  Content() {
    site_.set_option("home", "https://example.org/blog/");
    site_.set_option("permalink_structure", "/%postname%/");
  }
  void add_post(int id, const std::string& type, const std::string& name,
                const std::string& status = "publish", int parent = 0) {
    site_.connection().execute(
        "INSERT INTO wp_posts (ID, post_date, post_title, post_status, post_name, post_type,"
        " post_parent) VALUES (?, '2026-03-09 07:05:02', ?, ?, ?, ?, ?)",
        std::int64_t{id}, "Title of " + std::to_string(id), status, name, type,
        std::int64_t{parent});
  }
  cms::ContentItem describe(const Object& object, const std::string& home = "") {
    config_.home = home;
    const auto found = objects_.describe(site_.connection(), {&object, 1});
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? cms::ContentItem() : found.at(object);
  }
  bool is_known(const Object& object) {
    return !objects_.describe(site_.connection(), {&object, 1}).empty();
  }
  cms::OmittedObjects omitted(const model::FacetNames& facets = {},
                              const std::vector<std::string>& listed_types = {}) {
    return objects_
        .rated_and_omitted(site_.connection(), facets, listed_types, std::chrono::minutes(1))
        .value();
  }
  void rate_post(int id) {
    site_.connection().execute(
        "INSERT INTO wp_ratingd_totals (object_id, object_type, category) VALUES (?, 'post', 0)",
        std::int64_t{id});
  }
  std::string link(const Object& object) { return describe(object).link; }

  config::WordPressSite config_;
  const wordpress::WordPress objects_{config_};
  support::Database database_;
  support::WordPressSite site_{database_};
};

TEST_F(Content, PostHasItsTitleAndAddress) {
  add_post(5, "post", "bread");
  EXPECT_EQ(
      describe({5, "post"}),
      (cms::ContentItem{"post", "Title of 5", "https://example.org/blog/bread/", true, "post"}));
}

TEST_F(Content, AddressOfAPostFollowsTheStructure) {
  add_post(5, "post", "bread");
  const std::map<std::string, std::string> links = {
      {"", "/?p=5"},
      {"/%postname%/", "/bread/"},
      {"/%year%/%monthnum%/%day%/%postname%/", "/2026/03/09/bread/"},
      {"/archives/%post_id%", "/archives/5"},
      {"/index.php/%year%/%postname%.html", "/index.php/2026/bread.html"},
      {"/%hour%-%minute%-%second%/%postname%", "/07-05-02/bread"},
      // ratingd cannot resolve %category% and %author%, so the link contains the post's id.
      {"/%category%/%postname%/", "/?p=5"},
      {"/%author%/%postname%/", "/?p=5"},
  };
  for (const auto& [structure, path] : links) {
    site_.set_option("permalink_structure", structure);
    EXPECT_EQ(link({5, "post"}), "https://example.org/blog" + path) << structure;
  }
}

TEST_F(Content, NameMayHoldWhatLooksLikeATag) {
  add_post(5, "post", "caf%c3%a9-%year%");
  EXPECT_EQ(link({5, "post"}), "https://example.org/blog/caf%c3%a9-%year%/");
}

TEST_F(Content, UnfinishedPostHasItsPlainAddress) {
  for (const char* status : {"draft", "pending", "future"}) {
    site_.connection().execute("DELETE FROM wp_posts");
    add_post(5, "post", "bread", status);
    EXPECT_EQ(link({5, "post"}), "https://example.org/blog/?p=5") << status;
    EXPECT_FALSE(describe({5, "post"}).is_published) << status;
  }
}

TEST_F(Content, PrivatePostIsNotPublishedButHasItsAddress) {
  add_post(5, "post", "diary", "private");
  EXPECT_EQ(link({5, "post"}), "https://example.org/blog/diary/");
  EXPECT_FALSE(describe({5, "post"}).is_published);
}

TEST_F(Content, PageHasThePagesAboveItInItsAddress) {
  add_post(1, "page", "company");
  add_post(2, "page", "people", "publish", 1);
  add_post(3, "page", "founders", "publish", 2);
  EXPECT_EQ(link({3, "page"}), "https://example.org/blog/company/people/founders/");
  EXPECT_EQ(link({3, "post"}), "https://example.org/blog/company/people/founders/");
  site_.set_option("permalink_structure", "/index.php/%postname%");
  EXPECT_EQ(link({2, "page"}), "https://example.org/blog/index.php/company/people");
  site_.set_option("permalink_structure", "");
  EXPECT_EQ(link({3, "page"}), "https://example.org/blog/?page_id=3");
}

TEST_F(Content, FrontPageIsTheSiteItself) {
  add_post(1, "page", "welcome");
  site_.set_option("page_on_front", "1");
  EXPECT_EQ(link({1, "page"}), "https://example.org/blog/welcome/");
  site_.set_option("show_on_front", "page");
  EXPECT_EQ(link({1, "page"}), "https://example.org/blog/");
}

TEST_F(Content, PagesAboveEachOtherEnd) {
  add_post(1, "page", "a", "publish", 2);
  add_post(2, "page", "b", "publish", 1);
  EXPECT_TRUE(link({1, "page"}).ends_with("/b/a/"));
}

TEST_F(Content, OtherTypesHaveAddressesThatWordPressRedirects) {
  add_post(7, "product", "kettle");
  add_post(8, "attachment", "kettle-jpg", "inherit", 7);
  EXPECT_EQ(link({7, "product"}), "https://example.org/blog/?post_type=product&p=7");
  EXPECT_EQ(link({8, "attachment"}), "https://example.org/blog/?attachment_id=8");
  EXPECT_TRUE(describe({8, "attachment"}).is_published);
}

TEST_F(Content, CommentStandsOnThePageOfItsPost) {
  add_post(5, "post", "bread");
  add_post(6, "post", "diary", "private");
  site_.connection().execute(
      "INSERT INTO wp_comments (comment_ID, comment_post_ID, comment_approved, comment_content)"
      " VALUES (31, 5, '1', '<b>Good</b> bread'), (32, 5, '0', ''), (33, 6, '1', '')");
  EXPECT_EQ(describe({31, "comment"}),
            (cms::ContentItem{"comment", "Good bread \u00b7 Title of 5",
                              "https://example.org/blog/bread/#comment-31", true, "post"}));
  EXPECT_EQ(describe({32, "comment"}).title, "Title of 5");
  EXPECT_FALSE(describe({32, "comment"}).is_published);
  EXPECT_FALSE(describe({33, "comment"}).is_published);
  EXPECT_FALSE(is_known({5, "comment"}));
}

TEST_F(Content, TitleOfALongCommentEndsWithAWord) {
  add_post(5, "post", "bread");
  const auto title_of = [&](const std::string& text) {
    site_.connection().execute("DELETE FROM wp_comments");
    site_.connection().execute(
        "INSERT INTO wp_comments (comment_ID, comment_post_ID, comment_content)"
        " VALUES (31, 5, ?)",
        text);
    return describe({31, "comment"}).title;
  };
  std::string words;
  for (int i = 0; i < 30; ++i) words += "word \n";
  EXPECT_EQ(title_of("a " + words),
            "a word word word word word word word word word word word word word word word\u2026"
            " \u00b7 Title of 5");
  std::string han;
  for (int i = 0; i < 40; ++i) han += "\u6f22";
  EXPECT_EQ(title_of(han), han.substr(0, 78) + "\u2026 \u00b7 Title of 5");
}

TEST_F(Content, TermHasItsNameAndAnAddressThatWordPressRedirects) {
  site_.connection().execute(
      "INSERT INTO wp_terms (term_id, name, slug) VALUES (1, 'News', 'news'), (2, 'Oven', 'oven'),"
      " (3, 'Jazz', 'jazz'), (4, 'Main menu', 'main')");
  site_.connection().execute(
      "INSERT INTO wp_term_taxonomy (term_id, taxonomy, description) VALUES (1, 'category', ''),"
      " (2, 'post_tag', ''), (3, 'genre', ''), (4, 'nav_menu', ''), (2, 'nav_menu', '')");
  const std::string home = "https://example.org/blog/";
  EXPECT_EQ(describe({1, "term"}),
            (cms::ContentItem{"term", "News", home + "?cat=1", true, "category"}));
  EXPECT_EQ(describe({2, "term"}),
            (cms::ContentItem{"term", "Oven", home + "?tag=oven", true, "post_tag"}));
  EXPECT_EQ(describe({3, "term"}),
            (cms::ContentItem{"term", "Jazz", home + "?taxonomy=genre&term=jazz", true, "genre",
                              cms::TypeAccess::unclear}));
  EXPECT_FALSE(describe({4, "term"}).is_published);
  EXPECT_FALSE(is_known({5, "term"}));
}

TEST_F(Content, AuthorHasTheNameThatTheSiteShows) {
  site_.add_user(1, "login", "hash", "mail");
  site_.add_user(2, "other", "hash", "mail");
  site_.connection().execute("UPDATE wp_users SET display_name = CONCAT('Name of ', ID)");
  add_post(5, "post", "bread");
  add_post(6, "page", "about");
  add_post(7, "post", "secret", "private");
  site_.connection().execute("UPDATE wp_posts SET post_author = IF(ID = 5, 1, 2)");
  EXPECT_EQ(describe({1, "author"}),
            (cms::ContentItem{"author", "Name of 1", "https://example.org/blog/?author=1", true,
                              "author"}));
  // The response must not reveal that user 2 exists.
  EXPECT_EQ(describe({2, "author"}), (cms::ContentItem{"author", "", "", false, "author"}));
  EXPECT_FALSE(is_known({3, "author"}));
}

TEST_F(Content, WhatTheCmsDoesNotHaveIsNotThere) {
  add_post(5, "post", "bread");
  add_post(6, "revision", "5-revision-v1", "inherit", 5);
  add_post(7, "post", "", "auto-draft");
  EXPECT_FALSE(is_known({4, "post"}));
  EXPECT_FALSE(is_known({5, "product"}));
  EXPECT_FALSE(is_known({6, "post"}));
  EXPECT_FALSE(is_known({7, "post"}));
}

TEST_F(Content, GivenHomeCountsInsteadOfTheOption) {
  add_post(5, "post", "bread");
  EXPECT_EQ(describe({5, "post"}, "https://example.com").link, "https://example.com/bread/");
}

TEST_F(Content, PostInTheTrashHasNoAddress) {
  add_post(5, "post", "bread__trashed", "trash");
  EXPECT_EQ(link({5, "post"}), "");
}

TEST_F(Content, RatedUnpublishedAreThoseThatAreDescribedSo) {
  const std::vector<std::string> statuses = {"publish", "draft",      "private", "trash",
                                             "inherit", "auto-draft", "future"};
  std::vector<Object> rated = {{999, "post"}, {999, "comment"}};
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const int id = 10 * static_cast<int>(i + 1);
    const auto number = static_cast<std::uint64_t>(id);
    add_post(id, "post", "post", statuses[i]);
    add_post(id + 1, "attachment", "file", "inherit", id);
    add_post(id + 2, "page", "page", statuses[i]);
    for (const char* approved : {"1", "0"}) {
      const int comment = id + (approved[0] == '1' ? 0 : 1);
      site_.connection().execute(
          "INSERT INTO wp_comments (comment_ID, comment_post_ID, comment_approved, comment_content)"
          " VALUES (" +
          std::to_string(comment) + ", " + std::to_string(id) + ", '" + approved + "', '')");
    }
    for (std::uint64_t at = number; at < number + 3; ++at) {
      for (const char* type : {"post", "page", "song", "comment"}) rated.push_back({at, type});
    }
  }
  for (const auto& [id, type] : rated) {
    site_.connection().execute(
        "INSERT INTO wp_ratingd_totals (object_id, object_type, category)"
        " VALUES (" +
        std::to_string(id) + ", '" + type + "', 0)");
  }
  model::ObjectSet::IdsByType ids;
  for (const auto& [object, known] : objects_.describe(site_.connection(), rated)) {
    if (!known.is_published) ids[object.type].push_back(object.id);
  }
  const model::ObjectSet unpublished(std::move(ids));
  EXPECT_EQ(unpublished.size(), 32U);
  EXPECT_EQ(omitted().for_everybody, unpublished);
  EXPECT_EQ(omitted().internal, model::ObjectSet());
}

TEST_F(Content, TermsWithoutPagesAndUsersWithoutPostsAreUnpublished) {
  site_.connection().execute("INSERT INTO wp_terms (term_id, name) VALUES (1, 'a'), (2, 'b')");
  site_.connection().execute(
      "INSERT INTO wp_term_taxonomy (term_id, taxonomy, description) VALUES (1, 'category', ''),"
      " (1, 'nav_menu', ''), (2, 'nav_menu', '')");
  site_.add_user(1, "author", "hash");
  site_.add_user(2, "reader", "hash");
  add_post(5, "post", "bread");
  site_.connection().execute("UPDATE wp_posts SET post_author = 1");
  for (const char* type : {"term", "author", "author:taste"}) {
    for (const char* id : {"1", "2", "3"}) {
      site_.connection().execute(
          "INSERT INTO wp_ratingd_totals (object_id, object_type, category) VALUES (" +
          std::string(id) + ", '" + type + "', 0)");
    }
  }
  EXPECT_EQ(omitted({"taste"}), cms::OmittedObjects());  // before a vote, no rating of them is read
  site_.connection().execute(
      "INSERT INTO wp_ratingd_site_daily (object_type, day) VALUES ('author:taste', '2026-01-01')");
  EXPECT_EQ(omitted({"taste"}).for_everybody,
            (model::ObjectSet{{2, "term"}, {2, "author"}, {2, "author:taste"}}));
  EXPECT_EQ(omitted({"taste"}).internal, (model::ObjectSet{{2, "term"}}));
}

TEST_F(Content, FacetsAreUnpublishedAsTheObjectIs) {
  add_post(1, "post", "draft", "draft");
  add_post(2, "page", "page", "draft");
  add_post(3, "post", "post");
  for (const char* row : {"1, 'post:taste'", "1, 'post:chapter'", "2, 'post:taste'",
                          "2, 'page:taste'", "2, 'song:taste'", "3, 'post:taste'"}) {
    site_.connection().execute(
        "INSERT INTO wp_ratingd_totals (object_id, object_type, category)"
        " VALUES (" +
        std::string(row) + ", 0)");
  }
  EXPECT_EQ(omitted({"taste"}).for_everybody,
            (model::ObjectSet{{1, "post:taste"}, {2, "post:taste"}, {2, "page:taste"}}));
  EXPECT_EQ(omitted(), cms::OmittedObjects());
}

TEST_F(Content, InternalPostsAreOmittedUnlessTheSettingsNameTheirType) {
  int id = 0;
  for (const char* type : {"wp_navigation", "wp_template", "wp_template_part", "wp_global_styles",
                           "wp_block", "nav_menu_item", "revision", "shop_order"}) {
    add_post(++id, type, "internal");
    rate_post(id);
  }
  add_post(9, "recipe", "soup");
  rate_post(9);
  const model::ObjectSet all{{1, "post"}, {2, "post"}, {3, "post"}, {4, "post"},
                             {5, "post"}, {6, "post"}, {7, "post"}, {8, "post"}};
  EXPECT_EQ(omitted(), (cms::OmittedObjects{all, all}));
  site_.connection().execute("UPDATE wp_posts SET post_status = 'draft' WHERE ID = 8");
  const model::ObjectSet first{{1, "post"}, {2, "post"}, {3, "post"},
                               {4, "post"}, {6, "post"}, {7, "post"}};
  const model::ObjectSet with_draft{{1, "post"}, {2, "post"}, {3, "post"}, {4, "post"},
                                    {6, "post"}, {7, "post"}, {8, "post"}};
  EXPECT_EQ(omitted({}, {"post:wp_block", "shop_order"}), (cms::OmittedObjects{first, with_draft}));
}

TEST_F(Content, NewestPostsArePublishedPostsOfPublicTypes) {
  add_post(1, "post", "bread");
  add_post(2, "page", "about");
  add_post(3, "post", "draft", "draft");
  add_post(4, "wp_navigation", "menu");
  add_post(5, "attachment", "photo", "inherit");
  add_post(6, "recipe", "soup");
  add_post(7, "post", "secret");
  site_.connection().execute("UPDATE wp_posts SET post_password = 'x' WHERE ID = 7");
  using Ids = std::vector<std::uint64_t>;
  EXPECT_EQ(objects_.newest_posts(site_.connection(), {}, 10), (Ids{2, 1}));
  EXPECT_EQ(objects_.newest_posts(site_.connection(), {"recipe", "wp_navigation"}, 10),
            (Ids{6, 2, 1}));
  EXPECT_EQ(objects_.newest_posts(site_.connection(), {}, 1), (Ids{2}));
}

class TitleSearch : public Content {
 protected:
  void add(int id, const std::string& title, const std::string& type = "post",
           const std::string& status = "publish") {
    add_post(id, type, "name", status);
    site_.connection().execute("UPDATE wp_posts SET post_title = ? WHERE ID = ?", title,
                               std::int64_t{id});
    rate(id, "post");
  }
  void rate(int id, const std::string& type, int category = 0) {
    site_.connection().execute(
        "INSERT INTO wp_ratingd_totals (object_id, object_type, category) VALUES (" +
        std::to_string(id) + ", '" + type + "', " + std::to_string(category) + ")");
    site_.connection().execute(
        "INSERT IGNORE INTO wp_ratingd_site_daily (object_type, day) VALUES (?, '2026-01-01')",
        type);
  }
  void add_comment(int id, int post, const std::string& text, const std::string& approved = "1") {
    site_.connection().execute(
        "INSERT INTO wp_comments (comment_ID, comment_post_ID, comment_approved, comment_content,"
        " comment_author) VALUES (?, ?, ?, ?, '')",
        std::int64_t{id}, std::int64_t{post}, approved, text);
    rate(id, "comment");
  }
  void add_term(int id, const std::string& name, const std::string& taxonomy) {
    site_.connection().execute("INSERT INTO wp_terms (term_id, name) VALUES (?, ?)",
                               std::int64_t{id}, name);
    site_.connection().execute(
        "INSERT INTO wp_term_taxonomy (term_id, taxonomy, description) VALUES (?, ?, '')",
        std::int64_t{id}, taxonomy);
    rate(id, "term");
  }
  cms::TitleMatches find(const cms::TitleSearch& search) {
    return objects_.rated_with_title(connection_, search);
  }
  model::ObjectSet found(const std::string& words, bool is_for_everybody = true) {
    const auto matches = find({.words = words,
                               .is_for_everybody = is_for_everybody,
                               .further_public_types = {"recipe"},
                               .limit = 100,
                               .time_limit = std::chrono::minutes(1)});
    EXPECT_FALSE(matches.exceeds_limit || matches.exceeds_time);
    return matches.objects;
  }

  db::Connection connection_{database_.endpoint()};
  const model::ObjectSet nothing_{};
};

TEST_F(TitleSearch, FindsAPartOfTheTitleInWhateverCase) {
  add(1, "Bread without kneading");
  add(2, "Walks along the river");
  add(3, "\xC3\x84pfel und Brot");
  EXPECT_EQ(found("bread"), (model::ObjectSet{{1, "post"}}));
  EXPECT_EQ(found("WITHOUT KNEAD"), (model::ObjectSet{{1, "post"}}));
  EXPECT_EQ(found("\xC3\xA4pfel"), (model::ObjectSet{{3, "post"}}));
  EXPECT_EQ(found("r"), (model::ObjectSet{{1, "post"}, {2, "post"}, {3, "post"}}));
  EXPECT_EQ(found("bread river"), nothing_);
  EXPECT_EQ(found("\xF0\x9F\x8D\x9E"), nothing_);
}

TEST_F(TitleSearch, OnlyRatedObjectsAreFound) {
  add_post(1, "post", "bread");
  EXPECT_EQ(found("Title"), nothing_);
  rate(1, "post", 0);
  rate(1, "post", 2);
  EXPECT_EQ(found("Title"), (model::ObjectSet{{1, "post"}}));
}

TEST_F(TitleSearch, WildcardsAreCharacters) {
  add(1, "100 % wool");
  add(2, "100 euros");
  add(3, "snake_case!");
  add(4, "snakes");
  add(5, "back\\slash");
  EXPECT_EQ(found("100 %"), (model::ObjectSet{{1, "post"}}));
  EXPECT_EQ(found("snake_"), (model::ObjectSet{{3, "post"}}));
  EXPECT_EQ(found("e!"), (model::ObjectSet{{3, "post"}}));
  EXPECT_EQ(found("k\\s"), (model::ObjectSet{{5, "post"}}));
  EXPECT_EQ(found("%"), (model::ObjectSet{{1, "post"}}));
  EXPECT_EQ(found("!%"), nothing_);
}

TEST_F(TitleSearch, EntitiesAreTheCharactersThatPeopleRead) {
  add(1, "Bread &amp; butter &lt;3");
  add(2, "Bread & jam <3");
  add(3, "It&#039;s &quot;quoted&quot;");
  EXPECT_EQ(found("bread &"), (model::ObjectSet{{1, "post"}, {2, "post"}}));
  EXPECT_EQ(found("<3"), (model::ObjectSet{{1, "post"}, {2, "post"}}));
  EXPECT_EQ(found("it's \"q"), (model::ObjectSet{{3, "post"}}));
  EXPECT_EQ(found("amp"), nothing_);
}

TEST_F(TitleSearch, UnpublishedObjectsAreNotForEverybody) {
  add(1, "Bread");
  add(2, "Bread, a draft", "post", "draft");
  add(3, "Bread, private", "post", "private");
  add(4, "Bread, erased", "post", "auto-draft");
  EXPECT_EQ(found("bread"), (model::ObjectSet{{1, "post"}}));
  EXPECT_EQ(found("bread", false), (model::ObjectSet{{1, "post"}, {2, "post"}, {3, "post"}}));
}

// A search must not find posts of types such as "coupon", because their titles may be secret.
TEST_F(TitleSearch, ObjectsOfOtherTypesAreNotForEverybody) {
  add(1, "Bread", "coupon");
  add(2, "Bread", "recipe");
  rate(2, "recipe");
  rate(2, "song");
  add(3, "Bread", "page");
  EXPECT_EQ(found("bread"), (model::ObjectSet{{2, "post"}, {2, "recipe"}, {3, "post"}}));
  EXPECT_EQ(found("bread", false),
            (model::ObjectSet{{1, "post"}, {2, "post"}, {2, "recipe"}, {3, "post"}}));
}

TEST_F(TitleSearch, FacetsAreFoundByTheTitleOfTheObjectIfTheyAreAskedFor) {
  add(1, "Bread");
  rate(1, "post:taste");
  rate(1, "post:service");
  rate(1, "page:taste");
  cms::TitleSearch search{
      .words = "bread", .facets = {"taste"}, .limit = 9, .time_limit = std::chrono::minutes(1)};
  EXPECT_EQ(find(search).objects, (model::ObjectSet{{1, "post"}}));
  search.object_type = "post:taste";
  EXPECT_EQ(find(search).objects, (model::ObjectSet{{1, "post:taste"}}));
  search.object_type = "post:service";
  EXPECT_EQ(find(search).objects, nothing_);
}

TEST_F(TitleSearch, CommentsAreFoundByTheirTextsAndPosts) {
  add(1, "Bread");
  add_comment(7, 1, "Try it with <b class=\"x\">olives</b> &amp; salt");
  add_comment(8, 1, "Nice");
  EXPECT_EQ(found("with olives & s"), (model::ObjectSet{{7, "comment"}}));
  EXPECT_EQ(found("nice \u00b7 br"), (model::ObjectSet{{8, "comment"}}));
  EXPECT_EQ(found("bread"), (model::ObjectSet{{1, "post"}, {7, "comment"}, {8, "comment"}}));
  EXPECT_EQ(found("class"), nothing_);
  rate(1, "comment");  // the id of a post
  EXPECT_EQ(found("nice"), (model::ObjectSet{{8, "comment"}}));
}

TEST_F(TitleSearch, CommentsThatAreNotShownAreNotForEverybody) {
  add(1, "Bread");
  add(2, "Draft", "post", "draft");
  add(3, "Coupon", "coupon");
  add(4, "Secret");
  site_.connection().execute("UPDATE wp_posts SET post_password = 'x' WHERE ID = 4");
  add_comment(5, 1, "olives", "0");
  for (const int post : {2, 3, 4}) add_comment(post + 10, post, "olives");
  EXPECT_EQ(found("olives"), nothing_);
  EXPECT_EQ(found("olives", false),
            (model::ObjectSet{{5, "comment"}, {12, "comment"}, {13, "comment"}, {14, "comment"}}));
}

TEST_F(TitleSearch, TermsAreFoundByTheirNames) {
  add_term(1, "Bread &amp; rolls", "category");
  add_term(2, "Bread of plugins", "cuisine");
  add_term(3, "Bread in the menu", "nav_menu");
  EXPECT_EQ(found("bread & r"), (model::ObjectSet{{1, "term"}}));
  EXPECT_EQ(found("bread"), (model::ObjectSet{{1, "term"}}));
  EXPECT_EQ(found("bread", false), (model::ObjectSet{{1, "term"}, {2, "term"}, {3, "term"}}));
}

// A user who has published nothing is not an author, so a search must not reveal the user.
TEST_F(TitleSearch, AuthorsAreFoundByTheirNames) {
  for (int id = 1; id <= 2; ++id) {
    site_.add_user(static_cast<std::uint64_t>(id), "baker" + std::to_string(id), "hash");
    rate(id, "author");
  }
  site_.connection().execute("UPDATE wp_users SET display_name = 'Bread baker'");
  add_post(5, "post", "name");
  site_.connection().execute("UPDATE wp_posts SET post_author = 1");
  EXPECT_EQ(found("BAKER"), (model::ObjectSet{{1, "author"}}));
  EXPECT_EQ(found("baker", false), (model::ObjectSet{{1, "author"}}));
}

TEST_F(TitleSearch, EachTypeIsFoundAlone) {
  add(1, "Bread", "page");
  add_comment(2, 1, "Bread");
  add_term(3, "Bread", "category");
  rate(2, "comment:taste");
  rate(2, "term:taste");
  cms::TitleSearch search{
      .words = "bread", .facets = {"taste"}, .limit = 9, .time_limit = std::chrono::minutes(1)};
  EXPECT_EQ(find(search).objects, (model::ObjectSet{{1, "post"}, {2, "comment"}, {3, "term"}}));
  for (const auto& [type, id] : std::map<std::string, std::uint64_t>{
           {"post", 1}, {"comment", 2}, {"comment:taste", 2}, {"term", 3}}) {
    search.object_type = type;
    EXPECT_EQ(find(search).objects, (model::ObjectSet{{id, type}})) << type;
  }
  search.object_type = "page";
  EXPECT_EQ(find(search).objects, (model::ObjectSet{{1, "post"}}));
  search.object_type = "author";
  EXPECT_EQ(find(search).objects, nothing_);
}

TEST_F(TitleSearch, NewestAreFoundUpToTheLimit) {
  for (int id = 1; id <= 5; ++id) add(id, "Bread");
  rate(5, "post", 2);
  cms::TitleSearch search{.words = "bread", .limit = 3, .time_limit = std::chrono::minutes(1)};
  auto matches = find(search);
  EXPECT_EQ(matches.objects, (model::ObjectSet{{5, "post"}, {4, "post"}, {3, "post"}}));
  EXPECT_TRUE(matches.exceeds_limit);
  search.limit = 5;
  matches = find(search);
  EXPECT_EQ(matches.objects.size(), 5U);
  EXPECT_FALSE(matches.exceeds_limit);
  search.object_type = "page";
  EXPECT_EQ(find(search).objects, nothing_);
}

TEST_F(TitleSearch, ManyObjectsAreSearchedInChunks) {
  site_.connection().execute(
      "INSERT INTO wp_ratingd_totals (object_id, object_type, category) WITH RECURSIVE ids AS"
      " (SELECT 100 AS id UNION ALL SELECT id + 1 FROM ids WHERE id < 999)"
      " SELECT a.id * 1000 + b.id, 'post', 0 FROM ids a JOIN ids b ON a.id < 125");
  add(1, "Bread");
  site_.connection().execute("DELETE FROM wp_ratingd_totals WHERE object_id = 110500");
  add(110500, "Bread of the middle");
  add(999999, "Bread of today");
  EXPECT_EQ(found("bread"), (model::ObjectSet{{1, "post"}, {110500, "post"}, {999999, "post"}}));
  const auto matches = find({.words = "bread", .limit = 9});  // no time left
  EXPECT_TRUE(matches.exceeds_time);
}

}  // namespace
