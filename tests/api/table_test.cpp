#include "api/table.h"

#include <gtest/gtest.h>

#include "api/csv.h"

namespace {

using api::Cell;
using api::csv_text;

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

const api::Table kTable{{"id", "average.binary", "average.scale", "title"},
                        {{std::uint64_t{7}, api::Fraction{-2500, 4}, Cell(), std::string("=x")},
                         {std::uint64_t{8}, api::Fraction{10000, 4}, std::int64_t{-3}, Cell()}}};

TEST(Table, JsonHasAnObjectForEachRow) {
  std::string text;
  json::Writer json(text);
  api::write_table(json, kTable);
  EXPECT_EQ(text, R"([{"id":7,"average":{"binary":-0.25,"scale":null},"title":"=x"},)"
                  R"({"id":8,"average":{"binary":1,"scale":-3},"title":null}])");
}

TEST(Table, CsvHasALineForEachRow) {
  EXPECT_EQ(api::csv_of(kTable),
            "id,average.binary,average.scale,title\r\n7,-0.25,,'=x\r\n8,1,-3,\r\n");
}

}  // namespace
