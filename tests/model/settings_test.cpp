#include "model/settings.h"

#include <gtest/gtest.h>

#include "model/settings_table.h"

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
            "cooldown_seconds must be an integer from 0 to 3600.");
  EXPECT_EQ(message("scale_maximum", number_value("0")),
            "scale_maximum must be a number from 1 to 1000.");
  EXPECT_EQ(message("revote", text("maybe")), "revote must be one of replace, cooldown, never.");
  EXPECT_EQ(
      message("blocked_networks", text("10.0.0.0/8,local")),
      "blocked_networks may not have \"local\": each item must be an IP address or a network such "
      "as 192.0.2.0/24.");
}

TEST(Setting, TextOfAValueIsReadAsThatValue) {
  for (const Setting& one : all_settings()) {
    const SettingValue value = one.get(Settings());
    const auto read = accept(one, to_text(value));
    ASSERT_TRUE(read) << one.name;
    EXPECT_EQ(*read, value) << one.name;
  }
}

}  // namespace

}  // namespace model
