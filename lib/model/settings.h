#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "base/message.h"
#include "model/decimal.h"
#include "model/facets.h"
#include "model/rating.h"

namespace model {

enum class ObjectCheck { off, known, published };  // each value is stricter than the value before
enum class Revote { replace, cooldown, never };
enum class StoreAddress { none, hash, full };
enum class OnUserDeleted { keep, erase };
enum class OnObjectDeleted { keep, remove };
enum class AnalyticsAccess { administrator, editor, authenticated, public_ };

// The request headers read by ratingd itself, in the format of the Access-Control-Allow-Headers
// header.
inline constexpr std::string_view kOwnRequestHeaders =
    "Authorization, Content-Type, Content-Disposition, Content-MD5, If-None-Match, "
    "X-Requested-With, X-WP-Nonce, X-HTTP-Method-Override, X-Ratingd-Device, X-Ratingd-Ticket";

// The tracing headers sent by Sentry and by OpenTelemetry (W3C Baggage and Trace Context).
inline constexpr std::array<std::string_view, 4> kTracingHeaders = {"sentry-trace", "baggage",
                                                                    "traceparent", "tracestate"};

// The site's settings. The initial values of the members are the default values of the settings.
// all_settings() returns the name, description and allowed values of each setting. For limits, the
// value 0 means that there is no limit.
struct Settings {
  bool enabled = true;
  std::vector<Category> enabled_categories{kCategories.begin(), kCategories.end()};
  std::vector<std::string> enabled_object_types;  // if empty, all types
  FacetNames facets;                              // separately rated parts of objects
  ObjectCheck object_check = ObjectCheck::off;
  bool require_login = false;
  Decimal scale_maximum = decimal_of(1);
  bool low_vote_reasons = false;  // voters can explain a low value (model/rating.h)

  Revote revote = Revote::replace;
  std::chrono::hours revote_cooldown{24};
  int max_ratings_per_user_per_day = 0;
  int max_ratings_per_voter_per_day = 1000;
  int max_ratings_per_address = 5000;
  std::chrono::hours address_window{24};
  int max_new_voters_per_address_per_object = 100;
  std::chrono::seconds cooldown{0};
  bool administrators_unlimited = true;

  int rate_limit_write = 300;
  int rate_limit_read = 3000;
  std::chrono::seconds rate_limit_window{60};
  std::vector<std::string> blocked_networks;
  std::vector<std::string> blocked_agents;
  bool hold_suspicious = false;
  int hold_threshold = 40;  // a school class of 30 that shares an address must not count as a burst

  std::vector<std::string> allowed_origins;  // as browsers write them, without "null"
  bool allow_null_origin = false;
  // The names, in lower case, of additional headers that requests from allowed origins may contain.
  std::vector<std::string> allowed_headers{kTracingHeaders.begin(), kTracingHeaders.end()};
  StoreAddress store_address = StoreAddress::hash;
  std::chrono::days voter_cookie_days{365};
  AnalyticsAccess analytics_access = AnalyticsAccess::administrator;
  // How long analytics responses are cached. The value 0 disables the cache.
  std::chrono::seconds analytics_cache{10};
  int bayesian_prior_weight = 10;
  std::string default_template_binary = "simple/heart";
  std::string default_template_bipolar = "simple/thumbs";
  std::string default_template_scale = "simple/stars";

  int retention_months = 0;                 // 0 means no limit
  std::chrono::days address_retention{30};  // 0 means as long as the vote is stored
  // The on_user_deleted and on_object_deleted settings are used only by ratingd's plugin in the
  // CMS, because ratingd itself is not notified of deletions in the CMS.
  OnUserDeleted on_user_deleted = OnUserDeleted::keep;
  OnObjectDeleted on_object_deleted = OnObjectDeleted::keep;

  bool operator==(const Settings&) const = default;
};

// The value of a setting, as it appears in requests and files.
using SettingValue = std::variant<bool, Decimal, std::string, std::vector<std::string>>;

enum class SettingType { boolean, integer, number, string, list };

// The required format of a string setting without a fixed list of choices.
struct TextForm {
  std::string_view phrase;  // describes the format: "a network such as 192.0.2.0/24"
  // Converts "text" to its normal form, or returns nothing if "text" does not have the required
  // format.
  std::optional<std::string> (*read)(std::string_view text);
};

// An allowed string for a setting.
struct Choice {
  std::string_view name;
  std::string_view title;  // the meaning in a few words, for people
};

// A settings group.
struct SettingGroup {
  std::string_view name;
  std::string_view title;
};

// The description of a setting.
struct Setting {
  std::string_view name;
  std::string_view title;        // a few words for the site's owner
  std::string_view description;  // sentences for the site's owner
  // Additional words by which a search finds the setting. The list can be empty.
  std::string_view keywords;
  std::string_view group;  // the name of its SettingGroup
  SettingType type;
  bool is_advanced = false;  // only few owners need it
  // The bounds for the value of an integer or a number, or for the number of items in a list.
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  // The allowed strings for a string setting or for the items of a list setting. If "choices" is
  // empty, the allowed strings are defined by "form".
  std::span<const Choice> choices = {};
  const TextForm* form = nullptr;
  // If the setting's value is the name of one of the site's templates (store/template_store.h), the
  // category that the template must have.
  std::optional<Category> template_category = std::nullopt;
  // "get" and "set" read and write the setting's member in Settings. "value" must be a result of
  // accept() for this setting.
  SettingValue (*get)(const Settings& settings) = nullptr;
  void (*set)(Settings& settings, const SettingValue& value) = nullptr;
};

// The reason why a value was rejected.
struct Refusal {
  enum class Reason { type, bounds, choice, form, fixed };
  Reason reason;
  base::Message message;  // a sentence that says what is allowed
};

// Converts "given" to the setting's normal form. Reads values in the same way as WordPress reads
// parameters (rest-api.php, rest_validate_value_from_schema and rest_sanitize_value_from_schema).
// For a numeric setting, a string that contains a number is converted to a number. For a boolean
// setting, 0, 1, "true" and "false", in upper or lower case, are allowed. For a list setting, a
// comma-separated string is converted to a list. List items are trimmed, and duplicates are
// removed. An empty "given" stands for a value whose type no setting accepts, and is always
// rejected.
[[nodiscard]] tl::expected<SettingValue, Refusal> accept(const Setting& setting,
                                                         const std::optional<SettingValue>& given);

// Returns "value" as text that accept() can read, such as "true", "0.5" or "binary,scale".
[[nodiscard]] std::string to_text(const SettingValue& value);

// --- The table of all settings (settings_table.cpp) ----------------------------------------------

// Returns all settings, in display order. The code that stores, checks, describes and changes
// settings uses only this table.
[[nodiscard]] std::span<const Setting> all_settings();

// Returns the groups of settings, in display order. all_settings() returns the settings of a group
// together.
[[nodiscard]] std::span<const SettingGroup> setting_groups();

// Returns nullptr if there is no setting with this name.
[[nodiscard]] const Setting* find_setting(std::string_view name);

// Returns a warning if "name" is a setting that existed in earlier versions but has been removed.
// Requests and files may still contain the name of a retired setting, but the value is ignored.
// Returns nothing if "name" is not the name of a retired setting. Version 0.5 will delete the names
// and the rows of retired settings.
[[nodiscard]] std::optional<base::Message> retirement_of(std::string_view name);

// For an unknown setting name, returns the three most similar setting names, the most similar name
// first.
[[nodiscard]] std::vector<std::string_view> names_like(std::string_view name);

}  // namespace model
