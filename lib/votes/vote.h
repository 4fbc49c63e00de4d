#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/rating.h"
#include "model/settings.h"
#include "runtime/metrics.h"

namespace votes {

// A limit that many voters share in a time window.
struct SharedLimit {
  std::int64_t limit = 0;  // 0: no limit
  std::string counter;     // 12 bytes that identify the counter in the table (votes/counters.h)
  base::Time ends_at{};    // the end of the window, which is a whole hour (window_end())
  // If the caller counts the limit itself, "wait" is the time until the limit is no longer
  // exhausted, or 0 if it is not exhausted. In this case, "counter" is empty and "limit" is not 0.
  std::chrono::seconds wait{0};
};

// Returns the end of the window that contains "at". The first window begins at the start of 1970 in
// UTC. There are no gaps between windows. Windows are the same for all voters. REQUIRES: "window"
// is at least 1 hour.
[[nodiscard]] inline base::Time window_end(base::Time at, std::chrono::hours window) {
  const auto begun = at.time_since_epoch() / window;
  return base::Time(window * (begun + 1));
}

// The site's rules for one vote request. The file votes/refusal.h applies them. The defaults refuse
// nothing.
struct Rules {
  model::Revote revote = model::Revote::replace;
  // For Revote::cooldown; 0 has the same effect as Revote::replace.
  std::chrono::hours revote_cooldown{24};
  std::chrono::seconds cooldown{0};  // between any two ratings by the voter
  std::int64_t max_per_day = 0;  // new ratings by the voter per day in the site's zone; 0: no limit
  SharedLimit of_address;        // new ratings from the address
  // Anonymous voters from the address who rate the object for the first time.
  SharedLimit new_voters;
  // If an object gets this number of first votes, they may be a burst, and votes in a burst are
  // held. 0: votes are never held. See find_burst() in votes/suspicion.h.
  int hold_threshold = 0;
};

// A rating that is set or withdrawn together with other ratings by the same voter in the same
// category.
struct VotePart {
  model::Object object;
  std::optional<model::Thousandths> value;  // nothing: withdraw the rating
};

// A request to set or withdraw one rating, or several ratings at once.
struct VoteRequest {
  model::RatingKey key;
  model::IdentifiedBy identified_by = model::IdentifiedBy::cookie;  // how key.voter was found
  std::optional<model::Thousandths> value;                          // nothing: withdraw the rating
  // The voter's reason for this value. If it is empty, the voter has not given a reason, and the
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
  // A visitor from another front end. The visitor's voter is believed to be key.voter. A row with
  // the visitor and the voter is stored together with the rating (store/front_end_visitors.h). If
  // the visitor turns out to be another voter, the request is written for the other voter.
  std::optional<model::FrontEndVisitor> visitor = {};
  // True if the voter has no cookie, or is a visitor without a row. Most likely, nothing is stored
  // about such a voter. So the batch first assumes that the voter has no rows and does not read
  // them.
  bool may_be_new = false;
  std::string address;  // as stored in the votes table, up to 17 bytes
  // The user agent as stored in the votes table, for first votes that may be held; 0: unknown. A
  // vote with an address but without a user agent is never part of a burst.
  std::uint16_t agent = 0;

  // The facets of key.object that are rated in the same vote (model/facets.h), each at most once.
  // Either the whole vote is carried out, or no part of it. The rules refuse the whole vote, and
  // count it once.
  std::vector<VotePart> parts = {};
  // True if only the parts are rated. The result contains the voter's ratings of key.object in any
  // case.
  bool rates_parts_only = false;
  // Other types for the same object. A voter who has rated this id with any of these types does not
  // count as a new voter. The same is true for a voter who has rated key.object.
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

// Adds "request" to "requests", followed by requests for its parts.
inline void add_with_parts(const VoteRequest& request, std::vector<VoteRequest>& requests) {
  requests.push_back(request);
  if (request.parts.empty()) return;
  requests.back().parts.clear();
  VoteRequest part = requests.back();
  part.is_part = true;
  part.rates_parts_only = false;
  part.related_types.clear();
  for (const VotePart& one : request.parts) {
    part.key.object = one.object;
    part.value = one.value;
    requests.push_back(part);
  }
}

// Calls "use(vote, index)" for each vote in "requests", with the index of its first request.
template <typename Use>
void for_each_vote(std::span<const VoteRequest> requests, const Use& use) {
  for (std::size_t begin = 0, end = 0; begin < requests.size(); begin = end) {
    for (end = begin + 1; end < requests.size() && requests[end].is_part;) ++end;
    use(requests.subspan(begin, end - begin), begin);
  }
}

// The outcome of a vote request.
struct VoteResult {
  enum class Outcome : std::uint8_t {
    stored,          // the rating is new or has changed; it may be held, which voters do not learn
    unchanged,       // the voter already had this value; a moved rating is deleted and a reason is
                     // stored nevertheless
    withdrawn,       // the rating is deleted
    nothing_stored,  // there was no rating to withdraw
    already_rated,   // refused: ratings cannot be changed
    // Refused until retry_after has passed:
    cooling_down,         // the voter changed this rating recently
    too_soon,             // the voter rated any object recently
    too_many_of_voter,    // the voter has too many new ratings on this day
    too_many_of_address,  // the address has too many new ratings in the window
    too_many_new_voters,  // the address has too many new voters for the object in the window
    end,                  // add new outcomes before "end": the values are indexes in shared memory
  };
  Outcome outcome = Outcome::unchanged;
  std::chrono::seconds retry_after{0};         // at least 1 if the refusal ends
  model::VoterId voter = 0;                    // the voter to whom the rating belongs
  std::optional<model::Thousandths> previous;  // the value before, even if the request is refused
  model::OwnRatings own;         // the voter's ratings for the object after this vote request
  model::Stats stats;            // the object's totals after the batch
  bool is_new = false;           // the vote counts as a new rating
  bool is_of_new_voter = false;  // the vote is new, and the voter had not rated the object yet
  bool has_reason = false;       // the rating has a reason after this vote request
  // The results of the request's parts, in their order. If there are parts, "outcome" is the
  // outcome of the whole vote.
  std::vector<VoteResult> parts = {};
};

// The names that metrics use for the outcomes, in the order of the enumerators.
inline constexpr auto kOutcomeNames = std::to_array<std::string_view>({
    "stored",
    "unchanged",
    "withdrawn",
    "nothing_stored",
    "already_rated",
    "cooling_down",
    "too_soon",
    "too_many_of_voter",
    "too_many_of_address",
    "too_many_new_voters",
});
static_assert(kOutcomeNames.size() == static_cast<std::size_t>(VoteResult::Outcome::end));
static_assert(kOutcomeNames.size() <= runtime::MetricsTable::kOutcomes &&
              model::kIdentifications.size() <= runtime::MetricsTable::kIdentifications);

[[nodiscard]] constexpr bool is_refusal(VoteResult::Outcome outcome) {
  return outcome >= VoteResult::Outcome::already_rated;
}

}  // namespace votes
