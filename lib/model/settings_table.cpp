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

// --- Names of enumerators, by their numbers ------------------------------------------------------

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

// --- Members of Settings as values and back ------------------------------------------------------

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

// --- Forms of texts ------------------------------------------------------------------------------

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

// --- The kinds of rows ---------------------------------------------------------------------------

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
  Setting setting = row<&Settings::enabled_categories>(
      SettingType::list, "enabled_categories",
      "The allowed categories of ratings; other values are rejected with 400.");
  setting.minimum = 1;
  setting.maximum = kCategoryNames.size();
  setting.choices = kCategoryNames;
  return setting;
}

// --- The table -----------------------------------------------------------------------------------

constexpr std::array kSettings = {
    boolean<&Settings::enabled>(
        "enabled", "Whether ratings are accepted; if not, POST /rate is rejected with 403."),
    categories(),
    list<&Settings::enabled_object_types>(
        "enabled_object_types", kObjectType,
        "The object types that may be rated; other values are rejected with 400. Empty: any."),
    choice<&Settings::object_check>(
        "object_check",
        "Which objects may be rated: any (off), those that the CMS knows, or those that it has "
        "published; other objects are rejected with 404."),
    boolean<&Settings::require_login>(
        "require_login",
        "Whether only registered users may rate; other requests are rejected with 401."),
    number<&Settings::scale_maximum>("scale_maximum", 1, 1000,
                                     "The maximum of scale values if a request does not name one."),
    choice<&Settings::revote>("revote",
                              "What happens to another rating of the same object by the same "
                              "voter: it replaces the earlier rating, is rejected for some time "
                              "(cooldown, 429), or is always rejected (never, 403)."),
    integer<&Settings::revote_cooldown>(
        "revote_cooldown_hours", 0, 8760,
        "The time in hours for which revote = cooldown rejects another rating."),
    integer<&Settings::max_ratings_per_user_per_day>(
        "max_ratings_per_user_per_day", 0, kMillion,
        "The maximum number of ratings of one registered user per day. 0: no limit."),
    integer<&Settings::max_ratings_per_voter_per_day>(
        "max_ratings_per_voter_per_day", 0, kMillion,
        "The maximum number of ratings of one anonymous voter per day. 0: no limit."),
    integer<&Settings::max_ratings_per_address>(
        "max_ratings_per_address", 0, kMillion,
        "The maximum number of ratings from one address in address_window_hours. 0: no limit."),
    integer<&Settings::address_window>("address_window_hours", 1, 8760,
                                       "The time window in hours of the limits per address."),
    integer<&Settings::max_new_voters_per_address_per_object>(
        "max_new_voters_per_address_per_object", 0, kMillion,
        "The maximum number of new voters from one address on one object in address_window_hours. "
        "0: no limit."),
    integer<&Settings::max_program_voters_per_address_per_object>(
        "max_program_voters_per_address_per_object", 0, 1000,
        "Of the voters that max_new_voters_per_address_per_object counts, the maximum number of "
        "programs: requests without cookie, device token, Origin and Sec-Fetch-Site. 0: no limit."),
    integer<&Settings::cooldown>("cooldown_seconds", 0, 3600,
                                 "The minimum time in seconds between two ratings of one voter."),
    boolean<&Settings::administrators_unlimited>(
        "administrators_unlimited",
        "Whether administrators are exempt from the limits, cooldowns and revote."),
    integer<&Settings::rate_limit_write>(
        "rate_limit_write", 1, kMillion,
        "The maximum number of requests from one address that change ratings in "
        "rate_limit_window_seconds; further requests are rejected with 429."),
    integer<&Settings::rate_limit_read>(
        "rate_limit_read", 1, kMillion,
        "The maximum number of other public requests from one address in "
        "rate_limit_window_seconds; further requests are rejected with 429."),
    integer<&Settings::rate_limit_window>(
        "rate_limit_window_seconds", 1, 3600,
        "The time in seconds in which the rate limit of an address is refilled, continuously."),
    list<&Settings::blocked_networks>(
        "blocked_networks", kNetwork,
        "Addresses and networks whose requests are rejected with 403."),
    list<&Settings::blocked_agents>(
        "blocked_agents", kAgent,
        "Parts of User-Agent headers; requests that contain one are rejected with 403."),
    boolean<&Settings::hold_suspicious>(
        "hold_suspicious",
        "Whether first ratings that are part of a burst on one object are held: they do not count "
        "until an administrator releases or drops them. Requires stored addresses."),
    integer<&Settings::hold_threshold>(
        "hold_threshold", 1, kMillion,
        "The number of similar first ratings of one object within an hour that is a burst; each "
        "network counts at most twice."),
    list<&Settings::allowed_origins>(
        "allowed_origins", kOrigin,
        "Origins in addition to the site's own whose pages may send requests with credentials."),
    choice<&Settings::store_address>(
        "store_address",
        "What is stored of a voter's address: nothing, a keyed hash, or the whole address."),
    integer<&Settings::voter_cookie_life>(
        "voter_cookie_days", 1, 730,
        "The time in days for which an anonymous voter is recognised by the cookie."),
    choice<&Settings::analytics_access>(
        "analytics_access", "Who may read analytics; names of users also require list_users."),
    integer<&Settings::analytics_cache>(
        "analytics_cache_seconds", 0, 300,
        "The time in seconds for which a response of analytics may be cached. 0: not at all."),
    integer<&Settings::bayesian_prior_weight>(
        "bayesian_prior_weight", 0, 1000,
        "The weight of the site's mean in the Bayesian average, as a number of ratings."),
    slug<&Settings::default_template_binary>("default_template_binary",
                                             "The template of binary ratings."),
    slug<&Settings::default_template_bipolar>("default_template_bipolar",
                                              "The template of bipolar ratings."),
    slug<&Settings::default_template_scale>("default_template_scale",
                                            "The template of scale ratings."),
    integer<&Settings::retention_months>("retention_months", 0, 1200,
                                         "The age in months at which ratings are deleted and only "
                                         "their sums are kept; totals do not change. 0: never."),
    integer<&Settings::address_retention>(
        "address_retention_days", 0, 3650,
        "The age in days at which stored addresses are erased. 0: never."),
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
