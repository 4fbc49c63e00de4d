#include "http/parse.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"

namespace http {
namespace {

using Fields = std::vector<Field>;
using Kind = MultipartError::Kind;

Fields form(std::string_view text) {
  const auto fields = parse_form(text);
  EXPECT_TRUE(fields.has_value()) << text;
  return fields.value_or(Fields());
}

TEST(ParseForm, FieldsComeInOrder) {
  EXPECT_EQ(form("b=2&a=1&b=3"), (Fields{{"b", "2"}, {"a", "1"}, {"b", "3"}}));
}

TEST(ParseForm, NothingHasNoFields) {
  EXPECT_EQ(form(""), Fields());
  EXPECT_EQ(form("&&&"), Fields());
}

TEST(ParseForm, FieldWithoutEqualsSignHasAnEmptyValue) {
  EXPECT_EQ(form("a&b=&=c&="), (Fields{{"a", ""}, {"b", ""}, {"", "c"}, {"", ""}}));
}

TEST(ParseForm, OnlyTheFirstEqualsSignSeparates) {
  EXPECT_EQ(form("a=b=c=="), (Fields{{"a", "b=c=="}}));
}

TEST(ParseForm, DecodesNamesAndValues) {
  EXPECT_EQ(form("a+b=c+d"), (Fields{{"a b", "c d"}}));
  EXPECT_EQ(form("a%3Db=%26%2b%2B"), (Fields{{"a=b", "&++"}}));
  EXPECT_EQ(form("name=%E2%82%AC"), (Fields{{"name", "\xE2\x82\xAC"}}));
  EXPECT_EQ(form("a=%00"), (Fields{{"a", std::string(1, '\0')}}));
}

TEST(ParseForm, MalformedPercentStaysAsItStands) {
  EXPECT_EQ(form("a=100%&b=%zz&c=%4&d=%%41"),
            (Fields{{"a", "100%"}, {"b", "%zz"}, {"c", "%4"}, {"d", "%A"}}));
}

TEST(ParseForm, RefusesWhatIsNotUtf8AfterDecoding) {
  for (const auto* text : {"a=%FF", "%C0%80=1", "a=%ED%A0%80", "a=\xFF", "ok=1&a=%E2%82"}) {
    EXPECT_EQ(parse_form(text), tl::unexpected(FormError::bad_utf8)) << text;
  }
}

TEST(ParseForm, RefusesMoreFieldsThanTheLimit) {
  std::string text;
  for (std::size_t i = 0; i < kMaxFields; ++i) text += "a=1&";
  EXPECT_EQ(form(text).size(), kMaxFields);
  EXPECT_EQ(parse_form(text + "a"), tl::unexpected(FormError::too_many_fields));
}

TEST(PercentDecode, LeavesPlusAndMalformedSequences) {
  EXPECT_EQ(percent_decode("/a%2Fb+c"), "/a/b+c");
  EXPECT_EQ(percent_decode("%"), "%");
  EXPECT_EQ(percent_decode("%4"), "%4");
  EXPECT_EQ(percent_decode("%g1%1g%41"), "%g1%1gA");
  EXPECT_EQ(percent_decode("%2541"), "%41");
  EXPECT_EQ(percent_decode("%fF"), "\xFF");
}

using Values = std::vector<std::string>;

TEST(FindCookies, FindsTheValueAmongOthers) {
  const std::string_view header = "a=1; voter=xyz;b=2 ; c";
  EXPECT_EQ(find_cookies(header, "voter"), Values{"xyz"});
  EXPECT_EQ(find_cookies(header, "a"), Values{"1"});
  EXPECT_EQ(find_cookies(header, "b"), Values{"2"});
}

TEST(FindCookies, NamesMatchAsAWhole) {
  for (const char* header : {"xa=1; ab=2; A=3", "b=a=1", "", ";;  ;"}) {
    EXPECT_EQ(find_cookies(header, "a"), Values{}) << header;
  }
}

TEST(FindCookies, AllOfOneNameComeInTheirOrder) {
  EXPECT_EQ(find_cookies("a=1;b=3; a=2", "a"), (Values{"1", "2"}));
}

TEST(FindCookies, ValuesAreDecodedAsPhpDoesIt) {
  EXPECT_EQ(find_cookies("a=x%7Cy+z%zz", "a"), Values{"x|y+z%zz"});
  EXPECT_EQ(find_cookies("a=b=c=", "a"), Values{"b=c="});
}

TEST(FindCookies, WithoutAValueTheyAreEmpty) {
  EXPECT_EQ(find_cookies("a=; b", "a"), Values{""});
  EXPECT_EQ(find_cookies("a=; b", "b"), Values{""});
}

TEST(BodyType, KnowsJson) {
  for (const auto* type : {"", "application/json", "Application/JSON; charset=utf-8",
                           "application/json ;x", "application/problem+json"}) {
    EXPECT_EQ(body_type(type), BodyType::json) << type;
  }
}

TEST(BodyType, KnowsForms) {
  for (const auto* type : {"application/x-www-form-urlencoded", "text/plain;charset=UTF-8",
                           "APPLICATION/X-WWW-FORM-URLENCODED; charset=UTF-8", "text/html"}) {
    EXPECT_EQ(body_type(type), BodyType::form) << type;
  }
}

TEST(BodyType, KnowsMultipartForms) {
  EXPECT_EQ(body_type("multipart/form-data; boundary=b"), BodyType::multipart);
  EXPECT_EQ(body_type("multipart/mixed; boundary=b"), BodyType::other);
}

TEST(BodyType, AnythingElseIsOther) {
  for (const auto* type :
       {"application/xml", "json", "application/jsonp", "image/svg+json", "application/json/x"}) {
    EXPECT_EQ(body_type(type), BodyType::other) << type;
  }
}

TEST(MatchesEtag, FindsTheTagInAList) {
  EXPECT_TRUE(matches_etag(R"("abc")", R"("abc")"));
  EXPECT_TRUE(matches_etag(R"("x", "abc" ,"y")", R"("abc")"));
  EXPECT_TRUE(matches_etag(R"("a,b","abc")", R"("abc")"));
  EXPECT_TRUE(matches_etag(" * ", R"("abc")"));
}

TEST(MatchesEtag, WeakTagsMatchToo) {
  EXPECT_TRUE(matches_etag(R"(W/"abc")", R"("abc")"));
  EXPECT_TRUE(matches_etag(R"("x", W/"abc")", R"("abc")"));
}

TEST(MatchesEtag, OtherTextDoesNotMatch) {
  for (const auto* header : {"", "abc", R"("ab")", R"("abc)", R"(abc")", R"(w/"abc")", R"("x" abc)",
                             R"("*")", R"(*, "x")", R"("x",)", R"("x"; "abc")"}) {
    EXPECT_FALSE(matches_etag(header, R"("abc")")) << header;
  }
}

// mod_deflate and mod_brotli change the ETags of compressed responses.
TEST(MatchesEtag, SuffixesOfApacheAreIgnored) {
  for (const char* header :
       {"\"abc-gzip\"", "W/\"abc-gzip\"", "\"abc-br\"", "\"x\", \"abc-gzip\""}) {
    EXPECT_TRUE(matches_etag(header, "\"abc\"")) << header;
  }
  for (const char* header :
       {"\"abcgzip\"", "\"abc-gzi\"", "\"-gzip\"", "\"gzip\"", "\"abd-gzip\"", "\"x-br\""}) {
    EXPECT_FALSE(matches_etag(header, "\"abc\"")) << header;
  }
}

constexpr std::string_view kType = "multipart/form-data; boundary=b";

// Returns "text" with HTTP line endings (\r\n).
std::string lines(const std::string& text) { return base::replace_all(text, "\n", "\r\n"); }

std::string part(const std::string& headers, const std::string& value) {
  return lines("--b\n" + headers + "\n\n" + value + "\n");
}

std::string named(const std::string& name, const std::string& value) {
  return part("Content-Disposition: form-data; name=\"" + name + "\"", value);
}

Fields read(const std::string& body, std::string_view type = kType) {
  const auto fields = parse_multipart(type, body);
  EXPECT_TRUE(fields.has_value()) << body;
  return fields.value_or(Fields());
}

MultipartError error(const std::string& body, std::string_view type = kType) {
  const auto fields = parse_multipart(type, body);
  EXPECT_FALSE(fields.has_value()) << body;
  return fields ? MultipartError() : fields.error();
}

TEST(Multipart, FieldsComeInOrder) {
  EXPECT_EQ(read(named("b", "2") + named("a", "") + named("b", "3\n4") + "--b--\r\n"),
            (Fields{{"b", "2"}, {"a", ""}, {"b", "3\r\n4"}}));
  EXPECT_EQ(read("--b--"), Fields());
}

TEST(Multipart, BoundaryMayBeQuotedAndBesideOthers) {
  const std::string body = "--a b\r\nContent-Disposition: form-data; name=x\r\n\r\n1\r\n--a b--";
  EXPECT_EQ(read(body, "Multipart/Form-Data; charset=utf-8; Boundary=\"a b\""),
            (Fields{{"x", "1"}}));
}

// The parts in this test have headers in the formats that curl, browsers and older clients send.
TEST(Multipart, HeadersAreReadInTheirForms) {
  EXPECT_EQ(read(part("content-disposition:form-data ; NAME=\"a\"\nContent-Type: text/plain", "1") +
                 part("Content-Type: application/json\nContent-Disposition: form-data; name=\"b\"",
                      "{}") +
                 part("Content-Disposition: form-data; name=\"say \\\"c\\\"\"\n"
                      "Content-Transfer-Encoding: 8bit",
                      "2") +
                 "--b--"),
            (Fields{{"a", "1"}, {"b", "{}"}, {"say \"c\"", "2"}}));
}

// At the end of a body, undici sends no line break, .NET sends one line break, and other clients
// send several. Some clients send line breaks at the beginning of a body.
TEST(Multipart, LineEndsAroundTheBodyDiffer) {
  for (const char* before : {"", "\r\n", "\r\n\r\n"}) {
    for (const char* after : {"", "\r\n", "\r\n\r\n"}) {
      EXPECT_EQ(read(before + named("a", "1") + "--b--" + after), (Fields{{"a", "1"}}));
    }
  }
}

TEST(Multipart, ValueKeepsItsLineEnds) {
  for (const char* value : {"\n", "1\n", "1\n\n", "1\n\n\n", "\n--", "--c"}) {
    EXPECT_EQ(read(named("a", value) + "--b--"), (Fields{{"a", lines(value)}})) << value;
  }
}

TEST(Multipart, FileIsRefusedByItsName) {
  const std::string file = "Content-Disposition: form-data; name=\"value\"; filename=\"";
  EXPECT_EQ(error(part(file + "vote.txt\"", "1") + "--b--"),
            (MultipartError{Kind::has_file, "value"}));
  EXPECT_EQ(error(part(file + "\"", "1") + "--b--"), (MultipartError{Kind::has_file, "value"}));
  EXPECT_EQ(read(part(file + "\"", "") + named("a", "1") + "--b--"), (Fields{{"a", "1"}}))
      << "no file was chosen";
  EXPECT_EQ(
      error(part("Content-Disposition: form-data; name=value; filename*=utf-8''vote%20.txt", "1") +
            "--b--"),
      (MultipartError{Kind::has_file, "value"}))
      << "as .NET writes it";
}

TEST(Multipart, IncompleteBodyIsMalformed) {
  const std::string whole = named("a", "1") + "--b--";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(error(whole.substr(0, size)).kind, Kind::malformed) << size;
  }
}

TEST(Multipart, OtherFormsAreMalformed) {
  for (const std::string& body : {
           named("a", "1") + "--b--x",
           std::string("--b\nContent-Disposition: form-data; name=a\n\n1\n--b--"),
           part("Content-Type: text/plain", "1") + "--b--",
           part("Content-Disposition: attachment; name=a", "1") + "--b--",
           part("Content-Disposition: form-data; name=\"a", "1") + "--b--",
           part("Content-Disposition: form-data; name=\"a\" x", "1") + "--b--",
           part("Content-Disposition: form-data; name=a\nnonsense", "1") + "--b--",
           part("Content-Disposition: form-data; name=a\nContent-Transfer-Encoding: base64", "MQ") +
               "--b--",
       }) {
    EXPECT_EQ(error(body).kind, Kind::malformed) << body;
  }
}

TEST(Multipart, BodyBeginsWithTheBoundaryOfItsType) {
  const std::string good = named("a", "1") + "--b--";
  for (const char* type :
       {"multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=c",
        "multipart/form-data; boundary=\"b"}) {
    EXPECT_EQ(error(good, type).kind, Kind::no_boundary) << type;
  }
  EXPECT_EQ(error("x" + good).kind, Kind::no_boundary);
}

TEST(Multipart, TextIsUtf8) {
  EXPECT_EQ(error(named("a", "\xFF") + "--b--").kind, Kind::bad_utf8);
  EXPECT_EQ(error(named("\xFF", "a") + "--b--").kind, Kind::bad_utf8);
}

TEST(Multipart, NumberOfFieldsIsLimited) {
  std::string body;
  for (std::size_t i = 0; i < kMaxFields; ++i) body += named("a", "1");
  EXPECT_EQ(read(body + "--b--").size(), kMaxFields);
  EXPECT_EQ(error(body + named("a", "1") + "--b--").kind, Kind::too_many_fields);
}

}  // namespace

}  // namespace http
