#include "base/csv.h"

#include <gtest/gtest.h>

namespace {

using base::csv_text;
using base::parse_csv_record;
using Fields = std::vector<std::string>;

TEST(Csv, QuotesWhatRfc4180SaysTo) {
  EXPECT_EQ(csv_text("plain"), "plain");
  EXPECT_EQ(csv_text("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_text("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_text("two\r\nlines"), "\"two\r\nlines\"");
  EXPECT_EQ(csv_text(""), "");
}

TEST(Csv, TextIsNeverAFormula) {
  EXPECT_EQ(csv_text("=cmd()"), "'=cmd()");
  EXPECT_EQ(csv_text("=1,2"), "\"'=1,2\"");
  for (const char* text : {"+1", "-1", "@SUM(A1)", "\tx", "  =x", "＝x", "＠x"}) {
    EXPECT_EQ(csv_text(text), std::string("'") + text);
  }
  EXPECT_EQ(csv_text("\r=x"), "\"'\r'=x\"");
  EXPECT_EQ(csv_text("a=b"), "a=b");
}

TEST(Csv, TextIsNoFormulaForOtherSeparatorsEither) {
  EXPECT_EQ(csv_text("x;=cmd|' /C calc'!A0"), "x;'=cmd|' /C calc'!A0");
  EXPECT_EQ(csv_text("x; +1;-2"), "x;' +1;'-2");
  EXPECT_EQ(csv_text("x\t＝y"), "x\t'＝y");
  EXPECT_EQ(csv_text("x\n@y"), "\"x\n'@y\"");
  EXPECT_EQ(csv_text("a;b; c"), "a;b; c");
}

TEST(Csv, FieldsComeBack) {
  std::string record;
  const Fields fields = {"plain", "",   "a,b", "say \"hi\"", "two\r\nlines", "=1",   "'", "'=1",
                         "''x",   "\"", ";'x", "a;=1;b",     "\t'=",         "\r=x", "\n"};
  for (const std::string& field : fields) {
    if (&field != &fields.front()) record += ',';
    record += csv_text(field);
  }
  EXPECT_EQ(parse_csv_record(record), fields);
  EXPECT_EQ(parse_csv_record(""), Fields{""});
  EXPECT_EQ(parse_csv_record(","), (Fields{"", ""}));
}

TEST(Csv, QuotesInWrongPlacesAreRefused) {
  for (const char* record : {"\"open", "a\"b", "\"a\"b", "\"a\" ,b", "a,\""}) {
    EXPECT_EQ(parse_csv_record(record), std::nullopt) << record;
  }
}

}  // namespace
