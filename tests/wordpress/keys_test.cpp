#include "wordpress/keys.h"

#include <gtest/gtest.h>

#include "support/wordpress_vectors.h"

namespace {

using wordpress::KeyScheme;

config::WordPressKeys constants_of(const json::Value& vector) {
  const json::Value& constants = vectors::member(vector, "constants");
  const auto get = [&](std::string_view name) { return vectors::text(constants, name); };
  return {get("AUTH_KEY"),   get("SECURE_AUTH_KEY"), get("LOGGED_IN_KEY"),    get("NONCE_KEY"),
          get("SECRET_KEY"), get("AUTH_SALT"),       get("SECURE_AUTH_SALT"), get("LOGGED_IN_SALT"),
          get("NONCE_SALT"), get("SECRET_SALT")};
}

TEST(WpSalt, VectorsOfWordPress) {
  for (const json::Value& vector : vectors::array(vectors::topic("salts"))) {
    const auto option = [&](std::string_view name) -> std::optional<std::string> {
      const json::Value* const found = vectors::member(vector, "options").find(name);
      if (found == nullptr) return std::nullopt;
      return std::get<std::string>(found->data);
    };
    const json::Value& salts = vectors::member(vector, "salts");
    for (const auto& [scheme, name] :
         {std::pair(KeyScheme::auth, "auth"), std::pair(KeyScheme::logged_in, "logged_in"),
          std::pair(KeyScheme::nonce, "nonce")}) {
      EXPECT_EQ(wordpress::wp_salt(scheme, constants_of(vector), option),
                vectors::text(salts, name))
          << vectors::text(vector, "id") << " " << name;
    }
  }
}

TEST(WpSalt, IsNothingUntilWordPressHasMadeTheOptions) {
  const auto no_options = [](std::string_view) { return std::optional<std::string>(); };
  config::WordPressKeys constants;
  EXPECT_EQ(wordpress::wp_salt(KeyScheme::logged_in, constants, no_options), std::nullopt);
  constants.logged_in_key = "key";
  EXPECT_EQ(wordpress::wp_salt(KeyScheme::logged_in, constants, no_options), std::nullopt);
  constants.logged_in_salt = "salt";
  EXPECT_EQ(wordpress::wp_salt(KeyScheme::logged_in, constants, no_options), "keysalt");
}

TEST(WpSalt, AConstantThatIsThereTwiceCountsNowhere) {
  const auto option = [](std::string_view name) { return std::optional(std::string(name)); };
  config::WordPressKeys constants;
  constants.nonce_key = constants.secret_salt = "same";
  constants.nonce_salt = "salt";
  EXPECT_EQ(wordpress::wp_salt(KeyScheme::nonce, constants, option), "nonce_keysalt");
}

}  // namespace
