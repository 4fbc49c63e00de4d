#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "base/text.h"
#include "model/setting_values.h"
#include "model/settings.h"

namespace model {
namespace {

// --- Groups --------------------------------------------------------------------------------------

// The setting groups, in display order. The array kSettings contains the settings in the order of
// their groups.
constexpr auto kGroups = std::to_array<SettingGroup>({
    {"voting", "Voting"},
    {"revotes", "Rating again"},
    {"limits", "Abuse limits"},
    {"blocking", "Blocking"},
    {"holding", "Suspicious ratings"},
    {"privacy", "Privacy"},
    {"analytics", "Statistics"},
    {"appearance", "Appearance"},
    {"access", "Other sites and apps"},
});

// --- The kinds of rows ---------------------------------------------------------------------------

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kMaxItems = 500;

struct Words {
  std::string_view group, name, title, description, keywords = {};
};

// Search keywords shared by several settings. Each list of keywords has to be translated only once.
// Translations may contain different keywords.
constexpr std::string_view kSpam = "Spam, bots, captcha, abuse, attack, flood, fraud, manipulation";
constexpr std::string_view kGdpr =
    "GDPR, data protection, personal data, privacy, consent, cookies";
constexpr std::string_view kLook = "Design, style, widget, icon, stars, heart, thumbs, layout";
constexpr std::string_view kApps = "CORS, headless, app, subdomain, domain, API, cross-origin";

template <auto kMember>
constexpr Setting row(SettingType type, const Words& words) {
  return {.name = words.name,
          .title = words.title,
          .description = words.description,
          .keywords = words.keywords,
          .group = words.group,
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
constexpr Setting template_of(Category category, const Words& words) {
  Setting setting = row<kMember>(SettingType::string, words);
  setting.form = &kSlug;
  setting.template_category = category;
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
      SettingType::list, {"voting", "enabled_categories", "Kinds of ratings",
                          "Visitors can give only the chosen kinds of ratings. A widget for a kind "
                          "that is not chosen does not accept ratings.",
                          "Stars, likes, thumbs, hearts, categories"});
  setting.minimum = 1;
  setting.choices = choices_of(Category{});
  setting.maximum = static_cast<std::int64_t>(setting.choices.size());
  return setting;
}

constexpr Setting facets() {
  Setting setting = list<&Settings::facets>(
      {"voting", "facets", "Criteria and reactions",
       "Enter the names of criteria, such as taste and service, or of reactions, such as love and "
       "funny. Visitors can rate the criteria and choose the reactions in addition to rating the "
       "content itself. If you remove a name, its ratings are kept.",
       "Multiple criteria, multi-set, facets, aspects, emoji"},
      kFacetName);
  setting.maximum = static_cast<std::int64_t>(kMaxFacets);
  return setting;
}

constexpr Setting headers() {
  Setting setting = list<&Settings::allowed_headers>(
      {"access", "allowed_headers", "Request headers that other sites may send",
       "Some tools on other sites, such as the monitoring tool Sentry, add headers to requests. "
       "Enter the names of these headers. Browsers block requests from other sites if the requests "
       "contain an added header that is not in this list.",
       kApps},
      kHeaderName);
  setting.maximum = 20;
  return setting;
}

// Marks a setting as advanced. The settings page shows advanced settings only on demand.
constexpr Setting advanced(Setting setting) {
  setting.is_advanced = true;
  return setting;
}

// --- The table -----------------------------------------------------------------------------------

constexpr std::array kSettings = {
    boolean<&Settings::enabled>(
        {"voting", "enabled", "Accept ratings",
         "If this setting is off, visitors still see ratings but cannot rate.",
         "Close, pause, disable, turn off, stop"}),
    categories(),
    list<&Settings::enabled_object_types>(
        {"voting", "enabled_object_types", "Content types that may be rated",
         "If no type is chosen, visitors can rate everything. You can also enter content types "
         "that are rated only by external programs."},
        kObjectType),
    facets(),
    choice<&Settings::object_check>({"voting", "object_check", "Content that may be rated",
                                     "If you choose “Published content”, visitors cannot rate "
                                     "drafts, deleted content or content that never existed.",
                                     kSpam}),
    boolean<&Settings::require_login>(
        {"voting", "require_login", "Only registered users may rate",
         "Visitors must log in before they can rate.",
         "Anonymous, guests, members, login, account, spam, bots, captcha"}),
    boolean<&Settings::low_vote_reasons>(
        {"voting", "low_vote_reasons", "Ask visitors why they gave a low rating",
         "Visitors who give a low rating (a dislike, a thumbs down or at most half of the "
         "stars) can write what could be better. The visitor’s text is shown with the rating, "
         "but only to people with permission to list the site’s users.",
         "Feedback, comment, complaint, why, text, form, review"}),
    advanced(number<&Settings::scale_maximum>(
        {"voting", "scale_maximum", "Default maximum for ratings from apps",
         "This setting applies only if an app sends a rating without the maximum of its scale. "
         "Star and slider widgets always send both numbers.",
         "Maximum, stars, points, app, API"},
        1, 1000)),

    choice<&Settings::revote>(
        {"revotes", "revote", "When somebody rates again",
         "Choose what happens if a visitor rates the same content a second time.",
         "Change, undo, withdraw, duplicate, twice, once"}),
    integer<&Settings::revote_cooldown>(
        {"revotes", "revote_cooldown_hours", "Waiting period before rating again (hours)",
         "Visitors must wait this long before they can change a rating. This setting applies "
         "only if “Not allowed during the waiting period” is chosen."},
        0, 8760),

    integer<&Settings::max_ratings_per_user_per_day>(
        {"limits", "max_ratings_per_user_per_day", "Ratings per registered user per day",
         "Limits how many ratings a registered user can give per day. 0 means no limit.", kSpam},
        0, kMillion),
    integer<&Settings::max_ratings_per_voter_per_day>(
        {"limits", "max_ratings_per_voter_per_day", "Ratings per anonymous visitor per day",
         "Limits how many ratings a visitor who is not logged in can give per day. 0 means no "
         "limit.",
         kSpam},
        0, kMillion),
    advanced(integer<&Settings::max_ratings_per_address>(
        {"limits", "max_ratings_per_address", "Ratings per IP address",
         "Limits how many ratings all visitors who share an IP address can give within the time "
         "window. People in a household, school or company often share an IP address. 0 means no "
         "limit.",
         kSpam},
        0, kMillion)),
    advanced(integer<&Settings::address_window>(
        {"limits", "address_window_hours", "Time window for the limits per IP address (hours)",
         "The limits on ratings and new visitors per IP address apply to a time window of this "
         "length.",
         kSpam},
        1, 8760)),
    advanced(integer<&Settings::max_new_voters_per_address_per_object>(
        {"limits", "max_new_voters_per_address_per_object",
         "New visitors per IP address and content item",
         "Limits how many visitors who are not logged in can rate the same content from one IP "
         "address within the time window. This limit stops people who delete their cookies in "
         "order to rate again. 0 means no limit.",
         kSpam},
        0, kMillion)),
    advanced(integer<&Settings::cooldown>(
        {"limits", "cooldown_seconds", "Minimum time between two ratings by a visitor (seconds)",
         "Visitors must wait this long before rating again or changing a rating.", kSpam},
        0, 3600)),
    boolean<&Settings::administrators_unlimited>(
        {"limits", "administrators_unlimited", "No limits for administrators",
         "The limits and waiting periods do not apply to administrators.", "Test, admin"}),
    advanced(integer<&Settings::rate_limit_write>(
        {"limits", "rate_limit_write", "Rating requests per IP address",
         "Limits how many rating requests all visitors who share an IP address can send within the "
         "time window for requests. Refused ratings also count towards the limit. Visitors who "
         "exceed the limit are asked to wait.",
         kSpam},
        1, kMillion)),
    advanced(integer<&Settings::rate_limit_read>(
        {"limits", "rate_limit_read", "Requests per IP address to load ratings",
         "Limits how often all visitors who share an IP address can load ratings within the time "
         "window for requests. Visitors who exceed the limit are asked to wait.",
         kSpam},
        1, kMillion)),
    advanced(integer<&Settings::rate_limit_window>(
        {"limits", "rate_limit_window_seconds", "Time window for requests (seconds)",
         "After this time, an IP address that has reached its limit can send the full number "
         "of requests again.",
         kSpam},
        1, 3600)),

    list<&Settings::blocked_networks>(
        {"blocking", "blocked_networks", "Blocked IP addresses and networks",
         "Visitors with these IP addresses cannot rate. Blocked visitors still see ratings and can "
         "remove their own ratings. If you block a network such as 192.0.2.0/24, all its addresses "
         "are blocked.",
         kSpam},
        kNetwork),
    advanced(list<&Settings::blocked_agents>(
        {"blocking", "blocked_agents", "Blocked programs",
         "Enter part of the name that a browser or program sends (User-Agent), such as curl. "
         "Visitors cannot rate if the name of their browser contains one of these parts. Blocked "
         "visitors still see ratings and can remove their own ratings.",
         kSpam},
        kAgent)),

    boolean<&Settings::hold_suspicious>(
        {"holding", "hold_suspicious", "Hold suspicious ratings",
         "Similar ratings of the same content are held for review if many of them arrive within an "
         "hour. Held ratings do not count until an administrator releases them on the “Held” page. "
         "This setting works only if IP addresses are stored.",
         kSpam}),
    advanced(integer<&Settings::hold_threshold>(
        {"holding", "hold_threshold", "Suspicious number of similar ratings per hour",
         "Similar ratings of the same content are held for review if at least this many arrive "
         "within an hour. At most two ratings per network count towards this number.",
         kSpam},
        1, kMillion)),

    choice<&Settings::store_address>(
        {"privacy", "store_address", "IP addresses of visitors",
         "Choose how a visitor’s IP address is stored with each rating.", kGdpr}),
    integer<&Settings::address_retention>(
        {"privacy", "address_retention_days", "Days to keep IP addresses",
         "Stored IP addresses are erased after this time. 0 means that they are never erased.",
         kGdpr},
        0, 3650),
    integer<&Settings::voter_cookie_days>(
        {"privacy", "voter_cookie_days", "Days to recognize anonymous visitors",
         "The number of days for which a cookie recognizes visitors who rated without logging in.",
         kGdpr},
        1, 730),
    integer<&Settings::retention_months>(
        {"privacy", "retention_months", "Months to keep individual ratings",
         "After this time, individual ratings are replaced by totals, which do not show who rated. "
         "Totals are always kept. Enter 0 to keep all individual ratings.",
         kGdpr},
        0, 1200),
    choice<&Settings::on_user_deleted>(
        {"privacy", "on_user_deleted", "When a user is deleted",
         "Choose what happens to a user’s ratings if the user’s account is deleted.", kGdpr}),
    choice<&Settings::on_object_deleted>(
        {"privacy", "on_object_deleted", "When rated content is deleted",
         "Choose what happens to the ratings of content that is deleted permanently.", kGdpr}),

    choice<&Settings::analytics_access>(
        {"analytics", "analytics_access", "Who may see statistics",
         "Choose which users can see the statistics. Only people with permission to list the "
         "site’s users can see the users’ names.",
         "Analytics, reports, editors, roles, permissions"}),
    advanced(integer<&Settings::analytics_cache>(
        {"analytics", "analytics_cache_seconds", "Maximum age of statistics (seconds)",
         "Statistics that are older than this are recomputed. 0 means that statistics are "
         "computed for each request.",
         "Cache, speed, performance"},
        0, 300)),
    advanced(integer<&Settings::bayesian_prior_weight>(
        {"analytics", "bayesian_prior_weight", "Weight of the site's average in rankings",
         "In rankings, each item is treated as if it had this many additional ratings with the "
         "site’s average value. As a result, items with only one or two high ratings do not lead "
         "the rankings.",
         "Bayesian, sort, order, top rated, best"},
        0, 1000)),

    template_of<&Settings::default_template_binary>(
        Category::binary,
        {"appearance", "default_template_binary", "Widget for likes",
         "This template is used for likes if a page does not specify another template.", kLook}),
    template_of<&Settings::default_template_bipolar>(
        Category::bipolar,
        {"appearance", "default_template_bipolar", "Widget for upvotes and downvotes",
         "This template is used for upvotes and downvotes if a page does not specify another "
         "template.",
         kLook}),
    template_of<&Settings::default_template_scale>(
        Category::scale, {"appearance", "default_template_scale", "Widget for stars",
                          "This template is used for stars and other scales if a page does not "
                          "specify another template.",
                          kLook}),

    list<&Settings::allowed_origins>(
        {"access", "allowed_origins", "Other sites whose visitors may rate",
         "Enter the addresses of your other sites and apps, such as https://www.example.org or "
         "capacitor://localhost. Add only sites and apps that you trust, because they can act on "
         "behalf of your logged-in users.",
         kApps},
        kOrigin),
    advanced(boolean<&Settings::allow_null_origin>(
        {"access", "allow_null_origin", "Ratings from apps that send no address",
         "Turn this setting on only if your app does not send its address (“Origin: null”). If "
         "this setting is on, any site can hide its address and send ratings on behalf of its "
         "visitors without their knowledge.",
         kApps})),
    advanced(headers()),
};

}  // namespace

std::span<const Setting> all_settings() { return kSettings; }

std::span<const SettingGroup> setting_groups() { return kGroups; }

const Setting* find_setting(std::string_view name) {
  const auto* const found = std::ranges::find(kSettings, name, &Setting::name);
  return found == kSettings.end() ? nullptr : found;
}

std::optional<base::Message> retirement_of(std::string_view name) {
  if (name != "max_program_voters_per_address_per_object") return std::nullopt;
  return base::Message(
      "The {name} setting was removed in version 0.4, so its stored value was ignored.",
      {{"name", std::string(name)}});
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
