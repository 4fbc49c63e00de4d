#include "wordpress/strip_tags.h"

#include <gtest/gtest.h>

namespace {

using wordpress::without_tags;
using namespace std::string_literals;

// What PHP 8.2 makes of the same texts with the two steps of wp_strip_all_tags().
TEST(StripTags, RemovesTagsAsPhpDoes) {
  EXPECT_EQ(without_tags(""), "");
  EXPECT_EQ(without_tags("<b>Editor.Joe</b>"), "Editor.Joe");
  EXPECT_EQ(without_tags("a<b"), "a");
  EXPECT_EQ(without_tags("a < b"), "a < b");
  EXPECT_EQ(without_tags("a<\tb"), "a<\tb");
  EXPECT_EQ(without_tags("a>b"), "a>b");
  EXPECT_EQ(without_tags("1<2>3"), "13");
  EXPECT_EQ(without_tags("a<x y=\">\">b"), "ab");
  EXPECT_EQ(without_tags("<b<i>x>y"), "y");
  EXPECT_EQ(without_tags("a\0b"s), "ab");
}

TEST(StripTags, RemovesScriptsAndStylesWithTheirContent) {
  EXPECT_EQ(without_tags("Joe<script>x</script>y"), "Joey");
  EXPECT_EQ(without_tags("Joe<STYLE>x</style>y"), "Joey");
  EXPECT_EQ(without_tags("Joe<style a=\"1\">x</STYLE >y"), "Joexy");
  EXPECT_EQ(without_tags("Joe<script>y"), "Joey");
}

TEST(StripTags, RemovesCommentsDeclarationsAndCode) {
  EXPECT_EQ(without_tags("a<!-- b -->c"), "ac");
  EXPECT_EQ(without_tags("a<!-- b>c"), "a");
  EXPECT_EQ(without_tags("<!DOCTYPE html>a"), "a");
  EXPECT_EQ(without_tags("a<!DOCTYPE \"-->b\">c"), "ac");
  EXPECT_EQ(without_tags("a<?php echo 1 ?>b"), "ab");
  EXPECT_EQ(without_tags("x<?xml a?-->b>c"), "xc");
}

// Texts about which a plausible reading of PHP's code is wrong.
TEST(StripTags, KeepsTheCornersOfPhp) {
  EXPECT_EQ(without_tags("<?xml<-->>doctypel<!<SCRIPT-->bla&x;-->"), "");
  EXPECT_EQ(without_tags("\"</script><!ascript-doctype</script>(>&x;"), "\"&x;");
  EXPECT_EQ(without_tags("?s<?xml&x;-<!--)-->\"<b>-->L"), "?s\"");
}

}  // namespace
