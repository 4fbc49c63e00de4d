// Tests WordPress's application passwords in lib/wordpress/password.h.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/wordpress_vectors.h"
#include "wordpress/password.h"

namespace {

using wordpress::is_app_password;

constexpr std::string_view kPassword = "aB3dE5gH7jK9mN1pQ3sT5vX7";
const std::string kEntry =
    "a:1:{s:8:\"password\";s:49:\"$generic$_6JEcQ8dWaMlOGaDKxpGy1nUGidz33LBl6GH2AC5\";}";

// ratingd accepts every password that any WordPress release accepts. WordPress 6.7 and earlier
// reject two of the correct passwords, because these versions do not support the hash formats. The
// test does not cover how WordPress finds the user or when WordPress ignores Basic authentication.
TEST(AppPassword, VectorsOfWordPress) {
  for (const json::Value& vector : vectors::array(vectors::topic("application_password"))) {
    const std::string& id = vectors::text(vector, "id");
    const bool is_known_later = id == "app_fmt_generic" || id == "app_fmt_wp";
    EXPECT_EQ(is_app_password(vectors::text(vector, "password"), vectors::text(vector, "list")),
              is_known_later || !vectors::array(vector, "accepted_by").empty())
        << id;
  }
}

TEST(AppPassword, EntriesThatAreDamagedDoNotHideOthers) {
  EXPECT_TRUE(is_app_password(kPassword, "a:1:{i:0;" + kEntry + "}"));
  EXPECT_TRUE(is_app_password(
      kPassword, "a:4:{i:0;N;i:1;a:1:{s:8:\"password\";i:5;}i:2;a:0:{}s:1:\"x\";" + kEntry + "}"));
}

TEST(AppPassword, AListThatIsNoneHoldsNoPasswords) {
  const std::string list = "a:1:{i:0;" + kEntry + "}";
  for (std::size_t length = 0; length < list.size(); ++length) {
    EXPECT_FALSE(is_app_password(kPassword, list.substr(0, length))) << length;
  }
  EXPECT_FALSE(is_app_password(kPassword, "O:8:\"stdClass\":1:{s:1:\"a\";" + kEntry + "}"));
  EXPECT_FALSE(is_app_password(kPassword, "a:2:{i:0;" + kEntry + "}"));
}

std::string list_of(const std::vector<std::string>& hashes) {
  std::string list = "a:" + std::to_string(hashes.size()) + ":{";
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    list += "i:" + std::to_string(i) +
            ";a:1:{s:8:\"password\";s:" + std::to_string(hashes[i].size()) + ":\"" + hashes[i] +
            "\";}";
  }
  return list + "}";
}

TEST(AppPassword, FewEntriesThatAreSlowToCompareAreCompared) {
  const std::string right = "$P$5saltsalt8PJ7.1UMm.P2JwvPRmkDm1",
                    wrong = "$P$5saltsaltsaltsaltsaltsaltsaltsa";
  std::vector<std::string> hashes(99, wrong);
  hashes.push_back(right);
  EXPECT_TRUE(is_app_password(kPassword, list_of(hashes)));
  hashes.insert(hashes.begin(), wrong);
  EXPECT_FALSE(is_app_password(kPassword, list_of(hashes)));
  hashes.push_back(wordpress::fast_hash(kPassword));
  EXPECT_TRUE(is_app_password(kPassword, list_of(hashes)));
}

TEST(AppPassword, APasswordThatWordPressCannotHaveMadeIsNotHashed) {
  const std::string longest(64, 'a'), longer(65, 'a');
  EXPECT_TRUE(is_app_password(longest, list_of({wordpress::fast_hash(longest)})));
  EXPECT_FALSE(is_app_password(longer, list_of({wordpress::fast_hash(longer)})));
}

TEST(AppPassword, AnOverLongPasswordIsNotHashed) {
  const std::string list = "a:1:{i:0;" + kEntry + "}";
  EXPECT_TRUE(is_app_password(std::string(kPassword) + std::string(4000, ' '), list));
  EXPECT_FALSE(is_app_password(std::string(kPassword) + std::string(5000, ' '), list));
}

}  // namespace
