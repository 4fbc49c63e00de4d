#include "model/settings_table.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string_view>
#include <vector>

namespace model {
namespace {

using Reason = Refusal::Reason;

bool is_numeric(const Setting& setting) {
  return setting.type == SettingType::integer || setting.type == SettingType::number;
}

// Returns a valid value of "setting" that differs from its default.
SettingValue other_value(const Setting& setting) {
  const SettingValue standard = setting.get(Settings());
  switch (setting.type) {
    case SettingType::boolean:
      return !std::get<bool>(standard);
    case SettingType::integer:
    case SettingType::number:
      return decimal_of(standard == SettingValue(decimal_of(setting.maximum)) ? setting.minimum
                                                                              : setting.maximum);
    case SettingType::string:
      return std::string(setting.choices.empty() ? "other/one" : setting.choices.back().name);
    case SettingType::list:
      break;
  }
  if (!setting.choices.empty()) {
    return std::vector<std::string>{std::string(setting.choices[1].name)};
  }
  for (const char* item : {"192.0.2.0/24", "https://www.example.org"}) {
    if (setting.form->read(item)) return std::vector<std::string>{item};
  }
  return std::vector<std::string>{"page"};
}

TEST(SettingsTable, DefaultsAreAllowed) {
  for (const Setting& setting : all_settings()) {
    const SettingValue standard = setting.get(Settings());
    const auto value = accept(setting, standard);
    ASSERT_TRUE(value) << setting.name;
    EXPECT_EQ(*value, standard) << setting.name;
  }
}

TEST(SettingsTable, BoundsAreTheLastAllowed) {
  for (const Setting& setting : all_settings()) {
    if (!is_numeric(setting)) continue;
    for (const std::int64_t bound : {setting.minimum, setting.maximum}) {
      const auto value = accept(setting, decimal_of(bound));
      ASSERT_TRUE(value) << setting.name;
      Settings settings;
      setting.set(settings, *value);
      EXPECT_EQ(setting.get(settings), SettingValue(decimal_of(bound))) << setting.name;
    }
    for (const std::int64_t beyond : {setting.minimum - 1, setting.maximum + 1}) {
      const auto value = accept(setting, decimal_of(beyond));
      ASSERT_FALSE(value) << setting.name << ' ' << beyond;
      EXPECT_EQ(value.error().reason, Reason::bounds) << setting.name;
    }
  }
}

// Fails if two rows of the table mean the same member.
TEST(SettingsTable, EachSettingIsAPlaceOfItsOwn) {
  for (const Setting& changed : all_settings()) {
    const SettingValue value = other_value(changed);
    ASSERT_TRUE(accept(changed, value)) << changed.name;
    Settings settings;
    changed.set(settings, value);
    for (const Setting& setting : all_settings()) {
      const SettingValue expected = &setting == &changed ? value : setting.get(Settings());
      EXPECT_EQ(setting.get(settings), expected) << changed.name << " and " << setting.name;
    }
  }
}

TEST(SettingsTable, SaysWhatEachSettingMeans) {
  for (const Setting& setting : all_settings()) {
    EXPECT_TRUE(setting.description.ends_with('.')) << setting.name;
    const bool holds_text =
        setting.type == SettingType::string || setting.type == SettingType::list;
    EXPECT_EQ(holds_text, !setting.choices.empty() || setting.form != nullptr) << setting.name;
  }
}

// Forbidden words of the API: its names, statuses and terms. Owners read these texts.
TEST(SettingsTable, IsInTheWordsOfOwners) {
  const std::regex of_programs(
      R"([a-z]_[a-z]|\b[45]\d\d\b|POST|/rate|\bCMS\b|\bvoters?\b|\bobjects?\b)");
  for (const Setting& setting : all_settings()) {
    for (const std::string_view words : {setting.title, setting.description, setting.keywords}) {
      EXPECT_FALSE(std::regex_search(std::string(words), of_programs)) << words;
    }
  }
}

TEST(SettingsTable, IsFoundByTheWordsOfOwners) {
  const auto is_found = [](std::string_view word, std::string_view name) {
    return find_setting(name)->keywords.find(word) != std::string_view::npos;
  };
  for (const char* name : {"require_login", "hold_suspicious", "max_ratings_per_voter_per_day",
                           "blocked_networks", "rate_limit_write"}) {
    for (const char* word : {"Spam", "bots", "captcha"}) {
      EXPECT_TRUE(is_found(word, name) || is_found("spam", name)) << name << ' ' << word;
    }
  }
  for (const char* name : {"store_address", "address_retention_days", "voter_cookie_days",
                           "retention_months", "on_user_deleted"}) {
    for (const char* word : {"GDPR", "privacy"}) EXPECT_TRUE(is_found(word, name)) << name;
  }
}

TEST(SettingsTable, WhatVisitorsMayDoIsNotAdvanced) {
  for (const char* name : {"enabled", "require_login", "revote", "hold_suspicious", "store_address",
                           "default_template_scale", "analytics_access"}) {
    EXPECT_FALSE(find_setting(name)->is_advanced) << name;
  }
  for (const char* name : {"scale_maximum", "rate_limit_read", "bayesian_prior_weight"}) {
    EXPECT_TRUE(find_setting(name)->is_advanced) << name;
  }
}

TEST(SettingsTable, EachSettingHasATitleOfItsOwn) {
  std::set<std::string_view> titles;
  for (const Setting& setting : all_settings()) {
    EXPECT_TRUE(titles.insert(setting.title).second) << setting.name;
    EXPECT_GE(setting.title.size(), 5U) << setting.name;
    EXPECT_LE(setting.title.size(), 60U) << setting.name;
    for (const Choice& choice : setting.choices) {
      EXPECT_FALSE(choice.title.empty()) << setting.name << ' ' << choice.name;
    }
  }
}

TEST(SettingsTable, SettingsOfAGroupAreNextToEachOtherInTheOrderOfGroups) {
  std::vector<std::string_view> in_table;
  for (const Setting& setting : all_settings()) {
    if (in_table.empty() || in_table.back() != setting.group) in_table.push_back(setting.group);
  }
  std::vector<std::string_view> groups;
  for (const SettingGroup& group : setting_groups()) {
    groups.push_back(group.name);
    EXPECT_FALSE(group.title.empty()) << group.name;
  }
  EXPECT_EQ(in_table, groups);
}

TEST(SettingsTable, MembersHaveTheirUnits) {
  Settings settings;
  find_setting("voter_cookie_days")->set(settings, decimal_of(30));
  find_setting("cooldown_seconds")->set(settings, decimal_of(90));
  find_setting("address_window_hours")->set(settings, decimal_of(48));
  find_setting("analytics_access")->set(settings, std::string("public"));
  find_setting("enabled_categories")->set(settings, std::vector<std::string>{"scale"});
  EXPECT_EQ(settings.voter_cookie_days, std::chrono::days(30));
  EXPECT_EQ(settings.cooldown, std::chrono::seconds(90));
  EXPECT_EQ(settings.address_window, std::chrono::hours(48));
  EXPECT_EQ(settings.analytics_access, AnalyticsAccess::public_);
  EXPECT_EQ(settings.enabled_categories, std::vector{Category::scale});
}

TEST(SettingsTable, KnowsNamesThatLookAlike) {
  EXPECT_EQ(find_setting("Enabled"), nullptr);
  EXPECT_EQ(find_setting(""), nullptr);
  EXPECT_EQ(names_like("max_rating_per_user_per_day").front(), "max_ratings_per_user_per_day");
  EXPECT_EQ(names_like("require_logins").front(), "require_login");
  EXPECT_EQ(names_like(std::string(100'000, 'x')).size(), 3U);
}

}  // namespace
}  // namespace model
