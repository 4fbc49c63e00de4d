#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/rating.h"
#include "votes/rules.h"

namespace votes {

// A rating to set or withdraw together with other ratings of the same voter and category.
struct VotePart {
  model::Object object;
  std::optional<model::Thousandths> value;  // nothing: withdraw the rating
};

// A request to set or withdraw one rating or several ratings at once.
struct VoteRequest {
  model::RatingKey key;
  model::IdentifiedBy identified_by = model::IdentifiedBy::cookie;  // how key.voter was found
  std::optional<model::Thousandths> value;                          // nothing: withdraw the rating
  // Why the voter gives this value. If it is empty, the voter has not given a reason, and the
  // reason for an earlier rating stays while the value is low (model/rating.h).
  std::string reason = {};
  base::Time received_at;
  base::Stopwatch stopwatch;  // since the HTTP request arrived; old requests are not written
  Rules rules;
  // The anonymous voter in a registered user's browser, who may have voted before the login. This
  // voter's rating for the same object and category is deleted. If the user has no rating for the
  // object in this category, the deleted rating counts as the user's earlier rating, and an equal
  // value keeps its time. A refused request does not delete the rating. REQUIRES: "moved_from" is
  // anonymous, and key.voter is not.
  std::optional<model::VoterId> moved_from;
  // The visitor from another front end whose voter is believed to be key.voter. The visitor and the
  // voter are stored as a row together with the rating (store/front_end_visitors.h). If the visitor
  // turns out to be another voter, the request is written for the other voter.
  std::optional<model::FrontEndVisitor> visitor = {};
  // Whether the voter has no cookie, or is a visitor without a row. Most likely, nothing is stored
  // about such a voter, so the batch tries to do without reading.
  bool may_be_new = false;
  std::string address;  // as stored in the votes table, up to 17 bytes
  // The user agent as stored in the votes table, for first votes that may be held; 0: unknown. A
  // vote with an address but without a user agent is never part of a burst.
  std::uint16_t agent = 0;

  // The facets of key.object that are rated in the same vote (model/facets.h), each at most once.
  // Either the whole vote is carried out, or no part of it. The rules refuse the whole vote, and
  // count it once.
  std::vector<VotePart> parts = {};
  // Whether only the parts are rated. The result contains the voter's ratings of key.object in any
  // case.
  bool rates_parts_only = false;
  // Other types for the same object. A voter who has rated this id with one of these types does not
  // count as a new voter, just like a voter who has rated key.object.
  std::vector<std::string> related_types = {};
  // Set by add_with_parts(): this request is a part of the nearest request before it that is not a
  // part. A part has an empty list of parts.
  bool is_part = false;
};

// The requests that belong to one vote: the first request, and the requests for its parts.
using VoteSpan = std::span<const VoteRequest>;

[[nodiscard]] inline bool sets_ratings(VoteSpan vote) {
  return std::ranges::any_of(vote, [](const VoteRequest& one) { return one.value.has_value(); });
}

// Adds "request" to "requests", and its parts as requests that follow it.
void add_with_parts(const VoteRequest& request, std::vector<VoteRequest>& requests);

// Calls "use(vote, index)" for each vote in "requests", with the index of its first request.
template <typename Use>
void for_each_vote(std::span<const VoteRequest> requests, const Use& use) {
  for (std::size_t begin = 0, end = 0; begin < requests.size(); begin = end) {
    for (end = begin + 1; end < requests.size() && requests[end].is_part;) ++end;
    use(requests.subspan(begin, end - begin), begin);
  }
}

}  // namespace votes
