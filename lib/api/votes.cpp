#include "api/votes.h"

#include <algorithm>
#include <utility>

#include "api/fields.h"
#include "api/ratings_json.h"
#include "api/vote_rules.h"
#include "json/codec.h"
#include "json/values.h"
#include "model/decimal.h"

namespace api {
namespace {

using model::Category;
using model::Decimal;
using model::Thousandths;

struct Vote {
  model::Object object;
  model::Object whole;                    // the object whose facet it is, or the object itself
  std::optional<cms::ObjectState> state;  // of "whole", if a rule needed it
  Category category = Category::binary;
  Thousandths value = 0;
};

// The value of a binary or bipolar vote; rejected in "fields" if the category does not have it.
Thousandths fixed_value(Fields& fields, Category category, const Decimal& number) {
  if (const auto value = model::value_in(category, number)) return *value;
  fields.reject("value", kOutOfBounds,
                category == Category::binary
                    ? base::Message("value must be 0 or 1 for category binary.")
                    : base::Message("value must be -1, 0 or 1 for category bipolar."));
  return 0;
}

std::string text_of(const json::Value* value) {
  if (const auto* number = std::get_if<json::Value::Number>(&value->data)) return number->text;
  const auto* text = std::get_if<std::string>(&value->data);
  return text == nullptr ? "" : *text;
}

Thousandths scale_value(Fields& fields, const Call& call, const Decimal& number,
                        const std::optional<Decimal>& scale) {
  const Decimal maximum = scale.value_or(call.site.settings.scale_maximum);
  if (const auto share = model::thousandths_of(number, maximum)) return *share;
  if (scale) {
    fields.reject("value", kOutOfBounds,
                  base::Message("value must be from 0 to {maximum}, the scale sent.",
                                {{"maximum", text_of(call.parameters.find("scale"))}}));
  } else {
    fields.reject("value", kOutOfBounds,
                  base::Message("value must be from 0 to {maximum} for category scale; send "
                                "\"scale\" with your own maximum, e.g. {\"value\":4,\"scale\":5}.",
                                {{"maximum", model::to_text(call.site.settings.scale_maximum)}}));
  }
  return 0;
}

// The field "scale", if it is allowed and in range.
std::optional<Decimal> read_scale(Fields& fields, const Parameters& parameters,
                                  std::optional<Category> category) {
  const auto range = base::Message("scale must be a number from 1 to 1000.");
  const json::Value* value = parameters.find("scale");
  if (value == nullptr) return std::nullopt;
  if (category && *category != Category::scale) {
    fields.reject("scale", "rest_invalid_param",
                  base::Message("scale goes only with category scale."));
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
  return app.sessions.with_session(
      [&](db::Connection& connection) { return app.cms.state_of(connection, object); });
}

// Reads the object. Its type is one of the settings' types, if they name any; or it is a "post",
// and the CMS has it under one of them. A facet may be rated if the object may.
void read_object(Fields& fields, const App& app, const Call& call, Vote& vote) {
  constexpr std::string_view kName = "object_type";
  vote.object.id = fields.object_id("object_id").value_or(0);
  const auto type = fields.object_type(kName);
  if (!type && call.parameters.find(kName) != nullptr) return;  // rejected already
  vote.object.type = type.value_or("post");
  vote.whole = model::whole_of(vote.object, call.site.settings.facets);
  const auto& enabled = call.site.settings.enabled_object_types;
  if (enabled.empty() || std::ranges::find(enabled, vote.whole.type) != enabled.end()) return;
  base::Message sentence = must_be_one_of(kName, enabled);
  if (vote.whole.type == "post" && vote.whole.id != 0) {
    vote.state = state_of(app, vote.whole);
    if (cms::names_own_type(enabled, vote.state->type)) return;
    // What is not public stays untold.
    if (vote.state->passed == model::ObjectCheck::published) {
      sentence = base::Message("{sentence} This post is of the type {type}.",
                               {{"sentence", sentence}, {"type", vote.state->type}});
    }
  }
  fields.reject(kName, "rest_not_in_enum", std::move(sentence));
}

tl::expected<Vote, Error> read_vote(const App& app, const Call& call) {
  Fields fields(call.parameters);
  Vote vote;
  read_object(fields, app, call, vote);
  const auto category = fields.category("category", Fields::Presence::required,
                                        call.site.settings.enabled_categories);
  const auto number = fields.number("value", Fields::Presence::required);
  const bool has_scale = call.parameters.find("scale") != nullptr;
  const auto scale = read_scale(fields, call.parameters, category);
  if (category && number) {
    vote.category = *category;
    if (*category != Category::scale) {
      vote.value = fixed_value(fields, *category, *number);
    } else if (scale || !has_scale) {
      vote.value = scale_value(fields, call, *number, scale);
    }
  }
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  return vote;
}

// Whether the setting object_check lets the object be rated.
bool may_be_rated(const App& app, const Call& call, const Vote& vote) {
  const model::ObjectCheck check = call.site.settings.object_check;
  if (check == model::ObjectCheck::off) return true;
  return (vote.state ? *vote.state : state_of(app, vote.whole)).passed >= check;
}

Answer rated(const model::Object& object, Category category, std::optional<Thousandths> value,
             const votes::VoteResult& vote_result) {
  Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true);
  write_object(json, object);
  json.key("category").string(name_of(category));
  const auto write_value = [&](std::string_view name, std::optional<Thousandths> thousandths) {
    json.key(name);
    thousandths ? json.decimal(*thousandths, 3) : json.null();
  };
  write_value("value", value);
  write_value("previous_value", vote_result.previous);
  write_stats(json, vote_result.stats);
  write_own(json, vote_result.own);
  json.end_object();
  return answer;
}

// The vote request of "call" for its voter.
votes::VoteRequest vote_request_for(const Call& call, const model::Object& object,
                                    Category category) {
  votes::VoteRequest vote_request;
  vote_request.key = {object, category, call.voter.value()};
  vote_request.received_at = call.request.received_at;
  vote_request.stopwatch = call.request.stopwatch;
  if (call.requester.user) vote_request.moved_from = call.requester.anonymous_voter();
  if (call.requester.visitor) vote_request.visitor = call.requester.ticket->visitor;
  return vote_request;
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
    if (auto refusal = refusal_in(*outcome)) return tl::unexpected(*std::move(refusal));
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

  votes::VoteRequest vote_request = vote_request_for(call, vote->object, vote->category);
  vote_request.value = vote->value;
  vote_request.may_be_new =
      !call.requester.user && !call.requester.cookie && !call.requester.is_visitor_stored;
  vote_request.address = identity::stored_address(call.requester.address, app.keys.front(),
                                                  call.site.settings.store_address);
  VoteRules rules(app, call);
  rules.add_address_rules(vote->object);
  if (rules.rules().hold_threshold > 0) {
    vote_request.agent = identity::stored_agent(agent_of(call), app.keys.front());
  }
  return write(std::move(vote_request), std::move(rules),
               [vote = *std::move(vote)](const votes::VoteResult& vote_result) -> Result {
                 return rated(vote.object, vote.category, vote.value, vote_result);
               });
}

Result withdraw_vote(const App& app, const Call& call) {
  Fields fields(call.parameters);
  model::Object object;
  object.id = fields.object_id("object_id").value_or(0);
  object.type = fields.object_type("object_type").value_or("post");
  const auto category = fields.category("category", Fields::Presence::required);
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));

  const Error none{ErrorCode::not_found, base::Message("There is no rating to take back.")};
  if (!call.voter) return tl::unexpected(none);
  return write(vote_request_for(call, object, *category), VoteRules(app, call),
               [=](const votes::VoteResult& vote_result) -> Result {
                 if (vote_result.outcome == votes::VoteResult::Outcome::nothing_stored)
                   return tl::unexpected(none);
                 return rated(object, *category, std::nullopt, vote_result);
               });
}

Error write_error(votes::WriteError error) {
  return {error == votes::WriteError::failed ? ErrorCode::internal : ErrorCode::unavailable};
}

}  // namespace api
