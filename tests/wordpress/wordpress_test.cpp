#include "wordpress/wordpress.h"

#include <gtest/gtest.h>

#include "config/config.h"
#include "support/database.h"
#include "support/wordpress_site.h"

namespace {

config::Config with_salts() {
  config::Config config;
  config.keys.auth_key = "auth key";
  config.keys.auth_salt = "auth salt";
  return config;
}

// echo hash_hmac('sha256', 'ratingd ticket', 'auth keyauth salt');
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

TEST_F(WordPressAddresses, LoginIsUnknownWithoutTheAddressOfTheFiles) {
  site_.set_option("home", "https://example.org");
  EXPECT_EQ(read().login, std::nullopt);
}

}  // namespace
