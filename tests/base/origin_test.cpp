#include "base/origin.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(OriginOf, TakesSchemeHostAndPort) {
  EXPECT_EQ(origin_of("https://example.org"), "https://example.org");
  EXPECT_EQ(origin_of("HTTP://Example.ORG/blog/?p=1#x"), "http://example.org");
  EXPECT_EQ(origin_of("http://127.0.0.1:8080/"), "http://127.0.0.1:8080");
  EXPECT_EQ(origin_of("https://[2001:DB8::1]:8443"), "https://[2001:db8::1]:8443");
  EXPECT_EQ(origin_of("http://[::1]"), "http://[::1]");
  EXPECT_EQ(origin_of("https://example.org?x"), "https://example.org");
}

TEST(OriginOf, LeavesOutTheSchemesOwnPort) {
  EXPECT_EQ(origin_of("http://example.org:80"), "http://example.org");
  EXPECT_EQ(origin_of("https://example.org:443/x"), "https://example.org");
  EXPECT_EQ(origin_of("https://example.org:0443"), "https://example.org");
  EXPECT_EQ(origin_of("https://example.org:"), "https://example.org");
  EXPECT_EQ(origin_of("http://example.org:443"), "http://example.org:443");
}

TEST(OriginOf, UserAndPasswordAreNoPartOfIt) {
  EXPECT_EQ(origin_of("https://example.org@evil.test"), "https://evil.test");
  EXPECT_EQ(origin_of("https://a:b@c@example.org:444/@x"), "https://example.org:444");
  EXPECT_EQ(origin_of("https://evil.test\\@example.org"), "https://evil.test");
}

TEST(OriginOf, OtherTextHasNone) {
  for (const auto* text : {"",
                           "null",
                           "example.org",
                           "//example.org",
                           "ftp://example.org",
                           "http:/example.org",
                           "http://",
                           "http:///x",
                           "http://:80",
                           "http://exa mple.org",
                           "http://ex%61mple.org",
                           "http://\xC3\xBC.example",
                           "http://example.org:65536",
                           "http://example.org:80x",
                           "http://example.org:-1",
                           "http://[::1",
                           "http://[]",
                           "http://[::1]80",
                           "http://[x]",
                           "http://[abx",
                           "http://a[::1]",
                           " http://example.org"}) {
    EXPECT_EQ(origin_of(text), std::nullopt) << text;
  }
}

}  // namespace
TEST(Origin, HasAHost) {
  EXPECT_EQ(base::host_of("https://example.org"), "example.org");
  EXPECT_EQ(base::host_of("http://example.org:8080"), "example.org");
  EXPECT_EQ(base::host_of("http://[2001:db8::1]:8080"), "[2001:db8::1]");
  EXPECT_EQ(base::host_of("http://[2001:db8::1]"), "[2001:db8::1]");
}

TEST(Origin, IsFollowedByAPath) {
  EXPECT_EQ(base::path_of("https://example.org"), "");
  EXPECT_EQ(base::path_of("https://example.org/"), "");
  EXPECT_EQ(base::path_of("https://example.org?a=/b"), "");
  EXPECT_EQ(base::path_of("https://example.org:8443/blog/"), "/blog");
  EXPECT_EQ(base::path_of("HTTP://u@example.org/a/b//?c#d"), "/a/b");
  EXPECT_EQ(base::path_of("example.org/blog"), std::nullopt);
  EXPECT_EQ(base::path_of(""), std::nullopt);
}

}  // namespace base
