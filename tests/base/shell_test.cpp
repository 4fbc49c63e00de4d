#include "base/shell.h"

#include <gtest/gtest.h>

namespace {

TEST(ShellQuoted, PlainWordsStayAsTheyAre) {
  for (const char* word : {"/etc/ratingd/accounts.sql", "db1.example.org", "fe80::1%eth0", "-u",
                           "https://example.org:8080/wp-json/ratingd/v1/rate"}) {
    EXPECT_EQ(base::shell_quoted(word), word);
  }
}

TEST(ShellQuoted, OthersMeanNothingToAShell) {
  EXPECT_EQ(base::shell_quoted(""), "''");
  EXPECT_EQ(base::shell_quoted("a b"), "'a b'");
  EXPECT_EQ(base::shell_quoted("/x.sock;touch${IFS}pwned;#"), "'/x.sock;touch${IFS}pwned;#'");
  EXPECT_EQ(base::shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(base::shell_quoted("~/x"), "'~/x'");
  EXPECT_EQ(base::shell_quoted("`x`"), "'`x`'");
}

}  // namespace
