#include "wordpress/users.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/wordpress_vectors.h"

namespace {

const std::string& default_roles() {
  return vectors::text(vectors::topic("capabilities"), "default_user_roles");
}

TEST(WpRoles, VectorsOfWordPress) {
  for (const json::Value& vector : vectors::array(vectors::topic("capabilities"), "cases")) {
    const json::Value* const own_roles = vector.find("user_roles");
    const wordpress::Roles roles = wordpress::parse_roles(
        own_roles == nullptr ? default_roles() : std::get<std::string>(own_roles->data));
    const auto capabilities =
        wordpress::capabilities_of(vectors::text(vector, "capabilities_meta"), roles);
    for (const char* const capability : {"manage_options", "read"}) {
      EXPECT_EQ(wordpress::can(capabilities, capability), vectors::flag(vector, capability))
          << vectors::text(vector, "id") << " " << capability;
    }
  }
}

TEST(WpRoles, VectorsOfANetwork) {
  const wordpress::Roles roles = wordpress::parse_roles(default_roles());
  for (const json::Value& vector : vectors::array(vectors::topic("capabilities_multisite"))) {
    const auto capabilities =
        wordpress::capabilities_of(vectors::text(vector, "capabilities_meta"), roles);
    const auto logins = wordpress::parse_super_admins(vectors::text(vector, "site_admins"));
    const bool is_super = std::ranges::find(logins, vectors::text(vector, "login")) != logins.end();
    EXPECT_EQ(is_super, vectors::flag(vector, "super")) << vectors::text(vector, "id");
    for (const char* const capability : {"manage_options", "read"}) {
      EXPECT_EQ(is_super || wordpress::can(capabilities, capability),
                vectors::flag(vector, capability))
          << vectors::text(vector, "id") << " " << capability;
    }
  }
}

TEST(WpRoles, TheRolesOfAStockSiteAreFive) {
  const wordpress::Roles roles = wordpress::parse_roles(default_roles());
  EXPECT_EQ(roles.size(), 5U);
  EXPECT_TRUE(wordpress::can(roles.at("editor"), "edit_others_posts"));
  EXPECT_FALSE(wordpress::can(roles.at("editor"), "list_users"));
  EXPECT_TRUE(wordpress::can(roles.at("administrator"), "list_users"));
}

TEST(WpRoles, ALaterRoleOverridesAnEarlierOne) {
  const wordpress::Roles roles = wordpress::parse_roles(
      "a:2:{s:3:\"yes\";a:1:{s:12:\"capabilities\";a:1:{s:4:\"rate\";b:1;}}"
      "s:2:\"no\";a:1:{s:12:\"capabilities\";a:1:{s:4:\"rate\";b:0;}}}");
  const auto rate = [&](std::string_view meta) {
    return wordpress::can(wordpress::capabilities_of(meta, roles), "rate");
  };
  EXPECT_TRUE(rate("a:2:{s:2:\"no\";b:1;s:3:\"yes\";b:1;}"));
  EXPECT_FALSE(rate("a:2:{s:3:\"yes\";b:1;s:2:\"no\";b:1;}"));
}

TEST(WpRoles, DamagedRolesGrantNothing) {
  EXPECT_TRUE(wordpress::parse_roles("").empty());
  EXPECT_TRUE(wordpress::parse_roles("O:5:\"Roles\":1:{s:5:\"admin\";a:0:{}}").empty());
  const wordpress::Roles roles = wordpress::parse_roles(
      "a:3:{s:1:\"a\";N;s:1:\"b\";a:0:{}s:1:\"c\";a:1:{s:12:\"capabilities\";s:3:\"all\";}}");
  EXPECT_EQ(roles.size(), 3U);
  for (const auto& [name, capabilities] : roles) EXPECT_TRUE(capabilities.empty()) << name;
}

TEST(SuperAdmin, IsAdminWhereNoneIsNamed) {
  EXPECT_EQ(wordpress::parse_super_admins(std::nullopt), std::vector<std::string>{"admin"});
  EXPECT_TRUE(wordpress::parse_super_admins("").empty());
  EXPECT_TRUE(wordpress::parse_super_admins("s:5:\"admin\";").empty());
  EXPECT_TRUE(wordpress::parse_super_admins("a:1:{i:0;i:5;}").empty());
}

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
