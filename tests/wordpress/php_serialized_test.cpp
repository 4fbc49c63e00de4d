#include "wordpress/php_serialized.h"

#include <gtest/gtest.h>

namespace wordpress {
namespace {

PhpValue parsed(std::string_view text) {
  const auto value = parse_php_serialized(text);
  EXPECT_TRUE(value) << text;
  return value.value_or(PhpValue());
}

PhpValue of_text(std::string text) { return PhpValue{std::move(text)}; }

std::string nested(std::size_t depth) {
  std::string text;
  for (std::size_t i = 1; i < depth; ++i) text += "a:1:{i:0;";
  text += "N;";
  return text.append(depth - 1, '}');
}

TEST(PhpSerialized, ReadsScalars) {
  EXPECT_EQ(parsed("N;"), PhpValue{nullptr});
  EXPECT_EQ(parsed("b:1;"), PhpValue{true});
  EXPECT_EQ(parsed("b:0;"), PhpValue{false});
  EXPECT_EQ(parsed("i:-9223372036854775808;"), PhpValue{std::int64_t{INT64_MIN}});
  EXPECT_EQ(parsed("i:+5;"), PhpValue{std::int64_t{5}});
  EXPECT_EQ(parsed("d:2.5;"), PhpValue{PhpValue::Float{"2.5"}});
  EXPECT_EQ(parsed("d:1.0E+25;"), PhpValue{PhpValue::Float{"1.0E+25"}});
  EXPECT_EQ(parsed("d:-INF;"), PhpValue{PhpValue::Float{"-INF"}});
  EXPECT_EQ(parsed("s:0:\"\";"), of_text(""));
}

TEST(PhpSerialized, StringsCountBytesAndHoldAnything) {
  EXPECT_EQ(parsed("s:8:\"a\";b:1;}\";"), of_text("a\";b:1;}"));
  EXPECT_EQ(parsed("s:2:\"\xC3\xA9\";"), of_text("\xC3\xA9"));
  EXPECT_EQ(parsed(std::string_view("s:1:\"\0\";", 8)), of_text(std::string(1, '\0')));
}

TEST(PhpSerialized, ArraysKeepTheirOrder) {
  const PhpValue value = parsed("a:3:{s:1:\"b\";i:1;i:7;i:2;s:1:\"a\";a:1:{i:-3;N;}}");
  const auto* items = value.as_array();
  ASSERT_NE(items, nullptr);
  ASSERT_EQ(items->size(), 3U);
  EXPECT_EQ((*items)[0].first, "b");
  EXPECT_EQ((*items)[1].first, "7");
  ASSERT_NE((*items)[2].second.find("-3"), nullptr);
  EXPECT_EQ(value.find("c"), nullptr);
}

// PHP turns the key "7" into the number 7.
TEST(PhpSerialized, ALaterValueReplacesAnEarlierOneAtItsPlace) {
  const PhpValue value = parsed("a:3:{i:7;i:1;s:1:\"x\";i:2;s:1:\"7\";i:3;}");
  ASSERT_EQ(value.as_array()->size(), 2U);
  EXPECT_EQ(value.as_array()->front(), PhpItem("7", PhpValue{std::int64_t{3}}));
}

TEST(PhpSerialized, ObjectsAndReferencesAreNeverArrays) {
  const PhpValue opaque{PhpValue::Opaque{}};
  EXPECT_EQ(parsed("O:8:\"stdClass\":1:{s:5:\"admin\";b:1;}"), opaque);
  EXPECT_EQ(parsed("C:11:\"ArrayObject\":4:{a;}{}"), opaque);
  EXPECT_EQ(parsed("E:10:\"Suit:Clubs\";"), opaque);
  const PhpValue value = parsed("a:3:{i:0;r:1;i:1;R:2;i:2;O:1:\"A\":0:{}}");
  for (const auto& [key, item] : *value.as_array()) EXPECT_EQ(item, opaque) << key;
}

TEST(PhpSerialized, BlanksAroundAndSomeBytesBehindAreLetPass) {
  const PhpValue value = parsed("a:1:{i:0;b:1;}");
  EXPECT_EQ(parsed(" \t\r\n\v a:1:{i:0;b:1;}\n"), value);
  EXPECT_EQ(parsed(std::string_view("\0a:1:{i:0;b:1;}\0", 16)), value);
  EXPECT_EQ(parsed("a:1:{i:0;b:1;}x}"), value);
  EXPECT_EQ(parsed("a:1:{i:0;b:1;}x;"), value);
  EXPECT_FALSE(parse_php_serialized("a:1:{i:0;b:1;}garbage"));
}

TEST(PhpSerialized, DamagedTextIsNothing) {
  for (const std::string_view text : {"",
                                      " ",
                                      ";",
                                      "}",
                                      "N",
                                      "N:;",
                                      "administrator",
                                      "a;",
                                      "b:2;",
                                      "b:;",
                                      "b:01;",
                                      "i:;",
                                      "i:-;",
                                      "i:+-5;",
                                      "i:5.0;",
                                      "i:0x5;",
                                      "i:9223372036854775808;",
                                      "d:;",
                                      "d:five;",
                                      "d:nan(1);",
                                      "d:0x1p3;",
                                      "s:1:\"\";",
                                      "s:3:\"ab\";",
                                      "s:1:\"ab\";",
                                      "s:-1:\"\";",
                                      "s:+1:\"a\";",
                                      "s:1:'a';",
                                      "s:99999999999999999999:\"a\";",
                                      "s:18446744073709551615:\"\";",
                                      "S:1:\"a\";",
                                      "a:1:{}",
                                      "a:0:{i:0;N;}",
                                      "a:2:{i:0;N;}",
                                      "a:-1:{}",
                                      "a:1:{i:0;N;",
                                      "a:1:{b:1;N;}",
                                      "a:1:{N;N;}",
                                      "a:1:{d:1;N;}",
                                      "a:1:{i:0;}",
                                      "a:1:i:0;N;}",
                                      "a:1:{i:0;x;}",
                                      "a:9223372036854775807:{}",
                                      "O:1:\"A\":1:{}",
                                      "O:2:\"A\":0:{}",
                                      "O:1:\"A\";",
                                      "C:1:\"A\":9:{}",
                                      "E:1:\"A\"",
                                      "r:x;",
                                      "x:1;",
                                      "a:1:{a:0:{}N;}"}) {
    EXPECT_FALSE(parse_php_serialized(text)) << text;
  }
}

TEST(PhpSerialized, EveryTruncationIsNothing) {
  const std::string text = "a:2:{s:1:\"a\";a:1:{i:0;d:0.5;}s:1:\"b\";O:1:\"A\":1:{s:1:\"c\";N;}}";
  ASSERT_TRUE(parse_php_serialized(text));
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(parse_php_serialized(text.substr(0, length))) << length;
  }
}

TEST(PhpSerialized, DepthAndSizeHaveBounds) {
  EXPECT_TRUE(parse_php_serialized(nested(kMaxPhpDepth)));
  EXPECT_FALSE(parse_php_serialized(nested(kMaxPhpDepth + 1)));
  EXPECT_FALSE(parse_php_serialized(nested(10'000)));

  const auto list = [](std::size_t size) {
    std::string text = "a:" + std::to_string(size) + ":{";
    for (std::size_t i = 0; i < size; ++i) text += "i:" + std::to_string(i) + ";N;";
    return text + "}";
  };
  EXPECT_TRUE(parse_php_serialized(list(kMaxPhpValues - 1)));
  EXPECT_FALSE(parse_php_serialized(list(kMaxPhpValues)));

  const auto string_of = [](std::size_t size) {
    return "s:" + std::to_string(size) + ":\"" + std::string(size, 'x') + "\";";
  };
  EXPECT_TRUE(parse_php_serialized(string_of(kMaxPhpBytes - 100)));
  EXPECT_FALSE(parse_php_serialized(string_of(kMaxPhpBytes)));
}

TEST(PhpValue, IsTrueWherePhpSaysSo) {
  for (const std::string_view text : {"b:1;", "i:1;", "i:-1;", "d:0.5;", "d:-INF;", "d:NAN;",
                                      "s:1:\"1\";", "s:3:\"0.0\";", "s:1:\" \";", "a:1:{i:0;N;}"}) {
    EXPECT_TRUE(parsed(text).is_true()) << text;
  }
  for (const std::string_view text :
       {"N;", "b:0;", "i:0;", "d:0;", "d:-0.0;", "d:0E+5;", "s:0:\"\";", "s:1:\"0\";", "a:0:{}"}) {
    EXPECT_FALSE(parsed(text).is_true()) << text;
  }
}

TEST(PhpValue, WhatIsNotReadGrantsNothing) {
  EXPECT_FALSE(parsed("O:8:\"stdClass\":0:{}").is_true());
}

}  // namespace
}  // namespace wordpress
