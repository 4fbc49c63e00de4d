#include "store/settings_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "db/transaction.h"
#include "model/settings.h"
#include "support/database.h"

namespace {

using model::decimal_of;

class SettingsStore : public ::testing::Test {
 protected:
  // Writes a row of the settings table without validation, like a person who edits the database.
  void put_row(const std::string& name, const std::string& value) {
    connection_.execute("REPLACE INTO wp_ratingd_settings (name, value) VALUES (?, ?)", name,
                        value);
  }
  model::Settings settings() { return store::load_settings(connection_).settings; }

  support::Database database_;
  db::Connection connection_{database_.endpoint()};
};

TEST_F(SettingsStore, WhatTheNetworkFixesIsForItsSitesOnly) {
  ASSERT_TRUE(store::fix_settings(connection_, {{"enabled", false}}));
  put_row("network.revote", "oops");
  EXPECT_TRUE(store::setting_rows(connection_).empty());
  EXPECT_TRUE(settings().enabled);

  db::Endpoint of_network = database_.endpoint();
  of_network.network_prefix = "wp_";
  db::Connection site(of_network);
  const auto stored = store::load_settings(site);
  EXPECT_FALSE(stored.settings.enabled);
  EXPECT_EQ(stored.fixed, (std::set<std::string>{"enabled", "revote"}));
  ASSERT_EQ(stored.problems.size(), 1U);
  EXPECT_NE(stored.problems.front().message.text().find("settings reset --all-sites revote"),
            std::string::npos);
  // A site's settings page may send back all displayed values, including enforced values.
  store::SettingChanges all;
  for (const model::Setting& setting : model::all_settings()) {
    all.emplace(setting.name, setting.get(stored.settings));
  }
  all["cooldown_seconds"] = decimal_of(7);
  ASSERT_TRUE(store::change_settings(site, all));
  EXPECT_EQ(store::load_settings(site).settings.cooldown, std::chrono::seconds(7));
  all["revote"] = "never";
  EXPECT_FALSE(store::change_settings(site, all));
}

TEST_F(SettingsStore, OnlyBuiltInTemplatesAreFixed) {
  EXPECT_TRUE(store::fix_settings(connection_, {{"default_template_scale", "simple/dots"}}));
  const auto refused = store::fix_settings(connection_, {{"default_template_scale", "mine/dots"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().name, "default_template_scale");
}

TEST_F(SettingsStore, NothingStoredMeansDefaults) {
  const auto stored = store::load_settings(connection_);
  EXPECT_EQ(stored.settings, model::Settings());
  EXPECT_TRUE(stored.problems.empty());
}

TEST_F(SettingsStore, ChangeIsStoredExactly) {
  const auto stored =
      store::change_settings(
          connection_,
          {{"enabled", false},
           {"scale_maximum", model::parse_decimal("2.5").value()},
           {"revote", "never"},
           {"blocked_agents", std::vector<std::string>{"\"quoted\" \\ bot", "Évil", "x"}}})
          .value();
  EXPECT_TRUE(stored.problems.empty());
  model::Settings expected;
  expected.enabled = false;
  expected.scale_maximum = model::parse_decimal("2.5").value();
  expected.revote = model::Revote::never;
  expected.blocked_agents = {"\"quoted\" \\ bot", "Évil", "x"};
  EXPECT_EQ(stored.settings, expected);
  EXPECT_EQ(settings(), expected);
}

TEST_F(SettingsStore, OnlyWhatChangesIsWritten) {
  store::change_settings(connection_, {{"enabled", true}, {"cooldown_seconds", decimal_of(5)}});
  EXPECT_EQ(store::setting_rows(connection_),
            (std::vector<store::SettingRow>{{"cooldown_seconds", "5"}}));
}

TEST_F(SettingsStore, ChosenValueStaysWhenItIsTheDefault) {
  store::change_settings(connection_, {{"enabled", false}});
  store::change_settings(connection_, {{"enabled", true}});
  EXPECT_TRUE(settings().enabled);
  EXPECT_EQ(store::setting_rows(connection_),
            (std::vector<store::SettingRow>{{"enabled", "true"}}));
}

TEST_F(SettingsStore, ResetBringsTheDefaultBack) {
  store::change_settings(connection_, {{"enabled", false}, {"require_login", true}});
  EXPECT_TRUE(store::reset_setting(connection_, "enabled"));
  EXPECT_TRUE(settings().enabled);
  EXPECT_TRUE(settings().require_login);
  EXPECT_FALSE(store::reset_setting(connection_, "enabled"));
}

TEST_F(SettingsStore, DamagedRowsAreReportedAndTheDefaultCounts) {
  for (const char* damage :
       {"", "{", "nonsense", "\"many\"", "3601", "-1", "0.5", "{}", "null", "[1]", "5 6"}) {
    put_row("cooldown_seconds", damage);
    const auto stored = store::load_settings(connection_);
    EXPECT_EQ(stored.settings, model::Settings()) << damage;
    ASSERT_EQ(stored.problems.size(), 1U) << damage;
    EXPECT_NE(stored.problems[0].message.text().find("cooldown_seconds"), std::string::npos);
  }
}

TEST_F(SettingsStore, ProblemSaysWhyAndWhatToDo) {
  put_row("cooldown_seconds", "3601");
  const auto problems = store::load_settings(connection_).problems;
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].name, "cooldown_seconds");
  EXPECT_EQ(problems[0].message.text(),
            "A stored setting has no effect. Minimum time between two ratings by a visitor "
            "(seconds) must be a whole number from 0 to 3600. To remove the setting, run: "
            "ratingctl settings reset cooldown_seconds");
}

TEST_F(SettingsStore, RowOfARetiredSettingIsNoProblemAndStays) {
  const store::SettingRow row{"max_program_voters_per_address_per_object", "3"};
  EXPECT_TRUE(store::interpret({row}).problems.empty());
}

TEST_F(SettingsStore, DamagedAndUnknownRowsOutliveOtherChanges) {
  put_row("cooldown_seconds", "oops");
  put_row("from_the_future", "1");
  const auto stored = store::change_settings(connection_, {{"enabled", false}}).value();
  EXPECT_FALSE(stored.settings.enabled);
  EXPECT_EQ(stored.problems.size(), 2U);
  EXPECT_EQ(stored.damaged, std::set<std::string>{"cooldown_seconds"});
  EXPECT_EQ(store::setting_rows(connection_),
            (std::vector<store::SettingRow>{
                {"cooldown_seconds", "oops"}, {"enabled", "false"}, {"from_the_future", "1"}}));
}

// A damaged row is replaced even if the new value is the default, which is already in effect.
TEST_F(SettingsStore, ChangeReplacesADamagedRow) {
  for (const int seconds : {7, 0}) {
    put_row("cooldown_seconds", "oops");
    put_row("revote", "oops");
    const auto stored =
        store::change_settings(connection_, {{"cooldown_seconds", decimal_of(seconds)}}).value();
    EXPECT_EQ(stored.settings.cooldown, std::chrono::seconds(seconds));
    EXPECT_EQ(stored.damaged, std::set<std::string>{"revote"});
    EXPECT_EQ(store::setting_rows(connection_),
              (std::vector<store::SettingRow>{{"cooldown_seconds", std::to_string(seconds)},
                                              {"revote", "oops"}}));
  }
}

// Two administrators correct the same damaged setting.
TEST_F(SettingsStore, LaterCorrectionWinsAndOtherChangesKeepIt) {
  put_row("cooldown_seconds", "oops");
  db::Connection other(database_.endpoint());
  ASSERT_TRUE(store::change_settings(connection_, {{"cooldown_seconds", decimal_of(7)}}));
  ASSERT_TRUE(store::change_settings(other, {{"enabled", false}}));
  EXPECT_EQ(settings().cooldown, std::chrono::seconds(7));
  ASSERT_TRUE(store::change_settings(other, {{"cooldown_seconds", decimal_of(0)}}));
  EXPECT_EQ(settings().cooldown, std::chrono::seconds(0));
}

TEST_F(SettingsStore, TemplateHasToExistInItsCategory) {
  const auto stored = store::change_settings(
      connection_, {{"default_template_bipolar", "simple/heart"}, {"enabled", false}});
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().name, "default_template_bipolar");
  EXPECT_EQ(stored.error().refusal.message.text(),
            "default_template_bipolar must be one of simple/like-dislike, simple/thumbs.");
  EXPECT_EQ(settings(), model::Settings());
}

TEST_F(SettingsStore, MissingTemplateIsReportedAndLeftAlone) {
  put_row("default_template_scale", "\"mine/gone\"");
  const auto stored = store::change_settings(
      connection_, {{"default_template_scale", "mine/gone"}, {"enabled", false}});
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->settings.default_template_scale, "mine/gone");
  ASSERT_EQ(stored->problems.size(), 1U);
  EXPECT_EQ(
      stored->problems[0].message.text(),
      "The mine/gone template in the \"Widget for stars\" setting does not exist, so widgets use "
      "simple/stars instead. To choose another template, run: ratingctl settings set "
      "default_template_scale=simple/stars");
}

TEST_F(SettingsStore, DamagedRowIsRepairedByAReset) {
  put_row("cooldown_seconds", "oops");
  EXPECT_TRUE(store::reset_setting(connection_, "cooldown_seconds"));
  put_row("from_the_future", "1");
  EXPECT_TRUE(store::reset_setting(connection_, "from_the_future"));
  EXPECT_TRUE(store::load_settings(connection_).problems.empty());
}

TEST_F(SettingsStore, ChangeIsMadeWhollyOrNotAtAll) {
  put_row("require_login", "false");
  db::Connection blocker(database_.endpoint());
  const db::Transaction transaction(blocker);
  (void)blocker.query("SELECT * FROM wp_ratingd_settings WHERE name = 'require_login' FOR UPDATE");
  EXPECT_THROW(store::change_settings(connection_, {{"enabled", false}, {"require_login", true}}),
               db::Conflict);
  EXPECT_EQ(settings(), model::Settings());
}

// Two administrators change settings at the same time. Each administrator changes a different
// setting, and both change a third setting.
TEST_F(SettingsStore, TwoWritersAtOnceLoseNothing) {
  constexpr int kRounds = 40;
  std::atomic<int> conflicts = 0;
  const auto write = [&](const std::string& name) {
    db::Connection connection(database_.endpoint());
    for (int round = 1; round <= kRounds; ++round) {
      try {
        store::change_settings(
            connection, {{name, decimal_of(round)}, {"retention_months", decimal_of(round)}});
      } catch (const db::Conflict&) {
        ++conflicts;
      }
    }
  };
  std::thread first(write, "cooldown_seconds");
  std::thread second(write, "revote_cooldown_hours");
  first.join();
  second.join();
  EXPECT_EQ(conflicts, 0);
  EXPECT_EQ(settings().cooldown, std::chrono::seconds(kRounds));
  EXPECT_EQ(settings().revote_cooldown, std::chrono::hours(kRounds));
  EXPECT_EQ(settings().retention_months, kRounds);
}

}  // namespace
