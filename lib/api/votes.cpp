#include <algorithm>
#include <stdexcept>
#include <utility>

#include "api/fields.h"
#include "api/handlers.h"
#include "api/object_ratings.h"
#include "api/rate_permission.h"
#include "api/vote_rules.h"
#include "base/bytes.h"
#include "json/codec.h"
#include "model/decimal.h"
#include "model/facets.h"
#include "model/reason.h"

namespace api {
namespace {

using model::Category;
using model::Decimal;
using model::Thousandths;

// Facets by their names, with the values that they get; none: the rating is taken back.
using Facets = std::vector<std::pair<std::string, std::optional<Thousandths>>>;

struct Vote {
  model::Object object;
  model::Object whole;                    // the object whose facet it is, or the object itself
  std::optional<cms::ObjectState> state;  // of "whole", if a rule needed it
  Category category = Category::binary;
  std::optional<Thousandths> value;  // none: only its facets are rated
  Facets facets;
  std::string reason;  // of the value; empty: none
};

// The value of a vote, or the sentence that says which values are allowed.
using ReadValue = tl::expected<Thousandths, base::Message>;

ReadValue fixed_value(Category category, const Decimal& number) {
  if (const auto value = model::value_in(category, number)) return *value;
  return tl::unexpected(category == Category::binary
                            ? base::Message("value must be 0 or 1 for category binary.")
                            : base::Message("value must be -1, 0 or 1 for category bipolar."));
}

std::string text_of(const json::Value* value) {
  if (const auto* number = std::get_if<json::Value::Number>(&value->data)) return number->text;
  const auto* text = std::get_if<std::string>(&value->data);
  return text == nullptr ? "" : *text;
}

ReadValue scale_value(const Call& call, const Decimal& number,
                      const std::optional<Decimal>& scale) {
  const Decimal maximum = scale.value_or(call.site.settings.scale_maximum);
  if (const auto share = model::thousandths_of(number, maximum)) return *share;
  if (scale) {
    return tl::unexpected(base::Message("value must be from 0 to {maximum}, the scale sent.",
                                        {{"maximum", text_of(call.parameters.find("scale"))}}));
  }
  return tl::unexpected(
      base::Message("value must be from 0 to {maximum} for category scale; send "
                    "\"scale\" with your own maximum, e.g. {\"value\":4,\"scale\":5}.",
                    {{"maximum", model::to_text(call.site.settings.scale_maximum)}}));
}

// The field "scale", if it is allowed and in range.
std::optional<Decimal> read_scale(Fields& fields, const Parameters& parameters,
                                  std::optional<Category> category) {
  const auto range = base::Message("scale must be a number from 1 to 1000.");
  const json::Value* value = parameters.find("scale");
  if (value == nullptr) return std::nullopt;
  if (category && *category != Category::scale) {
    fields.reject("scale", "rest_invalid_param",
                  base::Message("scale is allowed only with category scale."));
    return std::nullopt;
  }
  auto scale = json::decimal_in(*value);
  if (!scale) {
    fields.reject("scale", "rest_invalid_type", range);
    return std::nullopt;
  }
  if (*scale < model::decimal_of(1) || *scale > model::decimal_of(1000)) {
    fields.reject("scale", kOutOfBounds, range);
    return std::nullopt;
  }
  return scale;
}

cms::ObjectState state_of(const App& app, const model::Object& object) {
  if (auto state = app.published_objects.find(object)) return *std::move(state);
  const auto stamp = app.published_objects.stamp();
  auto state = app.sessions.with_session(
      [&](db::Connection& connection) { return app.cms.state_of(connection, object); });
  app.published_objects.fill(object, state, stamp);
  return state;
}

// Whether everybody may know the object and its type.
bool is_for_everybody(const cms::ObjectState& state) {
  return state.passed == model::ObjectCheck::published &&
         state.type_access == cms::TypeAccess::everybody;
}

// Reads the object. Its type is one of the settings' types, if they name any; or it is a "post",
// and the CMS has it under one of them. A facet may be rated if the object may. A post of another
// type counts as absent, unless everybody may know of it: the answer to a vote must not tell
// whether an unpublished or internal post exists.
void read_object(Fields& fields, const App& app, const Call& call, Vote& vote) {
  constexpr std::string_view kName = "object_type";
  vote.object.id = fields.object_id("object_id").value_or(0);
  const auto type = fields.object_type(kName);
  if (!type && call.parameters.find(kName) != nullptr) return;  // rejected already
  vote.object.type = type.value_or("post");
  vote.whole = model::whole_of(vote.object, call.site.settings.facets);
  const auto& enabled = call.site.settings.enabled_object_types;
  const auto is_enabled = [&](const std::string& one) {
    return one == vote.whole.type || one == vote.object.type;
  };
  if (enabled.empty() || std::ranges::any_of(enabled, is_enabled)) return;
  base::Message sentence = must_be_one_of(kName, enabled);
  if (vote.whole.type == "post" && vote.whole.id != 0) {
    vote.state = state_of(app, vote.whole);
    if (cms::names_own_type(enabled, vote.state->type)) return;
    if (!is_for_everybody(*vote.state)) {
      vote.state = cms::ObjectState();
      if (call.site.settings.object_check != model::ObjectCheck::off) return;
    } else {
      sentence = base::Message("{sentence} This post is of the type {type}.",
                               {{"sentence", sentence}, {"type", vote.state->type}});
    }
  }
  fields.reject(kName, "rest_not_in_enum", std::move(sentence));
}

// How the values of a vote are read: of this category, and scale if one was sent.
struct ValueForm {
  Category category;
  std::optional<Decimal> scale;
};

ReadValue value_in(const Call& call, const ValueForm& form, const Decimal& number) {
  return form.category == Category::scale ? scale_value(call, number, form.scale)
                                          : fixed_value(form.category, number);
}

bool can_have(const std::string& type, const Facets& facets) {
  return std::ranges::all_of(
      facets, [&](const auto& facet) { return model::can_have(type, {facet.first}); });
}

// The facets in "object" with their values; null takes a rating back. The first error is rejected.
// Names that the site does not have are left out beside others, because the owner may have removed
// them while the page of the vote was cached. A vote that would only take ratings back then is
// refused: the voter chose something.
Facets facets_in(Fields& fields, const Call& call, const json::Value::Object& object,
                 const ValueForm& form) {
  constexpr std::string_view kName = "facets";
  const model::FacetNames& of_site = call.site.settings.facets;
  Facets facets;
  bool chose_known = false, chose_unknown = false;
  for (const auto& [given, value] : object) {
    const std::string name = base::to_lower(given);
    if (!model::parse_facet_name(name)) {
      fields.reject(kName, "rest_not_in_enum", must_be_facets(kName, of_site));
      return {};
    }
    if (std::ranges::find(of_site, name) == of_site.end()) {
      chose_unknown |= !value.is_null();
      continue;
    }
    if (std::ranges::find(facets, name, &Facets::value_type::first) != facets.end()) {
      fields.reject(kName, "rest_duplicate_items",
                    base::Message("facets has {name} twice.", {{"name", name}}));
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
          kName, number ? kOutOfBounds : "rest_invalid_type",
          base::Message("{name}: {sentence}", {{"name", name}, {"sentence", read.error()}}));
      return {};
    }
    facets.back().second = *read;
    chose_known = true;
  }
  if (facets.empty() || (chose_unknown && !chose_known)) {
    fields.reject(kName, "rest_not_in_enum", must_be_facets(kName, of_site));
  }
  return facets;
}

// Reads the field "facets". Without a form, values are not read: another field is in error.
Facets read_facets(Fields& fields, const Call& call, const Vote& vote,
                   const std::optional<ValueForm>& form) {
  const json::Value* given = call.parameters.find("facets");
  if (given == nullptr) return {};
  const auto* object = std::get_if<json::Value::Object>(&given->data);
  if (object == nullptr || object->empty()) {
    fields.reject("facets", "rest_invalid_type",
                  base::Message("facets must be an object with a value for each name, such as "
                                "{\"taste\":4,\"service\":5}."));
    return {};
  }
  if (vote.object != vote.whole) {
    fields.reject("facets", "rest_invalid_param",
                  base::Message("facets are allowed only for an object that is not a facet."));
    return {};
  }
  if (!form) return {};
  Facets facets = facets_in(fields, call, *object, *form);
  if (!can_have(vote.whole.type, facets)) fields.reject(type_too_long_for_facets());
  return facets;
}

// Returns whether the vote may have a reason. Reasons are accepted for a whole object only, not for
// its facets, and not from voters who are recognized by the network: the next person who shares
// such a vote could read the reason.
bool may_have_reason(const Call& call, const Vote& vote) {
  return call.site.settings.low_vote_reasons && vote.facets.empty() && vote.object == vote.whole &&
         call.identified_by != model::IdentifiedBy::network && vote.value &&
         model::is_low(vote.category, *vote.value);
}

// Reads the field "reason", without space around it.
std::string read_reason(Fields& fields, const Call& call, const Vote& vote) {
  constexpr std::string_view kName = "reason";
  const auto given = fields.text(kName, Fields::Presence::optional, model::kReasonLimits);
  std::string reason(base::trim(given.value_or("")));
  if (reason.empty()) return reason;
  std::optional<base::Message> refusal;
  if (!call.parameters.is_in_body(kName)) {
    refusal = base::Message("reason must be in the body.");  // web servers log queries
  } else if (!call.site.settings.low_vote_reasons) {
    refusal = base::Message("This site does not ask for reasons.");
  } else if (call.identified_by == model::IdentifiedBy::network) {
    refusal = base::Message(
        "reason is accepted only from a voter who sends a cookie, a device token, a ticket or a "
        "login.");
  } else if (fields.has("facets") || vote.object != vote.whole) {
    refusal = base::Message("reason is not allowed with facets.");
  } else if (vote.value && !may_have_reason(call, vote)) {
    refusal = base::Message(
        "reason is allowed only with a low value: at most half of a scale, 0 of binary, -1 of "
        "bipolar.");
  }
  if (refusal) fields.reject(kName, "rest_invalid_param", *std::move(refusal));
  return reason;
}

tl::expected<Vote, Error> read_vote(const App& app, const Call& call) {
  Fields fields(call.parameters);
  Vote vote;
  read_object(fields, app, call, vote);
  const auto category = fields.category("category", Fields::Presence::required,
                                        call.site.settings.enabled_categories);
  const auto number = fields.number("value", call.parameters.find("facets") != nullptr
                                                 ? Fields::Presence::optional
                                                 : Fields::Presence::required);
  const bool has_scale = call.parameters.find("scale") != nullptr;
  const auto scale = read_scale(fields, call.parameters, category);
  std::optional<ValueForm> form;
  if (category && (scale || !has_scale || *category != Category::scale)) form = {*category, scale};
  vote.category = category.value_or(Category::binary);
  if (number && form) {
    const ReadValue value = value_in(call, *form, *number);
    if (value) vote.value = *value;
    if (!value) fields.reject("value", kOutOfBounds, value.error());
  }
  vote.facets = read_facets(fields, call, vote, form);
  vote.reason = read_reason(fields, call, vote);
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  return vote;
}

// Whether the setting object_check lets the object be rated. Objects of an internal type count as
// published only if the settings name their type.
bool may_be_rated(const App& app, const Call& call, const Vote& vote) {
  const model::ObjectCheck check = call.site.settings.object_check;
  if (check == model::ObjectCheck::off) return true;
  const cms::ObjectState state = vote.state ? *vote.state : state_of(app, vote.whole);
  const bool is_kept_back =
      check == model::ObjectCheck::published && state.type_access == cms::TypeAccess::internal &&
      !cms::names_own_type(call.site.settings.enabled_object_types, state.type);
  return state.passed >= check && !is_kept_back;
}

void write_rating(json::Writer& json, std::optional<Thousandths> value,
                  const votes::VoteResult& vote_result, const RatePermission& permission) {
  const auto write_value = [&](std::string_view name, std::optional<Thousandths> thousandths) {
    json.key(name);
    thousandths ? json.decimal(*thousandths, 3) : json.null();
  };
  write_value("value", value);
  write_value("previous_value", vote_result.previous);
  write_stats(json, vote_result.stats);
  write_own(json, vote_result.own);
  permission.write(json, vote_result.own);
}

Answer rated(const Vote& vote, model::IdentifiedBy identified_by, const RatePermission& permission,
             const votes::VoteResult& vote_result, bool invites_reason = false) {
  Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true);
  write_object(json, vote.object);
  json.key("category").string(name_of(vote.category));
  json.key("identified_by").string(name_of(identified_by));
  write_rating(json, vote.value, vote_result, permission);
  if (invites_reason) json.key("reason_invited").boolean(true);
  if (!vote.facets.empty()) {
    json.key("facets").begin_object();
    for (std::size_t i = 0; i < vote.facets.size(); ++i) {
      json.key(vote.facets[i].first).begin_object();
      write_rating(json, vote.facets[i].second, vote_result.parts.at(i), permission);
      json.end_object();
    }
    json.end_object();
  }
  json.end_object();
  return answer;
}

RatePermission permission_for(const App& app, const Call& call, const model::Object& whole) {
  return {app, call, RatePermission::Audience::requester, whole};
}

// The voter of a vote on "whole", or on its facets; nothing if there is none.
std::optional<model::VoterId> voter_of(const App& app, const Call& call,
                                       const model::Object& whole) {
  if (call.voter || call.identified_by != model::IdentifiedBy::network) return call.voter;
  return identity::voter_of_network(call.requester.address, call.request.user_agent, whole,
                                    call.site.network_salt, app.keys.front());
}

// The vote request of "call" for "voter".
votes::VoteRequest vote_request_for(const Call& call, const Vote& vote, model::VoterId voter) {
  votes::VoteRequest vote_request;
  vote_request.key = {vote.object, vote.category, voter};
  vote_request.identified_by = call.identified_by;
  vote_request.value = vote.value;
  vote_request.reason = vote.reason;
  for (const auto& [name, value] : vote.facets) {
    vote_request.parts.push_back({model::facet_of(vote.object, name), value});
  }
  vote_request.rates_parts_only = !vote.facets.empty() && !vote.value;
  vote_request.received_at = call.request.received_at;
  vote_request.stopwatch = call.request.stopwatch;
  if (call.requester.user) vote_request.moved_from = call.requester.anonymous_voter();
  if (call.requester.visitor) vote_request.visitor = call.requester.ticket->visitor;
  return vote_request;
}

// The types under which a voter may have rated the object or its facets before, if a rule counts
// new voters and the site has facets.
std::vector<std::string> related_types(const Call& call, const Vote& vote,
                                       const votes::Rules& rules) {
  const model::FacetNames& facets = call.site.settings.facets;
  if (facets.empty() || rules.new_voters.limit == 0) return {};
  std::vector<std::string> types = {vote.whole.type};
  for (const std::string& name : facets) {
    if (model::can_have(vote.whole.type, {name})) {
      types.push_back(model::facet_of(vote.whole, name).type);
    }
  }
  return types;
}

// Lets "vote_request" be written under "rules". Its result is an error if the rules refuse it, else
// that of "finish".
Result write(votes::VoteRequest vote_request, VoteRules rules,
             std::function<Result(const votes::VoteResult&)> finish) {
  vote_request.rules = rules.rules();
  auto settle = [rules = std::make_shared<VoteRules>(std::move(rules)),
                 finish = std::move(finish)](const votes::VoteQueue::Outcome& outcome) -> Result {
    rules->settle(outcome ? std::optional(*outcome) : std::nullopt);
    if (!outcome) return tl::unexpected(write_error(outcome.error()));
    if (auto refusal = rules->refusal_in(*outcome)) return tl::unexpected(*std::move(refusal));
    return finish(*outcome);
  };
  Answer answer;
  answer.vote = std::make_shared<VoteStep>(VoteStep{std::move(vote_request), std::move(settle)});
  return answer;
}

// What distinguishes one sender from another in a burst. The user agent of a front end is the same
// for all of its visitors.
std::string agent_of(const Call& call) {
  const auto& ticket = call.requester.ticket;
  if (!ticket) return std::string(call.request.user_agent);
  return ticket->visitor.issuer + " " + ticket->visitor.subject;
}

}  // namespace

Result cast_vote(const App& app, const Call& call) {
  auto vote = read_vote(app, call);
  if (!vote) return tl::unexpected(std::move(vote.error()));
  if (!may_be_rated(app, call, *vote)) {
    return tl::unexpected(Error{ErrorCode::not_found, base::Message("There is no such {type}.",
                                                                    {{"type", vote->whole.type}})});
  }

  votes::VoteRequest vote_request =
      vote_request_for(call, *vote, voter_of(app, call, vote->whole).value());
  vote_request.may_be_new = !call.requester.user && !call.requester.cookie &&
                            !call.requester.is_visitor_stored &&
                            call.identified_by != model::IdentifiedBy::network;
  vote_request.address = identity::stored_address(call.requester.address, app.keys.front(),
                                                  call.site.settings.store_address);
  VoteRules rules(app, call);
  rules.add_address_rules(vote->whole);
  vote_request.related_types = related_types(call, *vote, rules.rules());
  if (rules.rules().hold_threshold > 0) {
    vote_request.agent = identity::stored_agent(agent_of(call), app.keys.front());
  }
  const bool may_say_why = may_have_reason(call, *vote);
  const RatePermission permission = permission_for(app, call, vote->whole);
  return write(std::move(vote_request), std::move(rules),
               [may_say_why, permission, identified_by = call.identified_by,
                vote = *std::move(vote)](const votes::VoteResult& vote_result) -> Result {
                 return rated(vote, identified_by, permission, vote_result,
                              may_say_why && !vote_result.has_reason);
               });
}

Result withdraw_vote(const App& app, const Call& call) {
  Fields fields(call.parameters);
  Vote vote;
  vote.object.id = fields.object_id("object_id").value_or(0);
  vote.object.type = fields.object_type("object_type").value_or("post");
  const auto category = fields.category("category", Fields::Presence::required);
  for (const std::string& name : fields.facets("facets", call.site.settings.facets)) {
    vote.facets.emplace_back(name, std::nullopt);
  }
  if (!can_have(vote.object.type, vote.facets)) fields.reject(type_too_long_for_facets());
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));

  const Error none{ErrorCode::not_found, base::Message("There is no rating to take back.")};
  const model::Object whole = model::whole_of(vote.object, call.site.settings.facets);
  const auto voter = voter_of(app, call, whole);
  if (!voter) return tl::unexpected(none);
  vote.category = *category;
  return write(
      vote_request_for(call, vote, *voter), VoteRules(app, call),
      [=, identified_by = call.identified_by, permission = permission_for(app, call, whole)](
          const votes::VoteResult& vote_result) -> Result {
        if (vote_result.outcome == votes::VoteResult::Outcome::nothing_stored)
          return tl::unexpected(none);
        return rated(vote, identified_by, permission, vote_result);
      });
}

Error write_error(votes::WriteError error) {
  if (error != votes::WriteError::failed) return {ErrorCode::unavailable};
  throw std::runtime_error("the vote was not stored; see vote_batch_failed or vote_batch_rejected");
}

}  // namespace api
