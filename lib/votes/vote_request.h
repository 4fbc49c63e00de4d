#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "model/front_end_visitor.h"
#include "model/rating.h"
#include "votes/rules.h"

namespace votes {

// A rating to be set or withdrawn together with others of the same voter and category.
struct VotePart {
  model::Object object;
  std::optional<model::Thousandths> value;  // none: withdraw the rating
};

// A request to set one rating or to withdraw it, or several at once.
struct VoteRequest {
  model::RatingKey key;
  model::IdentifiedBy identified_by = model::IdentifiedBy::cookie;  // how key.voter was found
  std::optional<model::Thousandths> value;                          // none: withdraw the rating
  // Why the voter gives this value; empty: not said. Then the reason of an earlier rating stays
  // while the value is low (model/reason.h).
  std::string reason = {};
  base::Time received_at;
  base::Stopwatch stopwatch;  // since the HTTP request arrived: old requests are not written
  Rules rules;
  // The anonymous voter of a registered user's browser, who may have voted before the login. This
  // voter's rating of the same object and category is deleted. If the user has no rating of it, it
  // counts as the user's earlier rating, and an equal value keeps its time. A refused request
  // leaves it. REQUIRES: it is anonymous, and key.voter is not.
  std::optional<model::VoterId> moved_from;
  // The visitor of another front end whose voter key.voter is taken to be. A row with both is
  // stored with the rating (store/front_end_visitors.h). If the visitor turns out to be another
  // voter, the request is written for that one.
  std::optional<model::FrontEndVisitor> visitor = {};
  // The voter has no cookie, or is a visitor without a row: most likely nothing is stored about
  // the voter. The batch then tries to do without reading.
  bool may_be_new = false;
  std::string address;  // as stored in the votes table, up to 17 bytes
  // The user agent as stored in the votes table, for first votes that may be held; 0: unknown. A
  // vote with an address but without a user agent is never part of a burst.
  std::uint16_t agent = 0;

  // The facets of key.object that are rated with it (model/facets.h), none twice: all of it is done
  // or nothing. The rules refuse the whole vote, and count it once.
  std::vector<VotePart> parts = {};
  // Only the parts are rated. The result has the ratings of key.object nevertheless.
  bool rates_parts_only = false;
  // Types: a voter who has rated this id as one of them is no new voter, as if it were key.object.
  std::vector<std::string> related_types = {};
  // Set by add_with_parts(): the request is a part of the vote request before it, whose list of
  // parts is then empty.
  bool is_part = false;
};

// The requests that belong to one vote: the first, and its parts.
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
