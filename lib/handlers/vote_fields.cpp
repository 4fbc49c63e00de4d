#include "handlers/vote_fields.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "api/fields.h"
#include "base/text.h"
#include "db/pool.h"
#include "model/decimal.h"
#include "model/facets.h"
#include "model/rating.h"

namespace handlers {
namespace {

using model::Category;
using model::Decimal;
using model::Thousandths;
using Facets = Vote::Facets;

// A vote's value, or a message that lists the allowed values.
using ReadValue = tl::expected<Thousandths, base::Message>;

ReadValue fixed_value(Category category, const Decimal& number) {
  if (const auto value = model::value_in(category, number)) return *value;
  return tl::unexpected(
      category == Category::binary
          ? base::Message("The value must be 0 or 1 for the “binary” category.")
          : base::Message("The value must be -1, 0 or 1 for the “bipolar” category."));
}

std::string text_of(const json::Value* value) {
  if (const auto* number = std::get_if<json::Value::Number>(&value->data)) return number->text;
  const auto* text = std::get_if<std::string>(&value->data);
  return text == nullptr ? "" : *text;
}

ReadValue scale_value(const api::Call& call, const Decimal& number,
                      const std::optional<Decimal>& scale) {
  const Decimal maximum = scale.value_or(call.site.settings.scale_maximum);
  if (const auto share = model::thousandths_of(number, maximum)) return *share;
  if (scale) {
    return tl::unexpected(
        base::Message("The value must be from 0 to the maximum in the “scale” field "
                      "({maximum}).",
                      {{"maximum", text_of(call.parameters.find("scale"))}}));
  }
  return tl::unexpected(base::Message(
      "The value must be from 0 to {maximum} for the “scale” category. To use a different "
      "maximum, send it in the “scale” field, such as {\"value\":4,\"scale\":5}.",
      {{"maximum", model::to_text(call.site.settings.scale_maximum)}}));
}

// Rejects the "scale" field if the category does not allow a scale or the scale is out of range.
std::optional<Decimal> read_scale(api::Fields& fields, const api::Parameters& parameters,
                                  std::optional<Category> category) {
  const auto range = base::Message("The “scale” field must be a number from 1 to 1000.");
  const json::Value* value = parameters.find("scale");
  if (value == nullptr) return std::nullopt;
  if (category && *category != Category::scale) {
    fields.reject("scale", "rest_invalid_param",
                  base::Message("The “scale” field is allowed only for the “scale” category."));
    return std::nullopt;
  }
  auto scale = json::decimal_in(*value);
  if (!scale) {
    fields.reject("scale", "rest_invalid_type", range);
    return std::nullopt;
  }
  if (*scale < model::decimal_of(1) || *scale > model::decimal_of(1000)) {
    fields.reject("scale", api::kOutOfBounds, range);
    return std::nullopt;
  }
  return scale;
}

cms::ObjectState state_of(const api::Core& core, const model::Object& object) {
  if (auto state = core.published_objects.find(object)) return *std::move(state);
  const auto stamp = core.published_objects.stamp();
  auto state = core.sessions.with_session(
      [&](db::Connection& connection) { return core.cms.state_of(connection, object); });
  core.published_objects.fill(object, state, stamp);
  return state;
}

// Returns whether everybody may know that the object exists and which type it has.
bool is_for_everybody(const cms::ObjectState& state) {
  return state.passed_check == model::ObjectCheck::published &&
         state.type_access == cms::TypeAccess::everybody;
}

// Reads the object. If the `enabled_object_types` setting is not empty, it must contain the
// object's type or, for a post, the post's type in the CMS. A facet may be rated if its object may
// be rated. If a post's type is not allowed, the post is treated as missing, unless the post and
// its type are public. The response to a vote must not reveal whether an unpublished or internal
// post exists.
void read_object(api::Fields& fields, const api::Core& core, const api::Call& call, Vote& vote) {
  constexpr std::string_view kName = "object_type";
  vote.object.id = fields.object_id("object_id").value_or(0);
  const auto type = fields.object_type(kName);
  if (!type && call.parameters.find(kName) != nullptr) return;  // has already been rejected
  vote.object.type = type.value_or("post");
  vote.parent = model::parent_of(vote.object, call.site.settings.facets);
  const auto& enabled = call.site.settings.enabled_object_types;
  const auto is_enabled = [&](const std::string& one) {
    return one == vote.parent.type || one == vote.object.type;
  };
  if (enabled.empty() || std::ranges::any_of(enabled, is_enabled)) return;
  base::Message sentence = api::must_be_one_of(kName, enabled);
  if (vote.parent.type == "post" && vote.parent.id != 0) {
    vote.state = state_of(core, vote.parent);
    if (cms::names_own_type(enabled, vote.state->type)) return;
    if (!is_for_everybody(*vote.state)) {
      vote.state = cms::ObjectState();
      if (call.site.settings.object_check != model::ObjectCheck::off) return;
    } else {
      sentence = base::Message("{sentence} The type of this post is {type}.",
                               {{"sentence", sentence}, {"type", vote.state->type}});
    }
  }
  fields.reject(kName, "rest_not_in_enum", std::move(sentence));
}

// The vote's category and, if the request contains a scale, the scale of the vote's values.
struct ValueForm {
  Category category;
  std::optional<Decimal> scale;
};

ReadValue value_in(const api::Call& call, const ValueForm& form, const Decimal& number) {
  return form.category == Category::scale ? scale_value(call, number, form.scale)
                                          : fixed_value(form.category, number);
}

bool can_have(const std::string& type, const Facets& facets) {
  return std::ranges::all_of(
      facets, [&](const auto& facet) { return model::can_have(type, {facet.first}); });
}

// Returns the names and values of the facets in the JSON object "object". The value null withdraws
// a rating. Rejects the "facets" field at the first invalid name or value. Ignores unknown facets
// if the request also contains a known facet, because the owner may have removed a facet while the
// page was cached. Rejects the field if only unknown facets have values, because no rating would be
// stored.
Facets facets_in(api::Fields& fields, const api::Call& call, const json::Value::Object& object,
                 const ValueForm& form) {
  constexpr std::string_view kName = "facets";
  const model::FacetNames& of_site = call.site.settings.facets;
  Facets facets;
  bool chose_known = false, chose_unknown = false;
  for (const auto& [given, value] : object) {
    const std::string name = base::to_lower(given);
    if (!model::parse_facet_name(name)) {
      fields.reject(kName, "rest_not_in_enum", api::must_be_facets(kName, of_site));
      return {};
    }
    if (std::ranges::find(of_site, name) == of_site.end()) {
      chose_unknown |= !value.is_null();
      continue;
    }
    if (std::ranges::find(facets, name, &Facets::value_type::first) != facets.end()) {
      fields.reject(kName, "rest_duplicate_items",
                    base::Message("The “facets” field contains {name} twice.", {{"name", name}}));
      return {};
    }
    facets.emplace_back(name, std::nullopt);
    if (value.is_null()) continue;
    const auto number = json::decimal_in(value);
    const ReadValue read = number ? value_in(call, form, *number)
                                  : ReadValue(tl::unexpected(base::Message(
                                        "{name} must be a number.", {{"name", "value"}})));
    if (!read) {
      fields.reject(
          kName, number ? api::kOutOfBounds : "rest_invalid_type",
          base::Message("{name}: {sentence}", {{"name", name}, {"sentence", read.error()}}));
      return {};
    }
    facets.back().second = *read;
    chose_known = true;
  }
  if (facets.empty() || (chose_unknown && !chose_known)) {
    fields.reject(kName, "rest_not_in_enum", api::must_be_facets(kName, of_site));
  }
  return facets;
}

// If "form" is empty because the category or the scale is invalid, does not read the values of the
// facets.
Facets read_facets(api::Fields& fields, const api::Call& call, const Vote& vote,
                   const std::optional<ValueForm>& form) {
  const json::Value* given = call.parameters.find("facets");
  if (given == nullptr) return {};
  const auto* object = std::get_if<json::Value::Object>(&given->data);
  if (object == nullptr || object->empty()) {
    fields.reject("facets", "rest_invalid_type",
                  base::Message("The “facets” field must be an object in a JSON body. The object "
                                "maps each name to a value, such as {\"taste\":4,\"service\":5}."));
    return {};
  }
  if (vote.object != vote.parent) {
    fields.reject(
        "facets", "rest_invalid_param",
        base::Message("The “facets” field is not allowed if the object itself is a facet."));
    return {};
  }
  if (!form) return {};
  Facets facets = facets_in(fields, call, *object, *form);
  if (!can_have(vote.parent.type, facets)) fields.reject(api::type_too_long_for_facets());
  return facets;
}

std::string read_reason(api::Fields& fields, const api::Call& call, const Vote& vote) {
  constexpr std::string_view kName = "reason";
  const auto given = fields.text(kName, api::Fields::Presence::optional, model::kReasonLimits);
  std::string reason(base::trim_like_php(given.value_or("")));
  if (reason.empty()) return reason;
  std::optional<base::Message> refusal;
  if (!call.parameters.is_in_body(kName)) {
    refusal = base::Message(
        "The “reason” field must be in the request body.");  // web servers log queries
  } else if (!call.site.settings.low_vote_reasons) {
    refusal = base::Message("This site does not accept reasons for ratings.");
  } else if (call.identified_by == model::IdentifiedBy::network) {
    refusal = base::Message(
        "The “reason” field is accepted only from a voter who is logged in or sends a cookie, "
        "a device token or a ticket.");
  } else if (fields.has("facets") || vote.object != vote.parent) {
    refusal = base::Message("The “reason” field is not allowed in votes for facets.");
  } else if (vote.value && !may_have_reason(call, vote)) {
    refusal = base::Message(
        "The “reason” field is allowed only with a low rating. Low ratings are 0 in the “binary” "
        "category, -1 in the “bipolar” category, and at most half of the maximum in the "
        "“scale” category.");
  }
  if (refusal) fields.reject(kName, "rest_invalid_param", *std::move(refusal));
  return reason;
}

}  // namespace

bool may_have_reason(const api::Call& call, const Vote& vote) {
  return call.site.settings.low_vote_reasons && vote.facets.empty() && vote.object == vote.parent &&
         call.identified_by != model::IdentifiedBy::network && vote.value &&
         model::is_low(vote.category, *vote.value);
}

tl::expected<Vote, api::Error> read_vote(const api::Core& core, const api::Call& call) {
  api::Fields fields(call.parameters);
  Vote vote;
  read_object(fields, core, call, vote);
  const auto category = fields.category("category", api::Fields::Presence::required,
                                        call.site.settings.enabled_categories);
  const auto number = fields.number("value", call.parameters.find("facets") != nullptr
                                                 ? api::Fields::Presence::optional
                                                 : api::Fields::Presence::required);
  const bool has_scale = call.parameters.find("scale") != nullptr;
  const auto scale = read_scale(fields, call.parameters, category);
  std::optional<ValueForm> form;
  if (category && (scale || !has_scale || *category != Category::scale)) form = {*category, scale};
  vote.category = category.value_or(Category::binary);
  if (number && form) {
    const ReadValue value = value_in(call, *form, *number);
    if (value) vote.value = *value;
    if (!value) fields.reject("value", api::kOutOfBounds, value.error());
  }
  vote.facets = read_facets(fields, call, vote, form);
  vote.reason = read_reason(fields, call, vote);
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  return vote;
}

bool may_be_rated(const api::Core& core, const api::Call& call, const Vote& vote) {
  const model::ObjectCheck check = call.site.settings.object_check;
  if (check == model::ObjectCheck::off) return true;
  const cms::ObjectState state = vote.state ? *vote.state : state_of(core, vote.parent);
  const bool is_kept_back =
      check == model::ObjectCheck::published && state.type_access == cms::TypeAccess::internal &&
      !cms::names_own_type(call.site.settings.enabled_object_types, state.type);
  return state.passed_check >= check && !is_kept_back;
}

tl::expected<Vote, api::Error> read_withdrawal(const api::Call& call) {
  api::Fields fields(call.parameters);
  Vote vote;
  vote.object.id = fields.object_id("object_id").value_or(0);
  vote.object.type = fields.object_type("object_type").value_or("post");
  vote.parent = model::parent_of(vote.object, call.site.settings.facets);
  const auto category = fields.category("category", api::Fields::Presence::required);
  for (const std::string& name : fields.facets("facets", call.site.settings.facets)) {
    vote.facets.emplace_back(name, std::nullopt);
  }
  if (!can_have(vote.object.type, vote.facets)) fields.reject(api::type_too_long_for_facets());
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  vote.category = *category;
  return vote;
}

}  // namespace handlers
