#pragma once

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

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

// The request headers that Sentry sends, and the headers for W3C Baggage and Trace Context, which
// OpenTelemetry sends.
inline constexpr std::array<std::string_view, 4> kTracingHeaders = {"sentry-trace", "baggage",
                                                                    "traceparent", "tracestate"};

// The site's settings. The values here are the defaults. model/settings_table.h has their external
// names, their meanings and the allowed values. A limit of 0 means that there is no limit.
struct Settings {
  bool enabled = true;
  std::vector<Category> enabled_categories{kCategories.begin(), kCategories.end()};
  std::vector<std::string> enabled_object_types;  // empty: all types
  FacetNames facets;                              // separately rated parts of objects
  ObjectCheck object_check = ObjectCheck::off;
  bool require_login = false;
  Decimal scale_maximum = decimal_of(1);
  bool low_vote_reasons = false;  // voters can explain a low value (model/reason.h)

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
  int hold_threshold = 40;  // a class of 30 behind one address must not count as a burst

  std::vector<std::string> allowed_origins;  // as browsers write them, without "null"
  bool allow_null_origin = false;
  // Names of request headers, in lower case, that pages from allowed origins may add.
  std::vector<std::string> allowed_headers{kTracingHeaders.begin(), kTracingHeaders.end()};
  StoreAddress store_address = StoreAddress::hash;
  std::chrono::days voter_cookie_days{365};
  AnalyticsAccess analytics_access = AnalyticsAccess::administrator;
  std::chrono::seconds analytics_cache{10};  // maximum age of a cached response; 0: no cache
  int bayesian_prior_weight = 10;
  std::string default_template_binary = "simple/heart";
  std::string default_template_bipolar = "simple/thumbs";
  std::string default_template_scale = "simple/stars";

  int retention_months = 0;                 // 0: no limit
  std::chrono::days address_retention{30};  // 0: as long as the vote is stored
  // These two settings are for the CMS's plugin because ratingd does not see deletions in the CMS.
  OnUserDeleted on_user_deleted = OnUserDeleted::keep;
  OnObjectDeleted on_object_deleted = OnObjectDeleted::keep;

  bool operator==(const Settings&) const = default;
};

}  // namespace model
