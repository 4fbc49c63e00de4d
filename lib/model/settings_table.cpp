#include "model/settings_table.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <type_traits>
#include <utility>

#include "base/edit_distance.h"
#include "model/setting_choices.h"
#include "model/setting_forms.h"

namespace model {
namespace {

using Texts = std::vector<std::string>;

template <typename Enum>
std::string name_in(Enum value) {
  return std::string(choices_of(value)[static_cast<std::size_t>(value)].name);
}

template <typename Enum>
Enum enumerator_in(std::string_view name) {
  const auto choices = choices_of(Enum{});
  return static_cast<Enum>(std::ranges::find(choices, name, &Choice::name) - choices.begin());
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

// --- Groups --------------------------------------------------------------------------------------

enum class Group {
  voting,
  revotes,
  limits,
  blocking,
  holding,
  privacy,
  analytics,
  appearance,
  access
};

constexpr std::array<SettingGroup, 9> kGroups = {{
    {"voting", "Voting"},
    {"revotes", "Rating again"},
    {"limits", "Limits"},
    {"blocking", "Blocking"},
    {"holding", "Suspicious ratings"},
    {"privacy", "Privacy"},
    {"analytics", "Analytics"},
    {"appearance", "Appearance"},
    {"access", "Access from other sites"},
}};
static_assert(kGroups.size() == static_cast<std::size_t>(Group::access) + 1);

// --- The kinds of rows ---------------------------------------------------------------------------

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kMaxItems = 500;

struct Words {
  Group group;
  std::string_view name, title, description;
};

template <auto kMember>
constexpr Setting row(SettingType type, const Words& words) {
  return {.name = words.name,
          .title = words.title,
          .description = words.description,
          .group = kGroups[static_cast<std::size_t>(words.group)].name,
          .type = type,
          .get = get<kMember>,
          .set = set<kMember>};
}

template <auto kMember>
constexpr Setting boolean(const Words& words) {
  return row<kMember>(SettingType::boolean, words);
}

template <auto kMember>
constexpr Setting integer(const Words& words, std::int64_t minimum, std::int64_t maximum) {
  Setting setting = row<kMember>(SettingType::integer, words);
  setting.minimum = minimum;
  setting.maximum = maximum;
  return setting;
}

template <auto kMember>
constexpr Setting number(const Words& words, std::int64_t minimum, std::int64_t maximum) {
  Setting setting = integer<kMember>(words, minimum, maximum);
  setting.type = SettingType::number;
  return setting;
}

template <auto kMember>
constexpr Setting choice(const Words& words) {
  using Enum = std::remove_cvref_t<decltype(Settings{}.*kMember)>;
  Setting setting = row<kMember>(SettingType::string, words);
  setting.choices = choices_of(Enum{});
  return setting;
}

template <auto kMember>
constexpr Setting slug(const Words& words) {
  Setting setting = row<kMember>(SettingType::string, words);
  setting.form = &kSlug;
  return setting;
}

template <auto kMember>
constexpr Setting list(const Words& words, const TextForm& form) {
  Setting setting = row<kMember>(SettingType::list, words);
  setting.maximum = kMaxItems;
  setting.form = &form;
  return setting;
}

constexpr Setting categories() {
  Setting setting = row<&Settings::enabled_categories>(
      SettingType::list, {Group::voting, "enabled_categories", "Kinds of ratings",
                          "The allowed categories of ratings; other values are rejected with "
                          "400."});
  setting.minimum = 1;
  setting.choices = choices_of(Category{});
  setting.maximum = static_cast<std::int64_t>(setting.choices.size());
  return setting;
}

// --- The table -----------------------------------------------------------------------------------

constexpr std::array kSettings = {
    boolean<&Settings::enabled>(
        {Group::voting, "enabled", "Accept ratings",
         "Whether ratings are accepted; if not, POST /rate is rejected with 403."}),
    categories(),
    list<&Settings::enabled_object_types>(
        {Group::voting, "enabled_object_types", "Types of content that may be rated",
         "The types of content that may be rated; other ratings are rejected with 400. A type of "
         "the CMS means its posts, \"post\" those of every type, any other name the object type of "
         "a request. Empty: any."},
        kObjectType),
    choice<&Settings::object_check>(
        {Group::voting, "object_check", "Content that may be rated",
         "Which objects may be rated: any (off), those that the CMS knows, or those that it has "
         "published; other objects are rejected with 404."}),
    boolean<&Settings::require_login>(
        {Group::voting, "require_login", "Only registered users may rate",
         "Whether only registered users may rate; other requests are rejected with 401."}),
    number<&Settings::scale_maximum>(
        {Group::voting, "scale_maximum", "Maximum of scale ratings",
         "The maximum of scale values if a request does not name one."},
        1, 1000),

    choice<&Settings::revote>(
        {Group::revotes, "revote", "When somebody rates again",
         "What happens to another rating of the same object by the same voter: it replaces the "
         "earlier rating, is rejected for some time (cooldown, 429), or is always rejected (never, "
         "403)."}),
    integer<&Settings::revote_cooldown>(
        {Group::revotes, "revote_cooldown_hours", "Waiting time before rating again (hours)",
         "The time in hours for which revote = cooldown rejects another rating."},
        0, 8760),

    integer<&Settings::max_ratings_per_user_per_day>(
        {Group::limits, "max_ratings_per_user_per_day", "Ratings per registered user and day",
         "The maximum number of ratings of one registered user per day. 0: no limit."},
        0, kMillion),
    integer<&Settings::max_ratings_per_voter_per_day>(
        {Group::limits, "max_ratings_per_voter_per_day", "Ratings per anonymous voter and day",
         "The maximum number of ratings of one anonymous voter per day. 0: no limit."},
        0, kMillion),
    integer<&Settings::max_ratings_per_address>(
        {Group::limits, "max_ratings_per_address", "Ratings per address",
         "The maximum number of ratings from one address in address_window_hours. 0: no limit."},
        0, kMillion),
    integer<&Settings::address_window>(
        {Group::limits, "address_window_hours", "Time window of address limits (hours)",
         "The time window in hours of the limits per address."},
        1, 8760),
    integer<&Settings::max_new_voters_per_address_per_object>(
        {Group::limits, "max_new_voters_per_address_per_object",
         "New voters per address on one object",
         "The maximum number of new voters from one address on one object in "
         "address_window_hours. 0: no limit."},
        0, kMillion),
    integer<&Settings::max_program_voters_per_address_per_object>(
        {Group::limits, "max_program_voters_per_address_per_object",
         "Of these: programs that are not browsers",
         "Of the voters that max_new_voters_per_address_per_object counts, the maximum number of "
         "programs: requests without cookie, device token, Origin and Sec-Fetch-Site. 0: no "
         "limit."},
        0, 1000),
    integer<&Settings::cooldown>(
        {Group::limits, "cooldown_seconds", "Time between two ratings of a voter (seconds)",
         "The minimum time in seconds between two ratings of one voter."},
        0, 3600),
    boolean<&Settings::administrators_unlimited>(
        {Group::limits, "administrators_unlimited", "No limits for administrators",
         "Whether administrators are exempt from the limits, cooldowns and revote."}),
    integer<&Settings::rate_limit_write>(
        {Group::limits, "rate_limit_write", "Rating requests per address",
         "The maximum number of requests from one address that change ratings in "
         "rate_limit_window_seconds; further requests are rejected with 429."},
        1, kMillion),
    integer<&Settings::rate_limit_read>(
        {Group::limits, "rate_limit_read", "Other requests per address",
         "The maximum number of other public requests from one address in "
         "rate_limit_window_seconds; further requests are rejected with 429."},
        1, kMillion),
    integer<&Settings::rate_limit_window>(
        {Group::limits, "rate_limit_window_seconds", "Time window of request limits (seconds)",
         "The time in seconds in which the rate limit of an address is refilled, continuously."},
        1, 3600),

    list<&Settings::blocked_networks>(
        {Group::blocking, "blocked_networks", "Blocked addresses and networks",
         "Addresses and networks whose requests are rejected with 403."},
        kNetwork),
    list<&Settings::blocked_agents>(
        {Group::blocking, "blocked_agents", "Blocked user agents",
         "Parts of User-Agent headers; requests that contain one are rejected with 403."},
        kAgent),

    boolean<&Settings::hold_suspicious>(
        {Group::holding, "hold_suspicious", "Hold suspicious ratings",
         "Whether first ratings that are part of a burst on one object are held: they do not count "
         "until an administrator releases or drops them. Requires stored addresses."}),
    integer<&Settings::hold_threshold>(
        {Group::holding, "hold_threshold", "Similar ratings within an hour that are suspicious",
         "The number of similar first ratings of one object within an hour that is a burst; each "
         "network counts at most twice."},
        1, kMillion),

    choice<&Settings::store_address>(
        {Group::privacy, "store_address", "Addresses of voters",
         "What is stored of a voter's address: nothing, a keyed hash, or the whole address."}),
    integer<&Settings::address_retention>(
        {Group::privacy, "address_retention_days", "Keep addresses for (days)",
         "The age in days at which stored addresses are erased. 0: never."},
        0, 3650),
    integer<&Settings::voter_cookie_life>(
        {Group::privacy, "voter_cookie_days", "Recognize anonymous voters for (days)",
         "The time in days for which an anonymous voter is recognized by the cookie."},
        1, 730),
    integer<&Settings::retention_months>(
        {Group::privacy, "retention_months", "Keep single ratings for (months)",
         "The age in months at which ratings are deleted and only their sums are kept; totals do "
         "not change. 0: never."},
        0, 1200),
    choice<&Settings::on_user_deleted>({Group::privacy, "on_user_deleted", "When a user is deleted",
                                        "What the CMS's plugin does with the ratings of a user who "
                                        "is deleted in the CMS: it keeps "
                                        "or erases them."}),
    choice<&Settings::on_object_deleted>(
        {Group::privacy, "on_object_deleted", "When rated content is deleted",
         "What the CMS's plugin does with the ratings of an object that is deleted in the CMS: it "
         "keeps or removes them."}),

    choice<&Settings::analytics_access>(
        {Group::analytics, "analytics_access", "Who may see analytics",
         "Who may read analytics; names of users also require list_users."}),
    integer<&Settings::analytics_cache>(
        {Group::analytics, "analytics_cache_seconds", "Cache analytics for (seconds)",
         "The time in seconds for which a response of analytics may be cached. 0: not at all."},
        0, 300),
    integer<&Settings::bayesian_prior_weight>(
        {Group::analytics, "bayesian_prior_weight", "Weight of the site's mean in rankings",
         "The weight of the site's mean in the Bayesian average, as a number of ratings."},
        0, 1000),

    slug<&Settings::default_template_binary>({Group::appearance, "default_template_binary",
                                              "Template of binary ratings",
                                              "The template of binary ratings."}),
    slug<&Settings::default_template_bipolar>({Group::appearance, "default_template_bipolar",
                                               "Template of bipolar ratings",
                                               "The template of bipolar ratings."}),
    slug<&Settings::default_template_scale>({Group::appearance, "default_template_scale",
                                             "Template of scale ratings",
                                             "The template of scale ratings."}),

    list<&Settings::allowed_origins>(
        {Group::access, "allowed_origins", "Other sites whose pages may rate",
         "Origins in addition to the site's own whose pages and apps may send requests with "
         "credentials, exactly as the browser sends them: https://www.example.org, "
         "capacitor://localhost."},
        kOrigin),
    boolean<&Settings::allow_null_origin>(
        {Group::access, "allow_null_origin", "Pages without an origin may rate",
         "Whether requests with the origin null may rate. Browsers send it for local files, data "
         "URLs and sandboxed frames, and any page of any site can contain such a frame: its "
         "visitors' browsers may then rate without their knowledge. Only for apps that send no "
         "other origin."}),
};

}  // namespace

std::span<const Setting> all_settings() { return kSettings; }

std::span<const SettingGroup> setting_groups() { return kGroups; }

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
