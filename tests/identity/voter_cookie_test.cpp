// Tests the anonymous voter's cookie in lib/identity/requester.h.

#include <gtest/gtest.h>

#include "identity/requester.h"

namespace {

using namespace std::chrono_literals;

const identity::KeyRing kCookieKeys = {
    {"cookie key", "new key", "address key", "counter key", "agent key"}};
const std::chrono::sys_seconds kIssued{std::chrono::seconds{1'795'000'000}};
const identity::VoterCookie kCookie{model::kAnonymousBit | 0x1234, kIssued};
constexpr auto kLife = 24h;

TEST(VoterCookie, ComesBackAsItWasWritten) {
  const std::string text = write_voter_cookie(kCookie, kCookieKeys);
  EXPECT_EQ(read_voter_cookie(text, kCookieKeys, kIssued + 1h, kLife), kCookie);
}

// Cookies have the same form as in version 0.1, because workers with version 0.1 read the cookies
// during an upgrade.
TEST(VoterCookie, HasTheFormOfVersion01) {
  EXPECT_EQ(read_voter_cookie("8000000000001234.6afd86c0.n.3Xrc1T__Y6LfKSjBvByLmQ", kCookieKeys,
                              kIssued, kLife),
            kCookie);
  EXPECT_EQ(read_voter_cookie("8000000000001234.6afd86c0.s.3szx9uHv8YiOlyFNDZ0zXw", kCookieKeys,
                              kIssued, kLife),
            kCookie);
  EXPECT_EQ(write_voter_cookie(kCookie, kCookieKeys),
            "8000000000001234.6afd86c0.s.3szx9uHv8YiOlyFNDZ0zXw");
}

TEST(VoterCookie, EveryChangedByteMakesItInvalid) {
  const std::string text = write_voter_cookie(kCookie, kCookieKeys);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string forged = text;
    forged[i] = forged[i] == 'x' ? 'y' : 'x';
    EXPECT_EQ(read_voter_cookie(forged, kCookieKeys, kIssued, kLife), std::nullopt) << i;
  }
}

TEST(VoterCookie, EveryTruncationMakesItInvalid) {
  const std::string text = write_voter_cookie(kCookie, kCookieKeys);
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_EQ(read_voter_cookie(text.substr(0, length), kCookieKeys, kIssued, kLife), std::nullopt);
  }
  EXPECT_EQ(read_voter_cookie(text + "x", kCookieKeys, kIssued, kLife), std::nullopt);
  EXPECT_EQ(read_voter_cookie(text + std::string(5000, '.'), kCookieKeys, kIssued, kLife),
            std::nullopt);
}

TEST(VoterCookie, LivesAsLongAsItIsAllowedTo) {
  const std::string text = write_voter_cookie(kCookie, kCookieKeys);
  EXPECT_TRUE(read_voter_cookie(text, kCookieKeys, kIssued + kLife, kLife));
  EXPECT_FALSE(read_voter_cookie(text, kCookieKeys, kIssued + kLife + 1s, kLife));
}

TEST(VoterCookie, MayBeMadeByAClockThatIsADayAhead) {
  const std::string text = write_voter_cookie(kCookie, kCookieKeys);
  EXPECT_TRUE(read_voter_cookie(text, kCookieKeys, kIssued - 24h, kLife));
  EXPECT_FALSE(read_voter_cookie(text, kCookieKeys, kIssued - 24h - 1s, kLife));
}

TEST(VoterCookie, OfTheSecretBeforeIsStillValidWhileItIsReplaced) {
  const std::string text = write_voter_cookie(kCookie, kCookieKeys);
  const identity::KeyRing rotated = {{"new key", "", "", "", ""}, kCookieKeys.front()};
  EXPECT_EQ(read_voter_cookie(text, rotated, kIssued, kLife), kCookie);
  EXPECT_FALSE(identity::read_voter_cookie(text, {rotated.front()}, kIssued, kLife));
}

TEST(VoterCookie, NeverNamesARegisteredUser) {
  const identity::VoterCookie user{1, kIssued};
  const std::string text = write_voter_cookie(user, kCookieKeys);
  EXPECT_FALSE(read_voter_cookie(text, kCookieKeys, kIssued, kLife));
}

}  // namespace
