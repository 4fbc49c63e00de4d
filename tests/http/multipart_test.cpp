#include "http/multipart.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"

namespace http {
namespace {

using Fields = std::vector<Field>;
using Kind = MultipartError::Kind;

constexpr std::string_view kType = "multipart/form-data; boundary=b";

// Returns "text" with HTTP's line ends.
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

// The forms of curl, browsers and older clients.
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

// undici ends a body without a line end, .NET with one, other clients with several. Some clients
// begin the body with line ends.
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
           "x" + named("a", "1") + "--b--",
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
  const std::string good = named("a", "1") + "--b--";
  for (const char* type :
       {"multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=c",
        "multipart/form-data; boundary=\"b"}) {
    EXPECT_EQ(error(good, type).kind, Kind::malformed) << type;
  }
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
