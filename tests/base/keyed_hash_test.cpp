#include "base/keyed_hash.h"

#include <gtest/gtest.h>

#include <string>

namespace {

using base::KeyedHash;
using base::SharedKey;

// The vectors in the authors' paper: key 00 01 ... 0f, and messages 00, 00 01, ... of each length.
TEST(KeyedHash, IsSipHash24) {
  SharedKey key{{0x0706050403020100U, 0x0f0e0d0c0b0a0908U}};
  const KeyedHash hash(key);
  std::string message;
  for (char c = 0; c < 15; ++c) message += c;
  EXPECT_EQ(hash(""), 0x726fdb47dd0e0e31U);
  EXPECT_EQ(hash(message.substr(0, 8)), 0x93f5f5799a932462U);
  EXPECT_EQ(hash(message), 0xa129ca6149be45e5U);
}

TEST(KeyedHash, IsTheSameForAllWhoShareTheKey) {
  SharedKey key{};
  EXPECT_EQ(KeyedHash(key)("object"), KeyedHash(key)("object"));
}

TEST(KeyedHash, DiffersWithTheKey) {
  SharedKey one{}, other{};
  EXPECT_NE(KeyedHash(one)("object"), KeyedHash(other)("object"));
}

}  // namespace
