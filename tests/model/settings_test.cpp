#include "model/settings.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string_view>
#include <vector>

namespace model {
namespace {

using Texts = std::vector<std::string>;
using Reason = Refusal::Reason;

const Setting& setting(std::string_view name) {
  const Setting* found = find_setting(name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

std::optional<SettingValue> accepted(std::string_view name, const SettingValue& given) {
  const auto value = accept(setting(name), given);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<Reason> reason(std::string_view name, const SettingValue& given) {
  const auto value = accept(setting(name), given);
  return value ? std::nullopt : std::optional(value.error().reason);
}

SettingValue text(const char* value) { return std::string(value); }
SettingValue number_value(std::string_view value) { return parse_decimal(value).value(); }

TEST(Setting, BooleansAreReadAsWordPressDoes) {
  for (const SettingValue& yes : {SettingValue(true), number_value("1"), number_value("1.0"),
                                  text("true"), text("TRUE"), text("1")}) {
    EXPECT_EQ(accepted("enabled", yes), SettingValue(true)) << to_text(yes);
  }
  for (const SettingValue& no :
       {SettingValue(false), number_value("0"), text("false"), text("False"), text("0")}) {
    EXPECT_EQ(accepted("enabled", no), SettingValue(false)) << to_text(no);
  }
  for (const SettingValue& neither :
       {text("yes"), text("on"), text(""), number_value("2"), number_value("-1"),
        SettingValue(Texts{"true"}), SettingValue(Texts{})}) {
    EXPECT_EQ(reason("enabled", neither), Reason::type) << to_text(neither);
  }
}

TEST(Setting, IntegersMayBeTextsAndHaveAZeroFraction) {
  for (const SettingValue& five :
       {number_value("5"), number_value("5.0"), text("5"), text("5.0")}) {
    EXPECT_EQ(accepted("cooldown_seconds", five), number_value("5")) << to_text(five);
  }
  for (const SettingValue& other :
       {number_value("3.5"), text("3.5"), text(""), text("five"), text("5e0"), text("+5"),
        SettingValue(true), SettingValue(Texts{"5"})}) {
    EXPECT_EQ(reason("cooldown_seconds", other), Reason::type) << to_text(other);
  }
}

TEST(Setting, NumbersKeepTheirFraction) {
  EXPECT_EQ(accepted("scale_maximum", text("2.50")), number_value("2.5"));
  EXPECT_EQ(reason("scale_maximum", number_value("0.999")), Reason::bounds);
  EXPECT_EQ(reason("scale_maximum", number_value("1000.001")), Reason::bounds);
}

TEST(Setting, WordsAreOfTheirChoicesAlone) {
  EXPECT_EQ(accepted("revote", text("never")), text("never"));
  for (const char* word : {"Never", "", "never "}) {
    EXPECT_EQ(reason("revote", text(word)), Reason::choice) << word;
  }
  EXPECT_EQ(reason("revote", number_value("1")), Reason::type);
}

TEST(Setting, ListsMayBeTextsWithCommas) {
  EXPECT_EQ(accepted("enabled_categories", text("scale, binary,,scale")),
            SettingValue(Texts{"scale", "binary"}));
  EXPECT_EQ(accepted("blocked_agents", text("")), SettingValue(Texts{}));
  EXPECT_EQ(accepted("blocked_agents", text(" evil bot ,x")), SettingValue(Texts{"evil bot", "x"}));
  EXPECT_EQ(reason("blocked_agents", number_value("1")), Reason::type);
  EXPECT_EQ(reason("enabled_categories", SettingValue(Texts{"binary", "ternary"})), Reason::choice);
}

TEST(Setting, ListsHaveBoundedLengths) {
  EXPECT_EQ(reason("enabled_categories", SettingValue(Texts{})), Reason::bounds);
  Texts agents;
  for (int i = 0; i < 500; ++i) agents.push_back("bot " + std::to_string(i));
  EXPECT_EQ(accepted("blocked_agents", agents), SettingValue(agents));
  agents.emplace_back("one more");
  EXPECT_EQ(reason("blocked_agents", agents), Reason::bounds);
}

struct Example {
  std::string_view setting;
  Texts good;
  Texts bad;
};

TEST(Setting, TextsHaveTheirForms) {
  const std::vector<Example> examples = {
      {"blocked_networks",
       {"192.0.2.7", "192.0.2.0/24", "0.0.0.0/0", "2001:DB8::/32", "::1/128"},
       {"", "192.0.2", "192.0.2.0/33", "2001:db8::/129", "1.2.3.4/", "1.2.3.4/x", "1.2.3.4/-1",
        "example.org", std::string("1.2.3.4\0", 8)}},
      {"blocked_agents", {"curl/", "Évil"}, {"", "a\nb", std::string(201, 'x')}},
      {"enabled_object_types", {"post", "My:Type_1"}, {"", "a b", std::string(65, 'x')}},
      {"allowed_origins",
       {"https://www.example.org", "HTTP://Example.org:80/", "https://[2001:db8::1]:8443",
        "capacitor://localhost", "ionic://localhost", "app://-", "tauri://localhost",
        "http://tauri.localhost", "chrome-extension://abcdefghijklmnop", "file://"},
       {"", "null", "*", "example.org", "https://example.org/path", "https://example.org?x",
        "https://example.org@evil.test", "https://*.example.org", "https://", "://localhost",
        "1app://localhost", "capacitor://localhost/path", "capacitor://local host", "capacitor://*",
        "capacitor:localhost"}},
      {"allowed_headers",
       {"traceparent", "X-Of-Our-Own", "b3", "x_1!#$%&'*+.^`|~"},
       {"", "*", "Cookie", "HOST", "Origin", "Authorization", "content-type", "X-WP-Nonce",
        "X-Ratingd-Ticket", "x-ratingd-later", "a b", "a:b", "a\nb", "\xC3\xA9",
        std::string(65, 'x')}},
  };
  for (const auto& [name, good, bad] : examples) {
    for (const std::string& item : good) {
      EXPECT_TRUE(accepted(name, Texts{item})) << name << ' ' << item;
    }
    for (const std::string& item : bad) {
      EXPECT_EQ(reason(name, Texts{item}), Reason::form) << name << ' ' << item;
    }
  }
  EXPECT_EQ(reason("blocked_agents", Texts{"a,b"}), Reason::form);
  EXPECT_TRUE(accepted("default_template_scale", text("my-theme/stars_2")));
  for (const char* slug : {"", "stars", "/stars", "simple/", "a/b/c", "Simple/Stars", "a/../b"}) {
    EXPECT_EQ(reason("default_template_scale", text(slug)), Reason::form) << slug;
  }
}

TEST(Setting, TextsComeInTheirOneForm) {
  EXPECT_EQ(accepted("allowed_origins", text("HTTPS://Example.org:443/, https://example.org")),
            SettingValue(Texts{"https://example.org"}));
  EXPECT_EQ(accepted("allowed_origins", text("Capacitor://localhost/,app://My-App:80,file:///")),
            SettingValue(Texts{"capacitor://localhost", "app://My-App:80", "file://"}));
  EXPECT_EQ(accepted("allowed_headers", text("Sentry-Trace,sentry-trace,baggage")),
            SettingValue(Texts{"sentry-trace", "baggage"}));
  EXPECT_EQ(accepted("enabled_object_types", text("Post,post,PAGE")),
            SettingValue(Texts{"post", "page"}));
  EXPECT_EQ(accepted("blocked_networks", text("2001:DB8::/32")),
            SettingValue(Texts{"2001:db8::/32"}));
}

TEST(Setting, WhatCanBeNoValueIsOfTheWrongType) {
  for (const Setting& one : all_settings()) {
    const auto value = accept(one, std::nullopt);
    ASSERT_FALSE(value) << one.name;
    EXPECT_EQ(value.error().reason, Reason::type) << one.name;
  }
}

TEST(Setting, RefusalsSayWhatIsAllowed) {
  const auto message = [](std::string_view name, const SettingValue& given) {
    return accept(setting(name), given).error().message.text();
  };
  EXPECT_EQ(message("enabled", text("yes")), "enabled must be true or false.");
  EXPECT_EQ(message("cooldown_seconds", number_value("3601")),
            "cooldown_seconds must be a whole number from 0 to 3600.");
  EXPECT_EQ(message("scale_maximum", number_value("0")),
            "scale_maximum must be a number from 1 to 1000.");
  EXPECT_EQ(message("revote", text("maybe")), "revote must be one of replace, cooldown, never.");
  EXPECT_EQ(message("blocked_networks", text("10.0.0.0/8,local")),
            "blocked_networks must not contain \"local\". Each item must be an IP address or a "
            "network such as 192.0.2.0/24.");
}

TEST(Setting, RefusalsShowTheBeginningOfALongItem) {
  const auto shown = [](const std::string& item) {
    const std::string message =
        accept(setting("blocked_networks"), Texts{item}).error().message.text();
    return message.substr(0, message.find(" Each"));
  };
  const std::string start = "blocked_networks must not contain \"";
  EXPECT_EQ(shown(std::string(64, 'x')), start + std::string(64, 'x') + "\".");
  EXPECT_EQ(shown(std::string(65, 'x')), start + std::string(64, 'x') + "…\".");
  EXPECT_EQ(shown(std::string(63, 'x') + "éa"), start + std::string(63, 'x') + "…\".");
  EXPECT_EQ(shown(std::string(62, 'x') + "éa"), start + std::string(62, 'x') + "é…\".");
}

TEST(Setting, TextOfAValueIsReadAsThatValue) {
  for (const Setting& one : all_settings()) {
    const SettingValue value = one.get(Settings());
    const auto read = accept(one, to_text(value));
    ASSERT_TRUE(read) << one.name;
    EXPECT_EQ(*read, value) << one.name;
  }
}

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

// Fails if two rows of the settings table refer to the same member of Settings.
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

// Site owners read the texts of settings, so the texts must not contain API names, HTTP statuses or
// technical terms.
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
