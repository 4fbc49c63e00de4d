#include "json/codec.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace json {
namespace {

using namespace std::string_literals;

Value parsed(std::string_view text) {
  auto value = parse(text);
  EXPECT_TRUE(value.has_value()) << text << ": " << (value ? "" : value.error().message);
  if (!value) return {};
  return std::move(*value);
}

// Returns the error message that the client receives for "text".
std::string error_of(std::string_view text) {
  const auto value = parse(text);
  if (value) return "none";
  return value.error().message + " at " + std::to_string(value.error().offset);
}

std::string written(const Value& value) {
  std::string out;
  Writer(out).value(value);
  return out;
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ParseJson, ReadsEveryKindOfValue) {
  EXPECT_TRUE(parsed("null").is_null());
  EXPECT_EQ(parsed(" true\t\r\n"), Value{true});
  EXPECT_EQ(parsed("false"), Value{false});
  EXPECT_EQ(parsed("12"), Value{Value::Number{"12"}});
  EXPECT_EQ(parsed("\"a\""), Value{"a"s});
  EXPECT_EQ(parsed("[]"), Value{Value::Array()});
  EXPECT_EQ(parsed("{}"), Value{Value::Object()});
  const Value::Array elements = {{Value::Number{"1"}}, {Value::Array{{"x"s}}}, {Value::Object()}};
  EXPECT_EQ(parsed("[1,[\"x\"],{}]"), Value{elements});
}

TEST(ParseJson, MembersKeepTheirOrderAndAreFound) {
  const Value value = parsed(R"({"b":1,"a":{"c":[2]},"":3})");
  const auto& members = std::get<Value::Object>(value.data);
  ASSERT_EQ(members.size(), 3U);
  EXPECT_EQ(members[0].first, "b");
  EXPECT_EQ(members[1].first, "a");
  ASSERT_NE(value.find("a"), nullptr);
  EXPECT_EQ(*value.find("a")->find("c"), parsed("[2]"));
  EXPECT_EQ(*value.find(""), parsed("3"));
  EXPECT_EQ(value.find("c"), nullptr);
  EXPECT_EQ(parsed("[1]").find("a"), nullptr);
}

TEST(ParseJson, NumbersKeepTheirText) {
  for (const auto* text : {"0", "-0", "0.10", "1E+2", "1e-999", "-12.50e-3", "9223372036854775808",
                           "0.1000000000000000055511151231257827021181583404541015625",
                           "123456789012345678901234567890"}) {
    EXPECT_EQ(parsed(text), Value{Value::Number{text}});
  }
}

TEST(ParseJson, RefusesWhatJsonDoesNotCallANumber) {
  for (const auto* text :
       {"NaN", "Infinity", "-Infinity", "+1", ".5", "5.", "01", "0x1", "1e", "1e+", "-", "--1"}) {
    EXPECT_FALSE(parse(text).has_value()) << text;
  }
  EXPECT_EQ(error_of("{\"value\":NaN}"), "not a value at 9");
  EXPECT_EQ(error_of("1e999"), "number too large at 0");
}

TEST(ParseJson, StringsAreUnescaped) {
  EXPECT_EQ(parsed(R"("\"\\\/\b\f\n\r\t\u0041\u20ac")"), Value{"\"\\/\b\f\n\r\tA\xE2\x82\xAC"s});
  EXPECT_EQ(parsed(R"("\ud83d\uDE00")"), Value{"\xF0\x9F\x98\x80"s});
  EXPECT_EQ(parsed(R"("a\u0000b")"), Value{"a\0b"s});
  EXPECT_EQ(parsed("\"\xE2\x82\xAC\""), Value{"\xE2\x82\xAC"s});
}

TEST(ParseJson, RefusesLoneSurrogates) {
  EXPECT_EQ(error_of(R"("\ud800")"), "lone surrogate at 1");
  EXPECT_EQ(error_of(R"("\ud800\u0041")"), "lone surrogate at 1");
  EXPECT_TRUE(error_of(R"("\udc00")").starts_with("lone surrogate"));
  EXPECT_TRUE(error_of(R"({"\udfff":1})").starts_with("lone surrogate"));
  EXPECT_TRUE(error_of(R"("\udc00\ud800")").starts_with("lone surrogate"));
}

TEST(ParseJson, RefusesBadUtf8) {
  for (const auto* bytes : {"\xFF", "\xC0\x80", "\xED\xA0\x80", "\xE2\x82", "\xF4\x90\x80\x80",
                            "\xF8\x88\x80\x80\x80", "\x80"}) {
    EXPECT_FALSE(parse("\""s + bytes + "\"").has_value());
    EXPECT_FALSE(parse("{\""s + bytes + "\":1}").has_value());
    EXPECT_FALSE(parse(bytes).has_value());
  }
  EXPECT_EQ(error_of("[\"ab\xFF\"]"), "bad UTF-8 at 4");
  EXPECT_EQ(error_of("\"ab\xF2"), "bad UTF-8 at 3");
}

TEST(ParseJson, RefusesBadSyntaxAndSaysWhere) {
  EXPECT_EQ(error_of(""), "no value at 0");
  EXPECT_EQ(error_of(" \n"), "no value at 2");
  EXPECT_EQ(error_of("{} x"), "more text after the value at 3");
  EXPECT_EQ(error_of("{'a':1}"), "expected a key in double quotes at 1");
  EXPECT_EQ(error_of("{\"a\":1,}"), "expected a key in double quotes at 7");
  EXPECT_EQ(error_of("{\"a\" 1}"), "expected ':' at 5");
  EXPECT_EQ(error_of("{\"a\":1"), "expected ',' or '}' at 6");
  EXPECT_EQ(error_of("[1 2]"), "expected ',' or ']' at 3");
  EXPECT_EQ(error_of("[1,]"), "not a value at 3");
  EXPECT_EQ(error_of("\"a"), "string without end at 2");
  EXPECT_EQ(error_of("\"a\nb\""), "bad escape or control character at 2");
  EXPECT_EQ(error_of("\"\\x\""), "bad escape or control character at 1");
  EXPECT_EQ(error_of("\"\\u12g4\""), "expected four hexadecimal digits after \\u at 1");
  EXPECT_EQ(error_of("1.e5"), "number without its last digits at 2");
  EXPECT_EQ(error_of("/* */ 1"), "not a value at 0");
  EXPECT_EQ(error_of("\xEF\xBB\xBF{}"), "not a value at 0");
}

TEST(ParseJson, NulDoesNotEndTheText) {
  EXPECT_EQ(error_of("{}\0{}"s), "more text after the value at 2");
  EXPECT_EQ(error_of("{}\0"s), "more text after the value at 2");
  EXPECT_FALSE(parse("\0"s).has_value());
  EXPECT_FALSE(parse("\"a\0b\""s).has_value());
}

TEST(ParseJson, DepthIsLimited) {
  EXPECT_EQ(written(parsed(nested(kMaxDepth))), nested(kMaxDepth));
  EXPECT_EQ(error_of(nested(kMaxDepth + 1)), "nested deeper than 32 at 33");
  EXPECT_EQ(error_of(std::string(1000000, '[')), "nested deeper than 32 at 33");
  std::string objects;
  for (int i = 0; i < 100; ++i) objects += "{\"a\":";
  EXPECT_EQ(error_of(objects), "nested deeper than 32 at 161");
}

TEST(ParseJson, RefusesDuplicateKeys) {
  EXPECT_EQ(error_of(R"({"value":1,"x":2,"value":3})"), "duplicate key \"value\" at 27");
  EXPECT_EQ(error_of(R"({"a":1,"\u0061":1})"), "duplicate key \"a\" at 18");
  EXPECT_EQ(error_of(R"([{"a":{"b":1,"b":1}}])"), "duplicate key \"b\" at 19");
  EXPECT_EQ(written(parsed(R"([{"a":1},{"a":{"a":1}}])")), R"([{"a":1},{"a":{"a":1}}])");
}

TEST(ParseJson, LongKeysAreNotRepeatedInTheError) {
  const std::string key(65, 'k');
  EXPECT_EQ(error_of("{\"" + key + "\":1,\"" + key + "\":2}"), "duplicate key at 141");
}

TEST(ParseJson, ManyKeysAreFine) {
  std::string text = "{";
  for (int i = 0; i < 200000; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  const Value value = parsed(text + "\"last\":1}");
  EXPECT_EQ(std::get<Value::Object>(value.data).size(), 200001U);
  EXPECT_TRUE(error_of(text + "\"k777\":1}").starts_with("duplicate key \"k777\""));
}

TEST(JsonWriter, PutsCommasWhereTheyBelong) {
  std::string out = "HEAD ";
  Writer json(out);
  json.begin_object().key("success").boolean(true).key("list").begin_array();
  json.integer(1).string("a").null().begin_object().end_object().begin_array().end_array();
  json.begin_object().key("x").integer(1).key("y").integer(2).end_object();
  json.end_array().key("raw").raw("{\"z\":0}").key("end").boolean(false).end_object();
  EXPECT_EQ(out,
            "HEAD {\"success\":true,\"list\":[1,\"a\",null,{},[],{\"x\":1,\"y\":2}],"
            "\"raw\":{\"z\":0},\"end\":false}");
}

TEST(JsonWriter, EscapesWhatJsonDemands) {
  std::string out;
  Writer(out).string("\"\\/\b\f\n\r\t\0\x1F\x7F<\xE2\x82\xAC"s);
  EXPECT_EQ(out, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7F<\xE2\x82\xAC\"");
}

TEST(JsonWriter, KeysAreEscapedToo) {
  std::string out;
  Writer(out).begin_object().key("a\"b\n").null().end_object();
  EXPECT_EQ(out, "{\"a\\\"b\\n\":null}");
}

TEST(JsonWriter, EveryByteOfAStringComesBack) {
  std::string text;
  for (char c = 0; c < 0x7F; ++c) text += c;
  EXPECT_EQ(parsed(written(Value{text})), Value{text});
}

TEST(JsonWriter, IntegersReachTheirLimits) {
  std::string out;
  Writer json(out);
  json.begin_array().integer(0).integer(std::numeric_limits<std::int64_t>::min());
  json.integer(std::numeric_limits<std::int64_t>::max());
  json.unsigned_integer(std::numeric_limits<std::uint64_t>::max()).end_array();
  EXPECT_EQ(out, "[0,-9223372036854775808,9223372036854775807,18446744073709551615]");
}

TEST(JsonWriter, DecimalsHaveNoTrailingZeros) {
  const auto decimal = [](std::int64_t value, int places) {
    std::string out;
    Writer(out).decimal(value, places);
    return out;
  };
  EXPECT_EQ(decimal(800, 3), "0.8");
  EXPECT_EQ(decimal(-1000, 3), "-1");
  EXPECT_EQ(decimal(0, 3), "0");
  EXPECT_EQ(decimal(1, 3), "0.001");
  EXPECT_EQ(decimal(-50, 3), "-0.05");
  EXPECT_EQ(decimal(7000, 4), "0.7");
  EXPECT_EQ(decimal(12345, 4), "1.2345");
  EXPECT_EQ(decimal(10010, 4), "1.001");
  EXPECT_EQ(decimal(120, 0), "120");
  EXPECT_EQ(decimal(std::numeric_limits<std::int64_t>::min(), 9), "-9223372036.854775808");
  EXPECT_EQ(decimal(std::numeric_limits<std::int64_t>::max(), 9), "9223372036.854775807");
}

TEST(JsonWriter, ValuesAreWrittenAsTheyWereRead) {
  const std::string text = R"({"a":[1.50,-0,1e5,null,true,false,"\n"],"b":{"c":{}},"":[[]]})";
  EXPECT_EQ(written(parsed(text)), text);
}

}  // namespace
}  // namespace json
