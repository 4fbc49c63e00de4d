#include "base/text.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace base {
namespace {

using namespace std::string_literals;

TEST(Hex, IsLowerCaseAndReadsEither) {
  EXPECT_EQ(to_hex("\x00\x0F\xA5\xFF"s), "000fa5ff");
  EXPECT_EQ(to_hex(""), "");
  EXPECT_EQ(from_hex("000Fa5fF"), "\x00\x0F\xA5\xFF"s);
  EXPECT_EQ(from_hex(""), "");
}

TEST(Hex, OtherTextIsNone) {
  for (const auto& text : {"0"s, "0g"s, "g0"s, " 00"s, "0x00"s, "00\0"s, "\0\0"s}) {
    EXPECT_EQ(from_hex(text), std::nullopt) << text;
  }
}

TEST(Base64Url, TestVectorsOfRfc4648) {
  EXPECT_EQ(to_base64url(""), "");
  EXPECT_EQ(to_base64url("f"), "Zg");
  EXPECT_EQ(to_base64url("fo"), "Zm8");
  EXPECT_EQ(to_base64url("foo"), "Zm9v");
  EXPECT_EQ(to_base64url("foob"), "Zm9vYg");
  EXPECT_EQ(to_base64url("fooba"), "Zm9vYmE");
  EXPECT_EQ(to_base64url("foobar"), "Zm9vYmFy");
}

TEST(Base64Url, IsReadAsItIsWritten) {
  for (const std::string bytes : {"", "f", "fo", "foo", "foob", "\xFB\xEF\xFF"}) {
    EXPECT_EQ(from_base64url(to_base64url(bytes)), bytes);
  }
}

TEST(Base64Url, OfAnyOtherFormIsRefused) {
  // The following strings are invalid because of padding, the characters "+" and "/", white space,
  // an incomplete byte, nonzero unused bits, or a non-ASCII byte.
  for (const char* text :
       {"Zg==", "Zg=", "++//", "Zm 9v", "Zm9v\n", "Z", "Zh", "Zm9vYmF", "\xFF"}) {
    EXPECT_EQ(from_base64url(text), std::nullopt) << text;
  }
}

TEST(Base64Url, UsesTheUrlAlphabet) { EXPECT_EQ(to_base64url("\xFB\xEF\xFF"), "--__"); }

TEST(Base64, TestVectorsOfRfc4648) {
  for (const auto& [bytes, text] :
       {std::pair("", ""), std::pair("f", "Zg=="), std::pair("fo", "Zm8="),
        std::pair("foo", "Zm9v"), std::pair("foob", "Zm9vYg=="), std::pair("fooba", "Zm9vYmE="),
        std::pair("foobar", "Zm9vYmFy"), std::pair("\xFB\xFF\xBF", "+/+/")}) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64_like_php(text), bytes);
  }
}

TEST(Base64, IsReadAsPhpReadsIt) {
  EXPECT_EQ(from_base64_like_php("Zm9vYg"), "foob");
  EXPECT_EQ(from_base64_like_php("Zg==Zg=="), "f\x06`"s);
  EXPECT_EQ(from_base64_like_php(" Z\nm\0-9_v!"s), "foo");
  EXPECT_EQ(from_base64_like_php("Zm9vY"), "foo");
  EXPECT_EQ(from_base64_like_php("===="), "");
}

TEST(Utf8, AcceptsTheFirstAndLastOfEachLength) {
  for (const auto& text :
       {""s, "\0"s, "\x7F"s, "\xC2\x80"s, "\xDF\xBF"s, "\xE0\xA0\x80"s, "\xED\x9F\xBF"s,
        "\xEE\x80\x80"s, "\xEF\xBF\xBF"s, "\xF0\x90\x80\x80"s, "\xF4\x8F\xBF\xBF"s}) {
    EXPECT_TRUE(is_utf8(text)) << to_hex(text);
    EXPECT_TRUE(is_utf8("a" + text + "b")) << to_hex(text);
  }
}

TEST(Utf8, RefusesOverlongFormsSurrogatesAndWhatIsBeyondUnicode) {
  for (const auto& text :
       {"\xC0\x80"s, "\xC1\xBF"s, "\xE0\x9F\xBF"s, "\xF0\x8F\xBF\xBF"s, "\xED\xA0\x80"s,
        "\xED\xBF\xBF"s, "\xF4\x90\x80\x80"s, "\xF5\x80\x80\x80"s, "\xFF"s}) {
    EXPECT_FALSE(is_utf8(text)) << to_hex(text);
  }
}

TEST(Utf8, RefusesBrokenSequences) {
  for (const auto& text : {"\x80"s, "\xBF"s, "\xC2"s, "\xC2\x41"s, "\xE2\x82"s, "\xE2\x82\x41"s,
                           "\xE2\x41\x82"s, "\xF0\x9F\x98"s, "\xF0\x9F\x98\xC0"s}) {
    EXPECT_FALSE(is_utf8(text)) << to_hex(text);
    EXPECT_FALSE(is_utf8("a" + text)) << to_hex(text);
  }
}

TEST(Text, LowerCaseConcernsAsciiOnly) {
  EXPECT_EQ(to_lower("AZ@[az\xC3\x84"), "az@[az\xC3\x84");
  EXPECT_TRUE(equals_ignoring_case("Content-Type", "cONTENT-tYPE"));
  EXPECT_FALSE(equals_ignoring_case("abc", "ab"));
  EXPECT_FALSE(equals_ignoring_case("@", "`"));
  EXPECT_TRUE(contains_ignoring_case("curl/8.5.0", "CURL"));
  EXPECT_TRUE(contains_ignoring_case("curl", ""));
  EXPECT_TRUE(contains_ignoring_case("", ""));
  EXPECT_FALSE(contains_ignoring_case("curl", "curl/"));
}

TEST(Text, TrimTakesSpacesAndTabsFromBothEnds) {
  EXPECT_EQ(trim(" \ta b\t "), "a b");
  EXPECT_EQ(trim("a"), "a");
  EXPECT_EQ(trim(" \t "), "");
  EXPECT_EQ(trim(""), "");
  EXPECT_EQ(trim("\na"), "\na");
}

TEST(Text, TrimLikePhpTakesLineEndsAndNulsToo) {
  EXPECT_EQ(trim_like_php("\0 \t\n\r\va\0b\v\r\n\t \0"s), "a\0b"s);
  EXPECT_EQ(trim_like_php("\0"s), "");
  EXPECT_EQ(trim_like_php("\fa\f"), "\fa\f");
}

TEST(Bytes, ControlCharactersAreShownAndLettersStay) {
  EXPECT_EQ(base::printable("http://example.org/caf\xc3\xa9"), "http://example.org/caf\xc3\xa9");
  EXPECT_EQ(base::printable(std::string_view("a\n\x1b[2J\x7f\0b", 9)), "a\\x0a\\x1b[2J\\x7f\\x00b");
  EXPECT_EQ(base::printable("a\xc2\x9b"
                            "b\xc2\xa0"),
            "a\\xc2\\x9bb\xc2\xa0");
  EXPECT_EQ(base::printable("\xe9t\xe9"), "\\xe9t\\xe9");
  EXPECT_EQ(base::printable(""), "");
}

// NOLINTBEGIN(misc-misleading-bidirectional)
TEST(Printable, CharactersThatReorderOrHideTextAreEscaped) {
  for (const std::string character :
       {"\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066",     "\u2067",
        "\u2068", "\u2069", "\u200e", "\u200f", "\u061c", "\u200b",     "\u200c",
        "\u200d", "\u2060", "\u2064", "\u206f", "\ufeff", "\u00ad",     "\u034f",
        "\u180e", "\u2028", "\u2029", "\u3164", "\ufff9", "\U0001d173", "\U000e0041"}) {
    std::string escaped;
    for (const char byte : character) escaped += "\\x" + base::to_hex({&byte, 1});
    EXPECT_EQ(base::printable("a" + character + "b"), "a" + escaped + "b");
  }
  EXPECT_EQ(base::printable("gpj\u202e.exe"), "gpj\\xe2\\x80\\xae.exe");
}
// NOLINTEND(misc-misleading-bidirectional)

TEST(Printable, LettersOfAllScriptsStay) {
  for (const std::string text : {"\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627",
                                 "\u0939\u093f\u0928\u094d\u0926\u0940", "\u65e5\u672c\u8a9e",
                                 "caf\u00e9 \u2013 \u201cna\u00efve\u201d \u2026",
                                 "\u2764\ufe0f \U0001f600", "\u2027\u202f\u205f\u2070"}) {
    EXPECT_EQ(base::printable(text), text);
  }
}

TEST(Printable, LinesKeepTheirEnds) {
  EXPECT_EQ(base::printable_lines("a\x1b[2J\nb\r\n\nc\t"), "a\\x1b[2J\nb\\x0d\n\nc\\x09");
  EXPECT_EQ(base::printable_lines(""), "");
}

TEST(Bytes, EveryMarkIsReplacedOnce) {
  EXPECT_EQ(base::replace_all("{a} and {a}", "{a}", "{a}b"), "{a}b and {a}b");
  EXPECT_EQ(base::replace_all("aaa", "aa", ""), "a");
  EXPECT_EQ(base::replace_all("", "a", "b"), "");
}

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

TEST(EditDistance, CountsInsertedRemovedAndChangedBytes) {
  EXPECT_EQ(edit_distance("threads", "threads"), 0U);
  EXPECT_EQ(edit_distance("thread", "threads"), 1U);
  EXPECT_EQ(edit_distance("hreads", "threads"), 1U);
  EXPECT_EQ(edit_distance("threats", "threads"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(EditDistance, ToNothingIsTheLength) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
}

TEST(ParseNumber, TakesAllOfTheTextOrNothing) {
  EXPECT_EQ(parse_number<int>("-42"), -42);
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_number<std::uint64_t>("ff", 16), 255U);
  EXPECT_EQ(parse_number<double>("0.5"), 0.5);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "x", "99999999999"}) {
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_number<unsigned>("-1"), std::nullopt);
}

TEST(TakeUntil, RemovesThePartAndItsSeparator) {
  std::string_view text = "a,b c,";
  EXPECT_EQ(take_until(text, ','), "a");
  EXPECT_EQ(take_until(text, ", "), "b");
  EXPECT_EQ(text, "c,");
  EXPECT_EQ(take_until(text, ';'), "c,");
  EXPECT_EQ(take_until(text, ';'), "");
  EXPECT_TRUE(text.empty());
}

}  // namespace

}  // namespace base
