#pragma once

#include <string>
#include <utility>

#include "support/clock.h"
#include "votes/vote.h"

namespace support {

inline const model::Object kPost{42, "post"};
// kUser is a logged-in user, and kVisitor is an anonymous visitor with a cookie.
inline constexpr model::VoterId kUser = 7;
inline constexpr model::VoterId kVisitor = model::kAnonymousBit | 1;

// Returns the facet "name" of the post kPost.
inline model::Object facet(const std::string& name) { return {kPost.id, "post:" + name}; }

// Returns a vote by "voter" at noon.
inline votes::VoteRequest vote(model::VoterId voter, model::Thousandths value,
                               model::Category category = model::Category::binary) {
  votes::VoteRequest vote_request;
  vote_request.key = {kPost, category, voter};
  vote_request.value = value;
  vote_request.received_at = kNoon;
  return vote_request;
}

// Returns a vote at noon by a visitor without a cookie.
inline votes::VoteRequest newcomer(std::uint64_t number, model::Thousandths value) {
  votes::VoteRequest vote_request = vote(model::kAnonymousBit | number, value);
  vote_request.may_be_new = true;
  return vote_request;
}

inline votes::VoteRequest withdrawal(model::VoterId voter,
                                     model::Category category = model::Category::binary) {
  votes::VoteRequest vote_request = vote(voter, 0, category);
  vote_request.value.reset();
  return vote_request;
}

// Returns a copy of the vote with a different time or a different object.
inline votes::VoteRequest at(base::Time time, votes::VoteRequest vote_request) {
  vote_request.received_at = time;
  return vote_request;
}

inline votes::VoteRequest on(std::uint64_t object, votes::VoteRequest vote_request) {
  vote_request.key.object.id = object;
  return vote_request;
}

// Returns a copy of the vote that also rates the object's facet "name", or withdraws the facet's
// rating if "value" is empty.
inline votes::VoteRequest with(const std::string& name, std::optional<model::Thousandths> value,
                               votes::VoteRequest vote_request) {
  const model::Object& object = vote_request.key.object;
  vote_request.parts.push_back({{object.id, object.type + ":" + name}, value});
  return vote_request;
}

// Returns a copy of the vote that rates only the facets in its parts, and not the object itself.
inline votes::VoteRequest parts_only(votes::VoteRequest vote_request) {
  vote_request.value.reset();
  vote_request.rates_parts_only = true;
  return vote_request;
}

// Returns a copy of the vote in which "from" is the anonymous voter in the user's browser
// (VoteRequest::moved_from).
inline votes::VoteRequest moved(votes::VoteRequest vote_request, model::VoterId from = kVisitor) {
  vote_request.moved_from = from;
  return vote_request;
}

inline votes::VoteRequest because(std::string reason, votes::VoteRequest vote_request) {
  vote_request.reason = std::move(reason);
  return vote_request;
}

}  // namespace support
