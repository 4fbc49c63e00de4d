#include "wordpress/wordpress.h"

#include <gtest/gtest.h>

#include "config/config.h"
#include "support/database.h"
#include "support/wordpress_cms.h"
#include "support/wordpress_site.h"

namespace {

config::Config with_salts() {
  config::Config config;
  config.keys.auth_key = "auth key";
  config.keys.auth_salt = "auth salt";
  return config;
}

// The expected secret is the result of hash_hmac('sha256', 'ratingd ticket', 'auth keyauth salt')
// in PHP.
TEST(WordPressTickets, SecretIsWhatPhpDerives) {
  EXPECT_EQ(wordpress::WordPress(with_salts()).ticket_secret(),
            "f65afa1340e94eab013c77f0ebcc2c1018e8897f14eaebd02e24506feacbb16f");
}

TEST(WordPressTickets, SaltsThatOnlyTheDatabaseHasGiveNoSecret) {
  const config::Config none;
  EXPECT_EQ(wordpress::WordPress(none).ticket_secret(), std::nullopt);
  config::Config sample = with_salts();
  sample.keys.auth_salt = "put your unique phrase here";
  EXPECT_EQ(wordpress::WordPress(sample).ticket_secret(), std::nullopt);
}

TEST(WordPressTickets, CanBeSwitchedOff) {
  config::Config config = with_salts();
  config.logins.tickets = false;
  EXPECT_EQ(wordpress::WordPress(config).ticket_secret(), std::nullopt);
}

class WordPressAddresses : public ::testing::Test {
 protected:
  cms::Addresses read(const config::Config& config = {}) {
    return wordpress::WordPress(config).addresses(site_.connection());
  }

  support::Database database_;
  support::WordPressSite site_{database_};
};

TEST_F(WordPressAddresses, LoginIsBesideTheFilesOfWordPress) {
  site_.set_option("home", "https://example.org");
  site_.set_option("siteurl", "https://example.org/wp/");
  const cms::LoginAddresses expected{
      "https://example.org/wp/wp-login.php",
      "https://example.org/wp/wp-admin/admin-ajax.php?action=rest-nonce"};
  EXPECT_EQ(read().login, expected);
  EXPECT_EQ(read().home, "https://example.org");
}

TEST_F(WordPressAddresses, GivenAddressOfTheFilesCountsInsteadOfTheOption) {
  site_.set_option("siteurl", "https://example.org/wp");
  config::Config config;
  config.siteurl = "https://example.com/cms";
  EXPECT_EQ(read(config).login->page, "https://example.com/cms/wp-login.php");
}

TEST_F(WordPressAddresses, RestApiDependsOnPermalinks) {
  site_.set_option("home", "https://example.org/blog/");
  const auto root_with = [&](std::string_view structure) {
    site_.set_option("permalink_structure", structure);
    return read().rest_root;
  };
  EXPECT_EQ(root_with(""), "https://example.org/blog/index.php?rest_route=/");
  EXPECT_EQ(root_with("/%postname%/"), "https://example.org/blog/wp-json/");
  EXPECT_EQ(root_with("/index.php/%postname%/"), "https://example.org/blog/index.php/wp-json/");
}

TEST_F(WordPressAddresses, LoginIsUnknownWithoutTheAddressOfTheFiles) {
  site_.set_option("home", "https://example.org");
  EXPECT_EQ(read().login, std::nullopt);
}

class WordPressObjects : public ::testing::Test {
 protected:
  WordPressObjects() {
    db::Connection& cms = site_.connection();
    cms.execute("INSERT INTO wp_terms (term_id, name) VALUES (1, 'News'), (2, 'Menu')");
    cms.execute(
        "INSERT INTO wp_term_taxonomy (term_id, taxonomy, description) VALUES"
        " (1, 'category', ''), (2, 'nav_menu', '')");
    site_.add_user(7, "author", "hash");
    site_.add_user(8, "reader", "hash");
    cms.execute("INSERT INTO wp_posts (ID, post_author, post_type) VALUES (1, 7, 'post')");
  }
  model::ObjectCheck passed(std::uint64_t id, const std::string& type) {
    const cms::ObjectState state = support::wordpress_cms().state_of(connection_, {id, type});
    EXPECT_EQ(state.type, state.passed_check == model::ObjectCheck::off ? "" : type);
    return state.passed_check;
  }

  support::Database database_;
  support::WordPressSite site_{database_};
  db::Connection connection_{database_.endpoint()};
};

TEST_F(WordPressObjects, TermsArePublishedIfTheirTaxonomyHasPages) {
  EXPECT_EQ(passed(1, "term"), model::ObjectCheck::published);
  EXPECT_EQ(passed(2, "term"), model::ObjectCheck::known);
  EXPECT_EQ(passed(3, "term"), model::ObjectCheck::off);
}

TEST_F(WordPressObjects, UsersAreAuthorsByTheirPublishedPosts) {
  EXPECT_EQ(passed(7, "author"), model::ObjectCheck::published);
  for (const std::uint64_t id : {8U, 9U}) EXPECT_EQ(passed(id, "author"), model::ObjectCheck::off);
  site_.connection().execute("UPDATE wp_posts SET post_status = 'draft'");
  EXPECT_EQ(passed(7, "author"), model::ObjectCheck::off);
}

}  // namespace
