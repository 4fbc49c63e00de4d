#include "model/settings_table.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/address.h"
#include "base/bytes.h"
#include "base/edit_distance.h"
#include "base/origin.h"
#include "model/template.h"

namespace model {
namespace {

using Text = std::optional<std::string>;
using Texts = std::vector<std::string>;

// --- Names of enumerators, by their numbers
// -------------------------------------------------------

using Names = std::array<std::string_view, 3>;
constexpr Names kCategoryNames = {name_of(Category::binary), name_of(Category::bipolar),
                                  name_of(Category::scale)};
constexpr Names kObjectCheckNames = {"off", "known", "published"};
constexpr Names kRevoteNames = {"replace", "cooldown", "never"};
constexpr Names kStoreAddressNames = {"none", "hash", "full"};
constexpr std::array<std::string_view, 4> kAnalyticsAccessNames = {"administrator", "editor",
                                                                   "authenticated", "public"};

constexpr std::span<const std::string_view> names_of(Category) { return kCategoryNames; }
constexpr std::span<const std::string_view> names_of(ObjectCheck) { return kObjectCheckNames; }
constexpr std::span<const std::string_view> names_of(Revote) { return kRevoteNames; }
constexpr std::span<const std::string_view> names_of(StoreAddress) { return kStoreAddressNames; }
constexpr std::span<const std::string_view> names_of(AnalyticsAccess) {
  return kAnalyticsAccessNames;
}

template <typename Enum>
constexpr bool has_names_up_to(Enum last) {
  return names_of(last).size() == static_cast<std::size_t>(last) + 1 &&
         !names_of(last).back().empty();
}
static_assert(has_names_up_to(Category::scale) && has_names_up_to(ObjectCheck::published) &&
              has_names_up_to(Revote::never) && has_names_up_to(StoreAddress::full) &&
              has_names_up_to(AnalyticsAccess::public_));

template <typename Enum>
std::string name_in(Enum value) {
  return std::string(names_of(value)[static_cast<std::size_t>(value)]);
}

template <typename Enum>
Enum enumerator_in(std::string_view name) {
  const auto names = names_of(Enum{});
  return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

// --- Members of Settings as values and back
// -------------------------------------------------------

SettingValue to_value(bool member) { return member; }
SettingValue to_value(int member) { return decimal_of(member); }
SettingValue to_value(const Decimal& member) { return member; }
SettingValue to_value(const std::string& member) { return member; }
SettingValue to_value(const Texts& member) { return member; }
template <typename Rep, typename Period>
SettingValue to_value(std::chrono::duration<Rep, Period> member) {
  return decimal_of(member.count());
}
template <typename Enum>
requires std::is_enum_v<Enum> SettingValue to_value(Enum member) { return name_in(member); }
SettingValue to_value(const std::vector<Category>& member) {
  Texts names;
  for (const Category category : member) names.push_back(name_in(category));
  return names;
}

// A number within the table's bounds fits.
std::int64_t integer_in(const SettingValue& value) {
  return to_integer(std::get<Decimal>(value)).value();
}

void from_value(const SettingValue& value, bool& member) { member = std::get<bool>(value); }
void from_value(const SettingValue& value, int& member) {
  member = static_cast<int>(integer_in(value));
}
void from_value(const SettingValue& value, Decimal& member) { member = std::get<Decimal>(value); }
void from_value(const SettingValue& value, std::string& member) {
  member = std::get<std::string>(value);
}
void from_value(const SettingValue& value, Texts& member) { member = std::get<Texts>(value); }
template <typename Rep, typename Period>
void from_value(const SettingValue& value, std::chrono::duration<Rep, Period>& member) {
  member = std::chrono::duration<Rep, Period>(integer_in(value));
}
template <typename Enum>
requires std::is_enum_v<Enum>
void from_value(const SettingValue& value, Enum& member) {
  member = enumerator_in<Enum>(std::get<std::string>(value));
}
void from_value(const SettingValue& value, std::vector<Category>& member) {
  member.clear();
  for (const std::string& name : std::get<Texts>(value)) {
    member.push_back(enumerator_in<Category>(name));
  }
}

template <auto kMember>
SettingValue get(const Settings& settings) {
  return to_value(settings.*kMember);
}

template <auto kMember>
void set(Settings& settings, const SettingValue& value) {
  from_value(value, settings.*kMember);
}

// --- Forms of texts
// -------------------------------------------------------------------------------

Text read_network(std::string_view text) {
  if (!base::Network::parse(text)) return std::nullopt;
  return base::to_lower(text);
}

// A comma would end the item in lists that are written as text.
Text read_agent(std::string_view text) {
  const auto is_bad = [](char c) { return c == ',' || c == '\x7F' || (c >= '\0' && c < ' '); };
  if (text.empty() || text.size() > 200 || std::any_of(text.begin(), text.end(), is_bad)) {
    return std::nullopt;
  }
  return std::string(text);
}

// Other parts of a URL than the origin are refused: they would seem to restrict it.
Text read_origin(std::string_view text) {
  const std::size_t host = text.find("://");
  if (host == std::string_view::npos) return std::nullopt;
  if (text.ends_with('/')) text.remove_suffix(1);
  if (text.find_first_of("/?#\\@", host + 3) != std::string_view::npos) return std::nullopt;
  return base::origin_of(text);
}

Text read_slug(std::string_view text) {
  if (!is_slug(text)) return std::nullopt;
  return std::string(text);
}

constexpr TextForm kObjectType{"1 to 64 characters of A-Z a-z 0-9 _ . : -", parse_object_type};
constexpr TextForm kNetwork{"an address or a network such as 192.0.2.0/24", read_network};
constexpr TextForm kAgent{"1 to 200 characters without a comma", read_agent};
constexpr TextForm kOrigin{"an origin such as https://www.example.org", read_origin};
constexpr TextForm kSlug{"the slug of a template such as simple/stars", read_slug};

// --- The kinds of rows
// ----------------------------------------------------------------------------

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kMaxItems = 500;

template <auto kMember>
constexpr Setting row(SettingType type, std::string_view name, std::string_view description) {
  return {.name = name,
          .description = description,
          .type = type,
          .get = get<kMember>,
          .set = set<kMember>};
}

template <auto kMember>
constexpr Setting boolean(std::string_view name, std::string_view description) {
  return row<kMember>(SettingType::boolean, name, description);
}

template <auto kMember>
constexpr Setting integer(std::string_view name, std::int64_t minimum, std::int64_t maximum,
                          std::string_view description) {
  Setting setting = row<kMember>(SettingType::integer, name, description);
  setting.minimum = minimum;
  setting.maximum = maximum;
  return setting;
}

template <auto kMember>
constexpr Setting number(std::string_view name, std::int64_t minimum, std::int64_t maximum,
                         std::string_view description) {
  Setting setting = integer<kMember>(name, minimum, maximum, description);
  setting.type = SettingType::number;
  return setting;
}

template <auto kMember>
constexpr Setting choice(std::string_view name, std::string_view description) {
  using Enum = std::remove_cvref_t<decltype(Settings{}.*kMember)>;
  Setting setting = row<kMember>(SettingType::string, name, description);
  setting.choices = names_of(Enum{});
  return setting;
}

template <auto kMember>
constexpr Setting slug(std::string_view name, std::string_view description) {
  Setting setting = row<kMember>(SettingType::string, name, description);
  setting.form = &kSlug;
  return setting;
}

template <auto kMember>
constexpr Setting list(std::string_view name, const TextForm& form, std::string_view description) {
  Setting setting = row<kMember>(SettingType::list, name, description);
  setting.maximum = kMaxItems;
  setting.form = &form;
  return setting;
}

constexpr Setting categories() {
  Setting setting =
      row<&Settings::enabled_categories>(SettingType::list, "enabled_categories",
                                         "The categories that ratings may have; others are 400.");
  setting.minimum = 1;
  setting.maximum = kCategoryNames.size();
  setting.choices = kCategoryNames;
  return setting;
}

// --- The table
// ------------------------------------------------------------------------------------

constexpr std::array kSettings = {
    boolean<&Settings::enabled>("enabled", "Whether ratings are taken; if not, POST /rate is 403."),
    categories(),
    list<&Settings::enabled_object_types>(
        "enabled_object_types", kObjectType,
        "The object types that may be rated; others are 400. Empty: any."),
    choice<&Settings::object_check>(
        "object_check",
        "Which objects may be rated: any (off), those the CMS knows, or has published; others are "
        "404."),
    boolean<&Settings::require_login>("require_login",
                                      "Whether only registered users may rate; others are 401."),
    number<&Settings::scale_maximum>(
        "scale_maximum", 1, 1000,
        "The maximum of scale values where a request does not say its own."),
    choice<&Settings::revote>(
        "revote",
        "What becomes of another rating of the same object by the same voter: it replaces the "
        "earlier one, is refused for a while (cooldown, 429), or is refused for ever (never, "
        "403)."),
    integer<&Settings::revote_cooldown>("revote_cooldown_hours", 0, 8760,
                                        "For how long revote = cooldown refuses."),
    integer<&Settings::max_ratings_per_user_per_day>(
        "max_ratings_per_user_per_day", 0, kMillion,
        "Ratings of one registered user in a day. 0: no limit."),
    integer<&Settings::max_ratings_per_voter_per_day>(
        "max_ratings_per_voter_per_day", 0, kMillion,
        "Ratings of one anonymous voter in a day. 0: no limit."),
    integer<&Settings::max_ratings_per_address>(
        "max_ratings_per_address", 0, kMillion,
        "Ratings of all voters of one address in address_window_hours. 0: no limit."),
    integer<&Settings::address_window>("address_window_hours", 1, 8760,
                                       "The window of the rules for addresses."),
    integer<&Settings::max_new_voters_per_address_per_object>(
        "max_new_voters_per_address_per_object", 0, kMillion,
        "New voters of one address on one object in address_window_hours. 0: no limit."),
    integer<&Settings::max_program_voters_per_address_per_object>(
        "max_program_voters_per_address_per_object", 0, 1000,
        "Of these, requests without cookie and device token that carry neither Origin nor "
        "Sec-Fetch-Site, as programs send them. 0: no limit."),
    integer<&Settings::cooldown>("cooldown_seconds", 0, 3600,
                                 "The least time between any two ratings of one voter."),
    boolean<&Settings::administrators_unlimited>(
        "administrators_unlimited",
        "Whether administrators are exempt from the limits, cooldowns and revote."),
    integer<&Settings::rate_limit_write>(
        "rate_limit_write", 1, kMillion,
        "Requests of one address that change ratings in rate_limit_window_seconds; 429 beyond."),
    integer<&Settings::rate_limit_read>(
        "rate_limit_read", 1, kMillion,
        "Other public requests of one address in rate_limit_window_seconds; 429 beyond."),
    integer<&Settings::rate_limit_window>(
        "rate_limit_window_seconds", 1, 3600,
        "The time in which the allowance of an address is refilled, continuously."),
    list<&Settings::blocked_networks>("blocked_networks", kNetwork,
                                      "Addresses and networks whose requests are 403."),
    list<&Settings::blocked_agents>("blocked_agents", kAgent,
                                    "Parts of User-Agent headers whose requests are 403."),
    boolean<&Settings::hold_suspicious>(
        "hold_suspicious",
        "Whether first ratings that are part of a burst on one object are held: not counted until "
        "an administrator releases or drops them. Needs stored addresses."),
    integer<&Settings::hold_threshold>(
        "hold_threshold", 1, kMillion,
        "How many first ratings of one object within an hour are a burst if they are alike; a "
        "network counts at most twice."),
    list<&Settings::allowed_origins>(
        "allowed_origins", kOrigin,
        "Origins beside the site's own whose pages may read and change with credentials."),
    choice<&Settings::store_address>(
        "store_address",
        "What is stored of a voter's address: nothing, a keyed hash, or the whole address."),
    integer<&Settings::voter_cookie_life>("voter_cookie_days", 1, 730,
                                          "How long an anonymous voter is known by the cookie."),
    choice<&Settings::analytics_access>(
        "analytics_access", "Who may read analytics; names of persons need list_users besides."),
    integer<&Settings::analytics_cache>(
        "analytics_cache_seconds", 0, 300,
        "How long an answer of analytics may be kept and given again. 0: not at all."),
    integer<&Settings::bayesian_prior_weight>(
        "bayesian_prior_weight", 0, 1000,
        "How many ratings the site's mean is worth in the ranking by Bayesian average."),
    slug<&Settings::default_template_binary>("default_template_binary",
                                             "The template of binary ratings."),
    slug<&Settings::default_template_bipolar>("default_template_bipolar",
                                              "The template of bipolar ratings."),
    slug<&Settings::default_template_scale>("default_template_scale",
                                            "The template of scale ratings."),
    integer<&Settings::retention_months>(
        "retention_months", 0, 1200,
        "The age at which ratings are folded into sums; totals stay. 0: never."),
    integer<&Settings::address_retention>(
        "address_retention_days", 0, 3650,
        "The age at which stored addresses are erased. 0: never."),
};

}  // namespace

std::span<const Setting> all_settings() { return kSettings; }

const Setting* find_setting(std::string_view name) {
  const auto* const found = std::ranges::find(kSettings, name, &Setting::name);
  return found == kSettings.end() ? nullptr : found;
}

std::vector<std::string_view> names_like(std::string_view name) {
  constexpr std::size_t kMaxCompared = 64;
  name = name.substr(0, kMaxCompared);
  std::vector<std::pair<std::size_t, std::string_view>> by_distance;
  by_distance.reserve(kSettings.size());
  for (const Setting& setting : kSettings) {
    by_distance.emplace_back(base::edit_distance(name, setting.name), setting.name);
  }
  std::ranges::sort(by_distance);
  return {by_distance[0].second, by_distance[1].second, by_distance[2].second};
}

}  // namespace model
