#include "base/message.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using base::Message;

TEST(Message, ShowsItsValues) {
  EXPECT_EQ(Message("{name} must be from {minimum} to {maximum}: {name}.",
                    {{"name", "value"}, {"minimum", 0}, {"maximum", std::int64_t{5}}})
                .text(),
            "value must be from 0 to 5: value.");
  EXPECT_EQ(Message("in {time}", {{"time", std::chrono::seconds(1)}}).text(), "in 1 second");
  EXPECT_EQ(
      Message("must be {form}.", {{"form", Message("one of {names}", {{"names", "a, b"}})}}).text(),
      "must be one of a, b.");
}

TEST(Message, KeepsBracesThatNameNoValue) {
  EXPECT_EQ(Message("{a}, e.g. {\"value\":4} {b} {", {{"a", "1"}}).text(),
            "1, e.g. {\"value\":4} {b} {");
  EXPECT_EQ(Message(std::string("{a} of the database")).text(), "{a} of the database");
}

TEST(Message, ValuesAreNotSearchedForNames) {
  EXPECT_EQ(Message("{a} {b}", {{"a", "{b}"}, {"b", "{a}"}}).text(), "{b} {a}");
}

TEST(Message, DurationsAreRoundedUpInTheLargestUnitOfWhichThereAreTwo) {
  const auto text = [](int seconds) {
    return Message("{t}", {{"t", std::chrono::seconds(seconds)}}).text();
  };
  EXPECT_EQ(text(0), "0 seconds");
  EXPECT_EQ(text(119), "119 seconds");
  EXPECT_EQ(text(121), "3 minutes");
  EXPECT_EQ(text(2 * 86400), "2 days");
}

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(base::counted(0, "second", "seconds"), "0 seconds");
  EXPECT_EQ(base::counted(std::uint64_t{1}, "address", "addresses"), "1 address");
  EXPECT_EQ(base::counted(std::int64_t{2}, "address", "addresses"), "2 addresses");
}

}  // namespace
