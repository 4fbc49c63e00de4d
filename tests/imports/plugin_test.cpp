#include "imports/plugin.h"

#include <gtest/gtest.h>

#include "imports/plugin_voters.h"

namespace {

TEST(PluginVoters, AreTheSameForTheSameAndAnonymous) {
  const imports::PluginVoters voters("key"), others("another key");
  const model::VoterId voter = voters.voter("yasr", "visitor", "192.0.2.1");
  EXPECT_TRUE(model::is_anonymous(voter));
  EXPECT_EQ(voter, voters.voter("yasr", "visitor", "192.0.2.1"));
  EXPECT_NE(voter, voters.voter("yasr", "visitor", "192.0.2.2"));
  EXPECT_NE(voter, voters.voter("yasr", "user", "192.0.2.1"));
  EXPECT_NE(voter, voters.voter("ratepress", "visitor", "192.0.2.1"));
  EXPECT_NE(voter, others.voter("yasr", "visitor", "192.0.2.1"));
}

TEST(PluginTimes, AreOfTheSitesClocks) {
  const base::Zone berlin = base::Zone::named("Europe/Berlin").value();
  const auto utc = [](const char* text) { return imports::utc_time(text, {}); };
  EXPECT_EQ(imports::site_time("2026-01-10 13:00:00", berlin), utc("2026-01-10 12:00:00"));
  EXPECT_EQ(imports::site_time("2026-07-10 13:00:00", berlin), utc("2026-07-10 11:00:00"));
  // The clocks go back from 3:00 to 2:00, so a time between 2:00 and 3:00 occurs twice.
  EXPECT_EQ(imports::site_time("2026-10-25 01:59:59", berlin), utc("2026-10-24 23:59:59"));
  EXPECT_EQ(imports::site_time("2026-10-25 02:30:00", berlin), utc("2026-10-25 01:30:00"));
  EXPECT_EQ(imports::site_time("2026-10-25 03:00:00", berlin), utc("2026-10-25 02:00:00"));
  EXPECT_EQ(imports::unix_time("0", {}), std::nullopt);
  EXPECT_EQ(imports::unix_time("1e9", {}), std::nullopt);
  EXPECT_EQ(imports::utc_time("0000-00-00 00:00:00", {}), std::nullopt);
}

TEST(PluginSums, KeepNumberAndSum) {
  using model::Category;
  const auto scale = [](std::int64_t votes, double sum) {
    return imports::sums_of(Category::scale, {votes, sum / 5}, 5);
  };
  const auto sums = scale(3, 8).value();
  EXPECT_EQ(sums.total(), 3);
  EXPECT_EQ(sums.sum, 1600);
  EXPECT_EQ(sums.bins[4], 1);
  EXPECT_EQ(sums.bins[6], 2);
  EXPECT_EQ(scale(2, 10).value().bins[10], 2);
  EXPECT_EQ(scale(2, 0).value().bins[0], 2);
  EXPECT_FALSE(scale(0, 0));
  EXPECT_FALSE(scale(2, -1));
  EXPECT_FALSE(scale(2, 10.1));
  EXPECT_EQ(imports::sums_of(Category::binary, {5, 2}, 5).value().bins[10], 2);
  EXPECT_FALSE(imports::sums_of(Category::binary, {5, 1.5}, 5));
  const auto thumbs = imports::sums_of(Category::bipolar, {5, 1}, 1).value();
  EXPECT_EQ(thumbs.sum, 1000);
  EXPECT_EQ(thumbs.bins[0], 2);
  EXPECT_EQ(thumbs.bins[10], 3);
  EXPECT_EQ(imports::sums_of(Category::bipolar, {3, -3}, 1).value().bins[0], 3);
  EXPECT_FALSE(imports::sums_of(Category::bipolar, {5, 2}, 1));
}

TEST(PluginNumbers, AreReadAsPhpReadsThem) {
  EXPECT_EQ(imports::php_number("13,5"), 13);
  EXPECT_EQ(imports::php_number("13.5"), 13.5);
  EXPECT_EQ(imports::php_integer("13.5"), 13);
  EXPECT_EQ(imports::php_integer("-13.5"), -13);
  EXPECT_EQ(imports::php_number("1e3"), 1000);
  EXPECT_EQ(imports::php_number(" +7 votes"), 7);
  EXPECT_EQ(imports::php_number(".5"), 0.5);
  for (const char* const text : {"", "many", "-", ".", "e3", "inf", "nan", "1e12", "+-3",
                                 "9223372036854775807", "111111111111111111111111111111111"}) {
    EXPECT_EQ(imports::php_number(text), std::nullopt) << text;
  }
}

TEST(PluginVersions, AreComparedByTheirParts) {
  const auto is_before = [](const char* version, const char* other) {
    imports::PluginContext context;
    context.version = version;
    return context.is_before(other);
  };
  EXPECT_TRUE(is_before("1.3.5", "1.3.6"));
  EXPECT_TRUE(is_before("1.3.6", "1.10"));
  EXPECT_FALSE(is_before("2.0", "2"));
  EXPECT_FALSE(is_before("10", "9.9"));
  EXPECT_TRUE(is_before("", "1"));
}

}  // namespace
