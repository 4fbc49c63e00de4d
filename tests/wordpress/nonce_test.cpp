// Tests WordPress's nonces in lib/wordpress/credentials.h.

#include <gtest/gtest.h>

#include "support/wordpress_vectors.h"
#include "wordpress/credentials.h"

namespace {

wordpress::NonceHolder holder_of(const json::Value& nonce) {
  return {static_cast<std::uint64_t>(vectors::integer(nonce, "user")),
          vectors::text(nonce, "token")};
}

TEST(RestNonce, IsMadeAsWordPressMakesIt) {
  for (const json::Value& vector : vectors::array(vectors::topic("nonce"))) {
    const std::string& salt = vectors::text(vector, "salt");
    for (const json::Value& nonce : vectors::array(vector, "nonces")) {
      EXPECT_EQ(
          wordpress::create_rest_nonce(holder_of(nonce), salt, vectors::time(vector, "created_at")),
          vectors::text(nonce, "nonce"));
    }
  }
}

TEST(RestNonce, IsValidAsLongAsWordPressSays) {
  for (const json::Value& vector : vectors::array(vectors::topic("nonce"))) {
    const std::string& salt = vectors::text(vector, "salt");
    for (const json::Value& moment : vectors::array(vector, "verify_at")) {
      const base::Time at = vectors::time(moment, "at");
      for (const json::Value& nonce : vectors::array(vector, "nonces")) {
        EXPECT_EQ(
            wordpress::is_rest_nonce(vectors::text(nonce, "nonce"), holder_of(nonce), salt, at),
            vectors::flag(moment, "valid"))
            << vectors::integer(vector, "created_at") << " at " << vectors::integer(moment, "at");
      }
    }
  }
}

TEST(RestNonce, OfAnotherActionUserOrTokenIsNone) {
  const json::Value& vector = vectors::array(vectors::topic("nonce")).front();
  const std::string& salt = vectors::text(vector, "salt");
  const base::Time now = vectors::time(vector, "created_at");
  const auto& nonces = vectors::array(vector, "nonces");
  for (const json::Value& asked : nonces) {
    const wordpress::NonceHolder holder = holder_of(asked);
    EXPECT_FALSE(
        wordpress::is_rest_nonce(vectors::text(asked, "of_other_action"), holder, salt, now));
    for (const json::Value& given : nonces) {
      EXPECT_EQ(wordpress::is_rest_nonce(vectors::text(given, "nonce"), holder, salt, now),
                &asked == &given);
    }
  }
}

TEST(RestNonce, IsItsTenDigitsAndNothingElse) {
  const base::Time now{std::chrono::seconds(1'750'010'400)};
  const wordpress::NonceHolder holder{1, "token"};
  const std::string nonce = wordpress::create_rest_nonce(holder, "salt", now);
  ASSERT_EQ(nonce.size(), 10U);
  for (const std::string& text :
       {std::string(), std::string("0"), nonce.substr(1), nonce.substr(0, 9), nonce + "0",
        " " + nonce, std::string(10'000, 'a')}) {
    EXPECT_FALSE(wordpress::is_rest_nonce(text, holder, "salt", now)) << text;
  }
  EXPECT_FALSE(wordpress::is_rest_nonce(nonce, holder, "other salt", now));
}

// A nonce changes every half day. The exact moment of the change belongs to the earlier half day.
TEST(RestNonce, ChangesASecondAfterTheBorder) {
  const base::Time border{std::chrono::seconds(43'200 * 40'509LL)};
  const auto at = [](base::Time now) { return wordpress::create_rest_nonce({}, "salt", now); };
  EXPECT_EQ(at(border), at(border - std::chrono::hours(11)));
  EXPECT_EQ(at(border), at(border + std::chrono::microseconds(999'999)));
  EXPECT_NE(at(border), at(border + std::chrono::seconds(1)));
}

}  // namespace
