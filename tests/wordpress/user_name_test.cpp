#include "wordpress/user_name.h"

#include <gtest/gtest.h>

namespace {

using wordpress::is_email;
using wordpress::normalized_login;

TEST(UserName, IsWithoutWhatWordPressTakesOut) {
  EXPECT_EQ(normalized_login("Editor.Joe"), "Editor.Joe");
  EXPECT_EQ(normalized_login("  Editor.Joe \t"), "Editor.Joe");
  EXPECT_EQ(normalized_login("Editor%20.Joe"), "Editor.Joe");
  EXPECT_EQ(normalized_login("100% sure %zz %4"), "100% sure %zz %4");
  EXPECT_EQ(normalized_login("a&amp;b&#38;c"), "abc");
  EXPECT_EQ(normalized_login("a&;b & c"), "a&;b & c");
  EXPECT_EQ(normalized_login("John \t\n Doe"), "John Doe");
  EXPECT_EQ(normalized_login("<b>Editor.Joe</b>"), "Editor.Joe");
  EXPECT_EQ(normalized_login("<b> Joe </b> "), "Joe");
  EXPECT_EQ(normalized_login("Joe<script>x</script>"), "Joe");
  EXPECT_EQ(normalized_login("Joe < "), "Joe");
  EXPECT_EQ(normalized_login("Joe < Jane"), "Joe < Jane");
  EXPECT_EQ(normalized_login("a%3<b>1</b>b"), "ab");
  EXPECT_EQ(normalized_login(""), "");
}

TEST(UserName, IsAnEmailAddressAsWordPressHasIt) {
  for (const char* address : {"joe@example.org", "a@b.co", "o'neil+x@sub.example.org"}) {
    EXPECT_TRUE(is_email(address)) << address;
  }
  for (const char* text : {"", "a@b.c", "joe", "@example.org", "joe@example", "joe@.org",
                           "joe@example..org", "joe@example.org.", "joe@-a.org", "joe@a-.org",
                           "joe@exa mple.org", "jo e@example.org", "joe@a@b.org"}) {
    EXPECT_FALSE(is_email(text)) << text;
  }
}

}  // namespace
