#include "wordpress/wordpress.h"

#include <gtest/gtest.h>

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

}  // namespace
