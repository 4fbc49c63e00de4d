#include "base/timestamp.h"

#include <gtest/gtest.h>

namespace base {
namespace {

using namespace std::chrono_literals;

constexpr Day kDay = std::chrono::year(2026) / 11 / 21;
constexpr Time kTime = kDay + 5h + 7min + 9s + 12345us;

TEST(Timestamp, WritesTheForms) {
  EXPECT_EQ(to_exact_rfc3339(kTime), "2026-11-21T05:07:09.012345Z");
  EXPECT_EQ(to_rfc3339(kTime), "2026-11-21T05:07:09Z");
  EXPECT_EQ(to_datetime(kTime), "2026-11-21 05:07:09.012345");
  EXPECT_EQ(to_date(kDay), "2026-11-21");
}

TEST(Timestamp, RoundsDownBefore1970Too) {
  const Time before_epoch = Time() - 1us;
  EXPECT_EQ(to_rfc3339(before_epoch), "1969-12-31T23:59:59Z");
  EXPECT_EQ(to_datetime(before_epoch), "1969-12-31 23:59:59.999999");
}

TEST(Timestamp, TimesOfRfc3339ComeBack) {
  EXPECT_EQ(from_rfc3339(to_exact_rfc3339(kTime)), kTime);
  EXPECT_EQ(from_rfc3339("2026-11-21T05:07:09Z"), kTime - 12345us);
  for (const auto* text : {"", "Z", "2026-11-21T05:07:09", "2026-11-21 05:07:09Z",
                           "2026-11-21T05:07:09+00:00", "2026-11-21T05:07:09.Z"}) {
    EXPECT_EQ(from_rfc3339(text), std::nullopt) << text;
  }
}

TEST(Timestamp, DatetimesComeBack) {
  EXPECT_EQ(from_datetime(to_datetime(kTime)), kTime);
  EXPECT_EQ(from_datetime("2026-11-21 05:07:09"), kTime - 12345us);
  EXPECT_EQ(from_datetime("2026-11-21 05:07:09.01"), kTime - 2345us);
}

TEST(Timestamp, OtherTextIsNoDatetime) {
  for (const auto* text :
       {"", "2026-11-21", "2026-11-21T05:07:09", "2026-11-21 05:07", "2026-11-21 24:00:00",
        "2026-11-21 05:60:00", "2026-11-21 05:07:60", "2026-11-21 05:07:09.",
        "2026-11-21 05:07:09.1234567", "2026-11-21 05:07:09.12x", "2026-11-21 05:07:09Z",
        "2026-02-30 00:00:00", "0000-00-00 00:00:00"}) {
    EXPECT_EQ(from_datetime(text), std::nullopt) << text;
  }
}

TEST(Timestamp, DatesMustExist) {
  EXPECT_EQ(from_date("2026-11-21"), kDay);
  EXPECT_EQ(from_date("2024-02-29"), Day(std::chrono::year(2024) / 2 / 29));
  for (const auto* text : {"", "2026-02-29", "2026-13-01", "2026-00-01", "2026-11-00", "2026-11-31",
                           "2026-1-1", "26-11-21", "2026/11/21", "2026-11-21 ", "+026-11-21"}) {
    EXPECT_EQ(from_date(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace base
