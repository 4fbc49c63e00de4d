#include <stdexcept>
#include <utility>

#include "api/fields.h"
#include "base/text.h"
#include "handlers/handlers.h"
#include "handlers/object_ratings.h"
#include "handlers/rate_permission.h"
#include "handlers/vote_fields.h"
#include "handlers/vote_rules.h"
#include "json/codec.h"
#include "model/facets.h"
#include "model/rating.h"

namespace handlers {
namespace {

using model::Thousandths;

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

api::Answer vote_answer(const Vote& vote, model::IdentifiedBy identified_by,
                        const RatePermission& permission, const votes::VoteResult& vote_result,
                        bool invites_reason = false) {
  api::Answer answer;
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

RatePermission permission_for(const api::Core& core, const api::Call& call,
                              const model::Object& parent) {
  return {core, call, RatePermission::Audience::requester, parent};
}

// Returns the voter who rates "parent" or its facets, or nothing if the request identifies no
// voter.
std::optional<model::VoterId> voter_of(const api::Core& core, const api::Call& call,
                                       const model::Object& parent) {
  if (call.voter || call.identified_by != model::IdentifiedBy::network) return call.voter;
  return identity::voter_of_network(call.requester.address, call.request.user_agent, parent,
                                    call.site.network_salt, core.keys.front());
}

votes::VoteRequest vote_request_for(const api::Call& call, const Vote& vote, model::VoterId voter) {
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

// Returns the types that a voter's earlier ratings of the object and its facets can have. The list
// is empty if the site has no facets, or if no rule counts new voters.
std::vector<std::string> related_types(const api::Call& call, const Vote& vote,
                                       const votes::Rules& rules) {
  const model::FacetNames& facets = call.site.settings.facets;
  if (facets.empty() || rules.new_voters.limit == 0) return {};
  std::vector<std::string> types = {vote.parent.type};
  for (const std::string& name : facets) {
    if (model::can_have(vote.parent.type, {name})) {
      types.push_back(model::facet_of(vote.parent, name).type);
    }
  }
  return types;
}

// Returns a result whose vote step (api::VoteStep) writes "vote_request" and enforces "rules". If a
// rule rejects the vote, the vote step returns an error. If no rule rejects the vote, the vote step
// returns the result of "finish".
api::Result vote_step(votes::VoteRequest vote_request, VoteRules rules,
                      std::function<api::Result(const votes::VoteResult&)> finish) {
  vote_request.rules = rules.rules();
  auto settle = [rules = std::make_shared<VoteRules>(std::move(rules)), finish = std::move(finish)](
                    const votes::VoteQueue::WriteResult& result) -> api::Result {
    rules->settle(result ? std::optional(*result) : std::nullopt);
    if (!result) return tl::unexpected(write_error(result.error()));
    if (auto refusal = rules->refusal_in(*result)) return tl::unexpected(*std::move(refusal));
    return finish(*result);
  };
  api::Answer answer;
  answer.vote =
      std::make_shared<api::VoteStep>(api::VoteStep{std::move(vote_request), std::move(settle)});
  return answer;
}

// Returns a string that distinguishes the senders in a burst of votes. In a request with a ticket,
// the user agent cannot distinguish senders, because a front end sends the same user agent for all
// visitors.
std::string agent_of(const api::Call& call) {
  const auto& ticket = call.requester.ticket;
  if (!ticket) return std::string(call.request.user_agent);
  return ticket->visitor.issuer + " " + ticket->visitor.subject;
}

}  // namespace

api::Result cast_vote(const api::Core& core, const api::Voting& voting, const api::Call& call) {
  auto vote = read_vote(core, call);
  if (!vote) return tl::unexpected(std::move(vote.error()));
  if (!may_be_rated(core, call, *vote)) {
    return tl::unexpected(
        api::Error{api::ErrorCode::not_found,
                   base::Message("There is no such {type}.", {{"type", vote->parent.type}})});
  }

  votes::VoteRequest vote_request =
      vote_request_for(call, *vote, voter_of(core, call, vote->parent).value());
  vote_request.may_be_new = !call.requester.user && !call.requester.cookie &&
                            !call.requester.is_visitor_stored &&
                            call.identified_by != model::IdentifiedBy::network;
  vote_request.address = identity::stored_address(call.requester.address, core.keys.front(),
                                                  call.site.settings.store_address);
  VoteRules rules(core, voting, call);
  rules.add_address_rules(vote->parent);
  vote_request.related_types = related_types(call, *vote, rules.rules());
  if (rules.rules().hold_threshold > 0) {
    vote_request.agent = identity::stored_agent(agent_of(call), core.keys.front());
  }
  const bool may_say_why = may_have_reason(call, *vote);
  const RatePermission permission = permission_for(core, call, vote->parent);
  return vote_step(std::move(vote_request), std::move(rules),
                   [may_say_why, permission, identified_by = call.identified_by,
                    vote = *std::move(vote)](const votes::VoteResult& vote_result) -> api::Result {
                     return vote_answer(vote, identified_by, permission, vote_result,
                                        may_say_why && !vote_result.has_reason);
                   });
}

api::Result withdraw_vote(const api::Core& core, const api::Voting& voting, const api::Call& call) {
  const auto read = read_withdrawal(call);
  if (!read) return tl::unexpected(read.error());
  const Vote& vote = *read;
  const api::Error none{api::ErrorCode::not_found, base::Message("There is no rating to remove.")};
  const auto voter = voter_of(core, call, vote.parent);
  if (!voter) return tl::unexpected(none);
  return vote_step(vote_request_for(call, vote, *voter), VoteRules(core, voting, call),
                   [vote, none, identified_by = call.identified_by,
                    permission = permission_for(core, call, vote.parent)](
                       const votes::VoteResult& vote_result) -> api::Result {
                     if (vote_result.outcome == votes::VoteResult::Outcome::nothing_stored)
                       return tl::unexpected(none);
                     return vote_answer(vote, identified_by, permission, vote_result);
                   });
}

api::Error write_error(votes::WriteError error) {
  if (error != votes::WriteError::failed) return {api::ErrorCode::unavailable};
  throw std::runtime_error("the vote was not stored; see vote_batch_failed or vote_batch_rejected");
}

}  // namespace handlers
