#include "base/crypto.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace base {
namespace {

std::string bytes(std::string_view hex) { return from_hex(hex).value(); }

// FIPS 180-2, appendix B, and the empty message.
TEST(Sha256, TestVectorsOfFips180) {
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(HmacSha256, TestVectorsOfRfc4231) {
  EXPECT_EQ(to_hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(to_hex(hmac_sha256(std::string(20, '\xaa'), std::string(50, '\xdd'))),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  EXPECT_EQ(to_hex(hmac_sha256(std::string(131, '\xaa'),
                               "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(HmacSha256, EmptyKeyAndMessageAreAllowed) {
  EXPECT_EQ(to_hex(hmac_sha256("", "")),
            "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

// Test case 3 of RFC 5869: no salt, no info. Its first 32 bytes are what a shorter key would be.
TEST(DeriveKey, TestVectorOfRfc5869) {
  EXPECT_EQ(to_hex(derive_key(std::string(22, '\x0b'), "")),
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d");
}

// HKDF spelled out in HMACs (RFC 5869 §2.2 and §2.3): no salt is a hash length of zeros.
TEST(DeriveKey, IsExtractThenExpand) {
  const std::string pseudorandom_key = hmac_sha256(std::string(32, '\0'), "secret");
  EXPECT_EQ(derive_key("secret", "voter cookie"),
            hmac_sha256(pseudorandom_key, "voter cookie\x01"));
}

TEST(DeriveKey, EachPurposeHasItsOwnKey) {
  EXPECT_NE(derive_key("secret", "a"), derive_key("secret", "b"));
  EXPECT_NE(derive_key("secret", "a"), derive_key("Secret", "a"));
}

TEST(Random, GivesOtherBytesEachTime) {
  EXPECT_EQ(random_bytes(32).size(), 32U);
  EXPECT_NE(random_bytes(32), random_bytes(32));
  EXPECT_NE(random_u64(), random_u64());
  EXPECT_EQ(random_bytes(0), "");
}

TEST(EqualsInConstantTime, ComparesAllBytes) {
  EXPECT_TRUE(equals_in_constant_time("", ""));
  EXPECT_TRUE(equals_in_constant_time(bytes("00ff01"), bytes("00ff01")));
  EXPECT_FALSE(equals_in_constant_time(bytes("00ff01"), bytes("00ff02")));
  EXPECT_FALSE(equals_in_constant_time(bytes("01ff01"), bytes("00ff01")));
  EXPECT_FALSE(equals_in_constant_time("abc", "ab"));
}

}  // namespace
}  // namespace base
