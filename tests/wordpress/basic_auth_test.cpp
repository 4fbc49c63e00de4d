// Tests the credentials of Basic authentication in lib/wordpress/credentials.h.

#include <gtest/gtest.h>

#include "base/text.h"
#include "wordpress/credentials.h"

namespace {

using wordpress::BasicCredentials;
using wordpress::parse_basic_auth;

std::string header(std::string_view text) { return "Basic " + base::to_base64(text); }

TEST(BasicAuth, SplitsAtTheFirstColon) {
  EXPECT_EQ(parse_basic_auth(header("ann:secret")), (BasicCredentials{"ann", "secret"}));
  EXPECT_EQ(parse_basic_auth(header("ann:se:cret:")), (BasicCredentials{"ann", "se:cret:"}));
  EXPECT_EQ(parse_basic_auth(header(":secret")), (BasicCredentials{"", "secret"}));
  EXPECT_EQ(parse_basic_auth(header("\xC3\xA9: \xC3\xA9 ")),
            (BasicCredentials{"\xC3\xA9", " \xC3\xA9 "}));
}

// base64("ann:secret") is YW5uOnNlY3JldA==
TEST(BasicAuth, ReadsWhatPhpReads) {
  const BasicCredentials ann{"ann", "secret"};
  for (const std::string_view text :
       {"basic YW5uOnNlY3JldA==", "BASIC YW5uOnNlY3JldA==", "Basic    YW5uOnNlY3JldA==",
        "Basic YW5uOnNlY3JldA",
        "Basic YW5u!OnNl-Y3Jl_dA=", "Basic YW5uOnNl=Y3JldA==", "Basic YW5uOnNlY3JldA== \t"}) {
    EXPECT_EQ(parse_basic_auth(text), ann) << text;
  }
}

TEST(BasicAuth, EverythingElseIsNoCredentials) {
  for (const std::string& text :
       {std::string(), std::string("Basic"), std::string("Basic "), std::string("Basic !!!"),
        std::string("BasicYW5uOnNlY3JldA=="), std::string("Bearer YW5uOnNlY3JldA=="),
        std::string("Digest username=\"ann\""), header("ann"), header("ann:"), header(":"),
        header(std::string_view("ann\0:secret", 11)), header(std::string_view("ann:sec\0ret", 11)),
        header("ann:" + std::string(9000, 'x'))}) {
    EXPECT_EQ(parse_basic_auth(text), std::nullopt) << text;
  }
}

}  // namespace
