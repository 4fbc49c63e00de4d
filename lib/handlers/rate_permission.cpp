#include "handlers/rate_permission.h"

#include <algorithm>

#include "cms/cms.h"
#include "handlers/vote_rules.h"
#include "votes/refusal.h"

namespace handlers {
namespace {

// The usual "may_rate" member. Writing it at once makes lists of many objects faster.
constexpr std::string_view kAllAllowed = R"({"binary":true,"bipolar":true,"scale":true})";

bool is_type_refused(const api::Core& core, const model::Settings& settings,
                     RatePermission::Audience audience, const model::Object& parent) {
  const auto& enabled = settings.enabled_object_types;
  if (enabled.empty() || std::ranges::find(enabled, parent.type) != enabled.end()) return false;
  if (parent.type != "post") return true;
  // The settings may contain the post's type in the CMS, such as "page", instead of the type
  // "post". The type in the CMS is checked here only if this worker has already read it and the
  // post is visible to everybody. When a vote is cast, the type is always checked.
  if (audience == RatePermission::Audience::everybody) return false;
  const auto state = core.published_objects.find(parent);
  return state && state->type_access == cms::TypeAccess::everybody &&
         !cms::names_own_type(enabled, state->type);
}

}  // namespace

RatePermission::RatePermission(const api::Core& core, const api::Call& call, Audience audience,
                               const model::Object& parent)
    : now_(call.request.received_at) {
  const model::Settings& settings = call.site.settings;
  const bool is_for_requester = audience == Audience::requester;
  std::string_view refusal;
  if (!settings.enabled) {
    refusal = "disabled";
  } else if (is_for_requester && settings.require_login && !call.requester.is_authenticated()) {
    refusal = "login_required";
  } else if (is_type_refused(core, settings, audience, parent)) {
    refusal = "type_disabled";
  }
  refusals_.fill(refusal);
  for (const model::Category category : model::kCategories) {
    const auto& enabled = settings.enabled_categories;
    auto& of_category = refusals_[static_cast<std::size_t>(category)];
    if (of_category.empty() && std::ranges::find(enabled, category) == enabled.end()) {
      of_category = "category_disabled";
    }
  }
  if (!is_for_requester || is_unlimited(call)) return;
  revote_ = settings.revote;
  revote_cooldown_ = settings.revote_cooldown;
}

std::string_view RatePermission::refusal(model::Category category,
                                         const std::optional<model::OwnRating>& own) const {
  const std::string_view refusal = refusals_[static_cast<std::size_t>(category)];
  if (!refusal.empty() || !own) return refusal;
  if (revote_ == model::Revote::never) return "already_rated";
  const bool cools_down = revote_ == model::Revote::cooldown &&
                          !votes::is_ahead(own->rated_at, now_) &&
                          own->rated_at + revote_cooldown_ > now_;
  return cools_down ? "cooldown" : "";
}

void RatePermission::write(json::Writer& json, const model::OwnRatings& own) const {
  const auto refusal_in = [&](model::Category category) {
    return refusal(category, own[static_cast<std::size_t>(category)]);
  };
  const bool is_refused = std::ranges::any_of(
      model::kCategories, [&](model::Category category) { return !refusal_in(category).empty(); });
  if (!is_refused) {
    json.key("may_rate").raw(kAllAllowed);
    return;
  }
  json.key("may_rate").begin_object();
  for (const model::Category category : model::kCategories) {
    json.key(name_of(category)).boolean(refusal_in(category).empty());
  }
  json.end_object();
  json.key("refusals").begin_object();
  for (const model::Category category : model::kCategories) {
    const std::string_view refusal = refusal_in(category);
    if (!refusal.empty()) json.key(name_of(category)).string(refusal);
  }
  json.end_object();
}

}  // namespace handlers
