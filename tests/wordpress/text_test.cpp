#include "wordpress/text.h"

#include <gtest/gtest.h>

namespace {

using wordpress::is_email;
using wordpress::normalized_login;
using wordpress::without_tags;
using namespace std::string_literals;

TEST(WithoutTags, RemovesTagsAsPhpDoes) {
  EXPECT_EQ(without_tags(""), "");
  EXPECT_EQ(without_tags("<b>Editor.Joe</b>"), "Editor.Joe");
  EXPECT_EQ(without_tags("a<b"), "a");
  EXPECT_EQ(without_tags("a < b"), "a < b");
  EXPECT_EQ(without_tags("a<\tb"), "a<\tb");
  EXPECT_EQ(without_tags("a>b"), "a>b");
  EXPECT_EQ(without_tags("1<2>3"), "13");
  EXPECT_EQ(without_tags("a<x y=\">\">b"), "ab");
  EXPECT_EQ(without_tags("a\0b"s), "ab");
}

TEST(WithoutTags, RemovesScriptsAndStylesWithTheirContent) {
  EXPECT_EQ(without_tags("Joe<script>x</script>y"), "Joey");
  EXPECT_EQ(without_tags("Joe<STYLE>x</style>y"), "Joey");
  EXPECT_EQ(without_tags("Joe<style a=\"1\">x</STYLE >y"), "Joexy");
  EXPECT_EQ(without_tags("Joe<script>y"), "Joey");
}

TEST(WithoutTags, RemovesCommentsDeclarationsAndCode) {
  EXPECT_EQ(without_tags("a<!-- b -->c"), "ac");
  EXPECT_EQ(without_tags("a<!-- b>c"), "a");
  EXPECT_EQ(without_tags("<!DOCTYPE html>a"), "a");
  EXPECT_EQ(without_tags("a<?php echo 1 ?>b"), "ab");
}

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
