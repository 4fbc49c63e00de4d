#include "base/crypto.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"

namespace base {
namespace {

std::string bytes(std::string_view hex) { return from_hex(hex).value(); }

// Except for the empty message, the test vectors are from FIPS 180-2, appendix B.
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

TEST(Md5, TestVectorsOfRfc1321) {
  EXPECT_EQ(to_hex(md5("")), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(to_hex(md5("message digest")), "f96b697d7cb7938d525a2f31aaf161d0");
}

TEST(Md5Rounds, EachRoundTakesTheOneBefore) {
  EXPECT_EQ(md5_rounds("start", "suffix", 0), "start");
  EXPECT_EQ(md5_rounds("start", "suffix", 1), md5("startsuffix"));
  EXPECT_EQ(md5_rounds("start", "suffix", 3), md5(md5(md5("startsuffix") + "suffix") + "suffix"));
}

TEST(HmacMd5, TestVectorsOfRfc2202) {
  EXPECT_EQ(to_hex(hmac_md5(std::string(16, '\x0b'), "Hi There")),
            "9294727a3638bb1c13f48ef8158bfc9d");
  EXPECT_EQ(to_hex(hmac_md5("Jefe", "what do ya want for nothing?")),
            "750c783e6ab0b503eaa86e310a5db738");
}

TEST(HmacSha384, TestVectorOfRfc4231) {
  EXPECT_EQ(to_hex(hmac_sha384("Jefe", "what do ya want for nothing?")),
            "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e"
            "8e2240ca5e69e2c78b3239ecfab21649");
}

// The expected hash is the first test vector with a key in BLAKE2's reference code.
TEST(KeyedBlake2b, TestVectorOfTheReferenceCode) {
  std::string key;
  for (char c = 0; c < 64; ++c) key += c;
  EXPECT_EQ(to_hex(keyed_blake2b(key, "", 64)),
            "10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786"
            "b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568");
}

// BLAKE2b also hashes the length of the digest, so a shorter digest is not a prefix of a longer
// digest.
TEST(KeyedBlake2b, AShorterDigestIsAnotherOne) {
  const std::string digest = keyed_blake2b("key", "message", 30);
  EXPECT_EQ(digest.size(), 30U);
  EXPECT_NE(digest, keyed_blake2b("key", "message", 64).substr(0, 30));
}

// Test case 3 in RFC 5869 has neither salt nor info. The expected key is the first 32 bytes of the
// RFC's key.
TEST(DeriveKey, TestVectorOfRfc5869) {
  EXPECT_EQ(to_hex(derive_key(std::string(22, '\x0b'), "")),
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d");
}

// The expected key is computed with HMACs, as in RFC 5869 §2.2 and §2.3. If no salt is given, the
// RFC uses a string of zero bytes as long as a hash.
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

// These keys were generated with the openssl command.
constexpr const char* kP256Pem =
    "-----BEGIN PUBLIC KEY-----\n"
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEuGKIAxuQ5Qgnb9/e/3mBYopVPyA6\n"
    "3SJyU44CM4OqJqYwrnJabFegk5sXBESSFZxlr2BpNhuybPbP7Gp0QZH9bw==\n"
    "-----END PUBLIC KEY-----\n";
constexpr const char* kP384Pem =
    "-----BEGIN PUBLIC KEY-----\n"
    "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEJhX8qJItFIda6mVth9lXQu5BQh7BPcgN\n"
    "ODOXoGAOQZJfBtGWSGHsNsWpZEFMPMYqXT0AcSYECMEVk60PGZQdb4x3reYZ5YPR\n"
    "89OLrxy5T71QPIn4cLO7Rg3sygsuniRM\n"
    "-----END PUBLIC KEY-----\n";
constexpr const char* kRsaPem =
    "-----BEGIN PUBLIC KEY-----\n"
    "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC9hFsprvJBWExPqi6N2nG0p80b\n"
    "W3sKExgS9/xO1wJlkTfU3osism6F0tDq/AjncJTVWEkkYXNftEiD67eJRiuFFyr0\n"
    "uF6sPyxuVNHZl4oMnGhBvoH4bzpTahQw66ewM+UVkNXDylN/UuudY1EFK0BWybOR\n"
    "Xpj8ciXBkLjHCS42BQIDAQAB\n"
    "-----END PUBLIC KEY-----\n";
constexpr const char* kEd25519Pem =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEADF9T0qFCy6DlMcWG922grbjO7ZAc+o5CJavCLuXBBnE=\n"
    "-----END PUBLIC KEY-----\n";

TEST(P256PublicKey, IsReadAsItsCoordinates) {
  const auto key = p256_public_key(kP256Pem);
  ASSERT_TRUE(key) << key.error();
  EXPECT_EQ(to_hex(*key),
            "b86288031b90e508276fdfdeff7981628a553f203add2272538e023383aa26a6"
            "30ae725a6c57a0939b17044492159c65af6069361bb26cf6cfec6a744191fd6f");
}

TEST(P256PublicKey, OfAnyOtherKindIsRefusedWithWhatItIs) {
  EXPECT_EQ(p256_public_key(kP384Pem).error(), "its key is of another curve");
  EXPECT_EQ(p256_public_key(kRsaPem).error(), "its key is not of an elliptic curve");
  EXPECT_EQ(p256_public_key(kEd25519Pem).error(), "its key is not of an elliptic curve");
  EXPECT_EQ(p256_public_key("").error(), "it has no public key in PEM");
  EXPECT_EQ(p256_public_key("-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----\n").error(),
            "it has no public key in PEM");
  for (const char* kind : {"PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"}) {
    const std::string pem = "-----BEGIN " + std::string(kind) + "-----\nMFkw\n";
    EXPECT_EQ(p256_public_key(pem).error(), "it has a private key, which must not leave its owner");
    EXPECT_FALSE(p256_public_key(kP256Pem + pem));
  }
}

TEST(P256PublicKey, MustBeAPointOfTheCurve) {
  std::string pem = kP256Pem;
  pem.replace(pem.find("H9bw=="), 6, "H9bQ==");  // another y
  EXPECT_EQ(p256_public_key(pem).error(), "it has no public key in PEM");
}

// In the test vectors from the SipHash paper, each byte of the key and of the message equals its
// index.
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

}  // namespace base
