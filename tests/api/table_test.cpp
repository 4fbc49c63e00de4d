#include "api/table.h"

#include <gtest/gtest.h>

namespace {

using api::Cell;

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
