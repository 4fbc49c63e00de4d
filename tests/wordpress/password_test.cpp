#include "wordpress/password.h"

#include <crypt.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/text.h"
#include "support/clock.h"
#include "support/wordpress_vectors.h"

namespace {

using wordpress::is_account_password;

// ratingd accepts every hash that any WordPress release accepts. WordPress supports "$wp" hashes
// from 6.8 on, and "$H$" hashes only up to 6.7.
TEST(AccountPassword, VectorsOfWordPress) {
  for (const json::Value& vector : vectors::array(vectors::topic("password_hash"))) {
    const std::string& hash = vectors::text(vector, "hash");
    const bool is_supported = !hash.starts_with("$argon2");
    const bool expected = is_supported && !vectors::array(vector, "accepted_by").empty();
    const std::string password = base::from_hex(vectors::text(vector, "password_hex")).value();
    EXPECT_EQ(is_account_password(password, hash), expected) << vectors::text(vector, "id");
  }
}

// The examples are from the SHA-crypt specification.
TEST(AccountPassword, ShaCrypt) {
  for (const std::string_view hash :
       {"$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5",
        "$5$rounds=10000$saltstringsaltst$3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA",
        "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/"
        "O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEO"
        "faS35inz1"}) {
    EXPECT_TRUE(is_account_password("Hello world!", hash)) << hash;
    EXPECT_FALSE(is_account_password("Hello world?", hash)) << hash;
  }
}

TEST(AccountPassword, NothingButItsOwnHashLetsAPasswordIn) {
  for (const std::string_view hash :
       {"", "*", "*0", "*1", "$", "$wp", "$wp$", "$P$", "$2y$", "$2y$10$", "$wp$2y$10$", "$6$",
        "secret-secret-secret-secret-secret-secret", "$argon2id$v=19$m=1024,t=2,p=1$c2FsdA$aGFzaA",
        "$2y$10$.............................................................",
        "$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/......",
        "$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9"}) {
    EXPECT_FALSE(is_account_password("secret", hash)) << hash;
    EXPECT_FALSE(is_account_password("", hash)) << hash;
    EXPECT_FALSE(is_account_password(hash, hash)) << hash;
  }
}

// ratingd rejects password hashes that would take from seconds to years to check.
TEST(AccountPassword, HashesThatAskForTooMuchWorkMatchNothing) {
  const std::string tail = "XK3SfW4nQh0pR7vYc1LtEuM8bDzJ2wGqA5xUi9ZsNkHoTyFPeVrCm";
  EXPECT_FALSE(is_account_password("secret", "$2y$31$" + tail));
  EXPECT_FALSE(is_account_password("secret", "$wp$2y$15$" + tail));
  EXPECT_FALSE(is_account_password("secret", "$P$SaltSaltSdigestdigestdigestdig0"));
  EXPECT_FALSE(is_account_password(
      "secret", "$6$rounds=999999999$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBn"));
}

// libcrypt computes the dummy hash completely, so a dummy check takes as long as a real check.
TEST(AccountPassword, TheHashOfNobodyIsWellFormed) {
  const std::string hash(wordpress::kDummyHash.substr(3));
  const auto state = std::make_unique<crypt_data>();
  const char* const result = crypt_r("password", hash.c_str(), state.get());
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(std::string_view(result).size(), hash.size());
  EXPECT_EQ(std::string_view(result).substr(0, 29), hash.substr(0, 29));
  EXPECT_FALSE(is_account_password("password", wordpress::kDummyHash));
}

TEST(AccountPassword, WhatFollowsANulIsNotCutOff) {
  const std::string hash = "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5";
  ASSERT_TRUE(is_account_password("Hello world!", hash));
  EXPECT_FALSE(is_account_password(std::string_view("Hello world!\0x", 14), hash));
}

TEST(AccountPassword, PortableHashesHaveOneLength) {
  const std::string hash = "$P$Bgft.bTG0L6ZnvSS259gSlLB2WvFy5/";
  ASSERT_TRUE(is_account_password("aB3dE5gH7jK9mN1pQ3sT5vX7", hash));
  EXPECT_FALSE(is_account_password("aB3dE5gH7jK9mN1pQ3sT5vX7", hash + "/"));
  EXPECT_FALSE(is_account_password("aB3dE5gH7jK9mN1pQ3sT5vX7", hash.substr(0, 33)));
}

TEST(FastHash, VectorsOfWordPress) {
  for (const json::Value& vector : vectors::array(vectors::topic("fast_hash"))) {
    const std::string message = base::from_hex(vectors::text(vector, "message_hex")).value();
    EXPECT_EQ(wordpress::fast_hash(message), vectors::text(vector, "hash"));
  }
}

TEST(NormalizedAppPassword, KeepsAsciiLettersAndDigitsOnly) {
  EXPECT_EQ(wordpress::normalized_app_password("aB3d E5gH\t-_\xC3\xA9!7"), "aB3dE5gH7");
  EXPECT_EQ(wordpress::normalized_app_password("---"), "");
}

using support::kNow;
using wordpress::VerifiedPasswordCache;

TEST(VerifiedPasswordCache, EntryLivesHalfAMinuteAfterItsLastUse) {
  VerifiedPasswordCache memory("key");
  EXPECT_FALSE(memory.contains("password", "stored", kNow));
  memory.fill("password", "stored", kNow);
  EXPECT_TRUE(memory.contains("password", "stored", kNow));
  EXPECT_TRUE(memory.contains("password", "stored", kNow + std::chrono::seconds(29)));
  EXPECT_TRUE(memory.contains("password", "stored", kNow + std::chrono::seconds(58)));
  EXPECT_FALSE(memory.contains("password", "stored", kNow + std::chrono::seconds(88)));
}

TEST(VerifiedPasswordCache, EntryDependsOnTheStoredHash) {
  VerifiedPasswordCache memory("key");
  memory.fill("password", "stored", kNow);
  EXPECT_FALSE(memory.contains("password", "changed", kNow));
  EXPECT_FALSE(memory.contains("passwords", "tored", kNow));
  EXPECT_FALSE(memory.contains("Password", "stored", kNow));
}

TEST(VerifiedPasswordCache, HoldsManyAndEvictsTheRest) {
  VerifiedPasswordCache memory("key");
  for (int i = 0; i < 10'000; ++i) memory.fill(std::to_string(i), "stored", kNow);
  EXPECT_TRUE(memory.contains("9999", "stored", kNow));
  int known = 0;
  for (int i = 0; i < 10'000; ++i) known += memory.contains(std::to_string(i), "stored", kNow);
  EXPECT_LE(known, 256);
  EXPECT_GT(known, 200);
}

}  // namespace
