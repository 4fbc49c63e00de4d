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

// The groups in display order. The rows of kSettings have the same order.
constexpr auto kGroups = std::to_array<SettingGroup>({
    {"voting", "Voting"},
    {"revotes", "Rating again"},
    {"limits", "Limits against abuse"},
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

// Keyword lists that several settings share, so that they are translated only once. Translators may
// use other keywords.
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
      SettingType::list,
      {"voting", "enabled_categories", "Kinds of ratings",
       "The kinds of ratings that visitors may give. Widgets of other kinds take no ratings.",
       "Stars, likes, thumbs, hearts, categories"});
  setting.minimum = 1;
  setting.choices = choices_of(Category{});
  setting.maximum = static_cast<std::int64_t>(setting.choices.size());
  return setting;
}

constexpr Setting facets() {
  Setting setting = list<&Settings::facets>(
      {"voting", "facets", "Criteria and reactions",
       "Names of what visitors may rate of the same content besides the content itself, such as "
       "taste and service, or love and funny. Ratings of names that you remove are kept.",
       "Multiple criteria, multi-set, facets, aspects, emoji"},
      kFacetName);
  setting.maximum = static_cast<std::int64_t>(kMaxFacets);
  return setting;
}

constexpr Setting headers() {
  Setting setting = list<&Settings::allowed_headers>(
      {"access", "allowed_headers", "Request headers that these sites may add",
       "Names of headers that programs on the other sites add to their requests, as monitoring "
       "tools such as Sentry do. Browsers block requests with other headers.",
       kApps},
      kHeaderName);
  setting.maximum = 20;
  return setting;
}

// The settings page shows an advanced setting on demand.
constexpr Setting advanced(Setting setting) {
  setting.is_advanced = true;
  return setting;
}

// --- The table -----------------------------------------------------------------------------------

constexpr std::array kSettings = {
    boolean<&Settings::enabled>({"voting", "enabled", "Accept ratings",
                                 "Whether visitors may rate. If not, they still see the ratings.",
                                 "Close, pause, disable, turn off, stop"}),
    categories(),
    list<&Settings::enabled_object_types>(
        {"voting", "enabled_object_types", "Types of content that may be rated",
         "Without a list of types, everything may be rated. \"post\" allows content of every type. "
         "Other names are types that programs send."},
        kObjectType),
    facets(),
    choice<&Settings::object_check>({"voting", "object_check", "Content that may be rated",
                                     "Whether drafts, deleted content and content that never "
                                     "existed may be rated. “Published content” refuses them.",
                                     kSpam}),
    boolean<&Settings::require_login>(
        {"voting", "require_login", "Only registered users may rate",
         "Whether visitors have to log in before they may rate.",
         "Anonymous, guests, members, login, account, spam, bots, captcha"}),
    boolean<&Settings::low_vote_reasons>(
        {"voting", "low_vote_reasons", "Ask for the reason of a low rating",
         "Whether visitors may write why they rate with a dislike, a thumb down or at most half of "
         "the stars. Only those who may list the users of the site read it, beside the rating.",
         "Feedback, comment, complaint, why, text, form, review"}),
    advanced(number<&Settings::scale_maximum>(
        {"voting", "scale_maximum", "Highest value of ratings sent by programs",
         "Of ratings that a program or an app sends without a scale. Stars and sliders do not need "
         "it: they always send their own scale.",
         "Maximum, stars, points, app, API"},
        1, 1000)),

    choice<&Settings::revote>({"revotes", "revote", "When somebody rates again",
                               "Whether visitors may change a rating that they gave earlier.",
                               "Change, undo, withdraw, duplicate, twice, once"}),
    integer<&Settings::revote_cooldown>(
        {"revotes", "revote_cooldown_hours", "Waiting time before rating again (hours)",
         "How long a visitor has to wait before changing a rating, if that is not allowed for some "
         "time."},
        0, 8760),

    integer<&Settings::max_ratings_per_user_per_day>(
        {"limits", "max_ratings_per_user_per_day", "Ratings per registered user and day",
         "How many ratings a registered user may give per day. 0 means no limit.", kSpam},
        0, kMillion),
    integer<&Settings::max_ratings_per_voter_per_day>(
        {"limits", "max_ratings_per_voter_per_day", "Ratings per anonymous visitor and day",
         "How many ratings a visitor who is not logged in may give per day. 0 means no limit.",
         kSpam},
        0, kMillion),
    advanced(integer<&Settings::max_ratings_per_address>(
        {"limits", "max_ratings_per_address", "Ratings per IP address",
         "How many ratings all visitors behind one IP address may give within the time window "
         "below. Homes, schools and companies often share one. 0 means no limit.",
         kSpam},
        0, kMillion)),
    advanced(integer<&Settings::address_window>(
        {"limits", "address_window_hours", "Time window of the limits per IP address (hours)",
         "The hours within which ratings and new visitors of one IP address are counted.", kSpam},
        1, 8760)),
    advanced(integer<&Settings::max_new_voters_per_address_per_object>(
        {"limits", "max_new_voters_per_address_per_object",
         "New visitors per IP address on the same content",
         "How many visitors who never rated before may rate the same content from one IP address "
         "within the time window. It stops people who delete their cookies to rate again. 0 means "
         "no limit.",
         kSpam},
        0, kMillion)),
    advanced(integer<&Settings::cooldown>(
        {"limits", "cooldown_seconds", "Time between two ratings of a visitor (seconds)",
         "How long a visitor has to wait before rating something else.", kSpam},
        0, 3600)),
    boolean<&Settings::administrators_unlimited>(
        {"limits", "administrators_unlimited", "No limits for administrators",
         "Whether administrators may rate without these limits and waiting times.", "Test, admin"}),
    advanced(integer<&Settings::rate_limit_write>(
        {"limits", "rate_limit_write", "Clicks on ratings per IP address",
         "How often visitors behind one IP address may send ratings within the time window of "
         "requests, whether these count or not. After that they are asked to wait.",
         kSpam},
        1, kMillion)),
    advanced(integer<&Settings::rate_limit_read>(
        {"limits", "rate_limit_read", "Other requests per IP address",
         "How often visitors behind one IP address may load ratings within the time window of "
         "requests. After that they are asked to wait.",
         kSpam},
        1, kMillion)),
    advanced(integer<&Settings::rate_limit_window>(
        {"limits", "rate_limit_window_seconds", "Time window of requests (seconds)",
         "The seconds after which an IP address has its full number of requests again.", kSpam},
        1, 3600)),

    list<&Settings::blocked_networks>(
        {"blocking", "blocked_networks", "Blocked IP addresses and networks",
         "Visitors with these IP addresses may not rate; they still see ratings and may withdraw "
         "theirs. A network such as 192.0.2.0/24 stands for all its addresses.",
         kSpam},
        kNetwork),
    advanced(list<&Settings::blocked_agents>(
        {"blocking", "blocked_agents", "Blocked programs",
         "Parts of the names that browsers and programs give themselves (User-Agent), such as "
         "curl. Visitors with such a name may not rate; they still see ratings and may withdraw "
         "theirs.",
         kSpam},
        kAgent)),

    boolean<&Settings::hold_suspicious>(
        {"holding", "hold_suspicious", "Hold suspicious ratings",
         "Whether many similar ratings of the same content at once are held: they do not count "
         "until an administrator releases them under “Held”. IP addresses have to be stored for "
         "this.",
         kSpam}),
    advanced(integer<&Settings::hold_threshold>(
        {"holding", "hold_threshold", "Similar ratings within an hour that are suspicious",
         "How many similar ratings of the same content within an hour are held. Ratings from one "
         "network count at most twice.",
         kSpam},
        1, kMillion)),

    choice<&Settings::store_address>({"privacy", "store_address", "IP addresses of visitors",
                                      "What is stored of the IP address of a visitor who rates.",
                                      kGdpr}),
    integer<&Settings::address_retention>(
        {"privacy", "address_retention_days", "Keep IP addresses for (days)",
         "After how many days stored IP addresses are erased. 0 means never.", kGdpr},
        0, 3650),
    integer<&Settings::voter_cookie_days>(
        {"privacy", "voter_cookie_days", "Recognize anonymous visitors for (days)",
         "How long a cookie recognizes a visitor who rated without logging in.", kGdpr},
        1, 730),
    integer<&Settings::retention_months>(
        {"privacy", "retention_months", "Keep single ratings for (months)",
         "After how many months it is forgotten who gave which rating. The totals stay. 0 means "
         "never.",
         kGdpr},
        0, 1200),
    choice<&Settings::on_user_deleted>(
        {"privacy", "on_user_deleted", "When a user is deleted",
         "What happens to the ratings of a user whose account is deleted.", kGdpr}),
    choice<&Settings::on_object_deleted>(
        {"privacy", "on_object_deleted", "When rated content is deleted",
         "What happens to the ratings of content that is deleted for good.", kGdpr}),

    choice<&Settings::analytics_access>({"analytics", "analytics_access", "Who may see statistics",
                                         "Who may see how content is rated. The names of users are "
                                         "shown only to those who may list the users of the site.",
                                         "Analytics, reports, editors, roles, permissions"}),
    advanced(integer<&Settings::analytics_cache>(
        {"analytics", "analytics_cache_seconds", "Renew statistics after (seconds)",
         "The greatest age of the statistics that are shown. 0 means that each request computes "
         "them.",
         "Cache, speed, performance"},
        0, 300)),
    advanced(integer<&Settings::bayesian_prior_weight>(
        {"analytics", "bayesian_prior_weight", "Weight of the site's average in rankings",
         "Keeps content with one or two ratings from leading the rankings: it is ranked as if it "
         "had this many more ratings of the site's average.",
         "Bayesian, sort, order, top rated, best"},
        0, 1000)),

    template_of<&Settings::default_template_binary>(
        Category::binary, {"appearance", "default_template_binary", "Widget for likes",
                           "How widgets for likes look if their page names no template.", kLook}),
    template_of<&Settings::default_template_bipolar>(
        Category::bipolar,
        {"appearance", "default_template_bipolar", "Widget for up and down",
         "How widgets for ratings up and down look if their page names no template.", kLook}),
    template_of<&Settings::default_template_scale>(
        Category::scale,
        {"appearance", "default_template_scale", "Widget for stars",
         "How widgets for stars and other scales look if their page names no template.", kLook}),

    list<&Settings::allowed_origins>(
        {"access", "allowed_origins", "Other sites whose visitors may rate",
         "The addresses of other sites and apps of yours, such as https://www.example.org or "
         "capacitor://localhost. Only add those that you trust: they act for your logged-in users.",
         kApps},
        kOrigin),
    advanced(boolean<&Settings::allow_null_origin>(
        {"access", "allow_null_origin", "Pages without an address may rate",
         "Only for apps that send no address of their own (the origin “null”). Any page of any "
         "site can hide its address, too: its visitors may then rate without their knowledge.",
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
  return base::Message("Version 0.4 has removed the setting {name}. Its value was ignored.",
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
