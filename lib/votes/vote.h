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

// A limit shared by many voters within a time window.
struct SharedLimit {
  std::int64_t limit = 0;  // 0: no limit
  std::string counter;     // 12 bytes that identify the counter in the table (votes/counters.h)
  base::Time ends_at{};    // the end of the window, which is a whole hour (window_end())
  // The time until the limit allows the next vote, or 0 if the limit is not reached. Used only if
  // "limit" is not 0 and the caller counts the votes itself, that is, if "counter" is empty.
  std::chrono::seconds wait{0};
};

// Returns the end of the time window that contains the time "at". "window" must be at least 1 hour.
// The time windows are the same for all voters. The first window begins at the start of 1970 in
// UTC, and each window begins when the previous window ends.
[[nodiscard]] inline base::Time window_end(base::Time at, std::chrono::hours window) {
  const auto begun = at.time_since_epoch() / window;
  return base::Time(window * (begun + 1));
}

// The site's rules for one vote request (votes/refusal.h). The default values allow all requests.
struct Rules {
  model::Revote revote = model::Revote::replace;
  // The minimum time between changes under Revote::cooldown. A cooldown of 0 makes Revote::cooldown
  // equivalent to Revote::replace.
  std::chrono::hours revote_cooldown{24};
  std::chrono::seconds cooldown{0};  // between any two ratings by the voter
  std::int64_t max_per_day = 0;  // new ratings by the voter per day in the site's zone; 0: no limit
  SharedLimit of_address;        // new ratings from the address
  // The limit on anonymous voters from one address who rate the object for the first time.
  SharedLimit new_voters;
  // The minimum number of first votes in a burst (find_burst() in votes/suspicion.h). Votes in a
  // burst are held. If the number is 0, votes are never held.
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
  // The voter's reason for the value. If the reason is empty and both the stored and the new value
  // are low, the stored reason is kept (model/rating.h).
  std::string reason = {};
  base::Time received_at;
  base::Stopwatch stopwatch;  // since the HTTP request arrived; old requests are not written
  Rules rules;
  // The anonymous voter in this browser, who may have voted before logging in as a registered user.
  // The request deletes the anonymous voter's rating for the same object and category, unless the
  // request is rejected. If the user has not rated the object in this category yet, the anonymous
  // voter's rating counts as the user's earlier rating. If the user's new rating has the same value
  // as the anonymous voter's rating, the time of the anonymous voter's rating is kept. "moved_from"
  // must be anonymous, and "key.voter" must be registered.
  std::optional<model::VoterId> moved_from;
  // The visitor who cast the vote, or empty if the vote does not come from another front end. For a
  // visitor's vote, "key.voter" is the voter id computed for the visitor. The batch stores the
  // visitor and the voter id together with the rating (store/front_end_visitors.h). If a different
  // voter id is already stored for the visitor, the rating is stored under that id.
  std::optional<model::FrontEndVisitor> visitor = {};
  // True if the voter has no cookie, or is a front-end visitor without a row in the
  // ratingd_visitors table. If "may_be_new" is true, the batch assumes that no table contains rows
  // for the voter.
  bool may_be_new = false;
  std::string address;  // as stored in the votes table, up to 17 bytes
  // The user agent in the same form as in the votes table, or 0 if it is unknown. The user agent is
  // needed only for first votes that may be held. A vote with an address but without a user agent
  // is never part of a burst.
  std::uint16_t agent = 0;

  // The facets of "key.object" that are rated in the same vote (model/facets.h), each at most once.
  // The rules allow or reject the vote as a whole, and a vote counts once towards the limits.
  std::vector<VotePart> parts = {};
  // True if the vote rates only the parts and not "key.object". The vote's result always contains
  // the voter's ratings for "key.object".
  bool rates_parts_only = false;
  // Object types, other than key.object.type, under which the object may be rated. A voter who has
  // rated the object under any of its types does not count as a new voter.
  std::vector<std::string> related_types = {};
  // True if the request is a part of a vote. The nearest preceding request that is not a part is
  // the first request of the same vote. The add_with_parts() function sets this member. A part has
  // no parts of its own.
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

// Calls "use(vote, index)" for each vote in "requests". "index" is the index of the vote's first
// request.
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
    already_rated,   // rejected: ratings cannot be changed
    // A request with one of the following outcomes can succeed after "retry_after".
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
  std::optional<model::Thousandths> previous;  // the value before, even if the request is rejected
  model::OwnRatings own;         // the voter's ratings for the object after this vote request
  model::Stats stats;            // the object's totals after the batch
  bool is_new = false;           // the vote counts as a new rating
  bool is_of_new_voter = false;  // the vote is new, and the voter had not rated the object yet
  bool has_reason = false;       // the rating has a reason after this vote request
  // The results of the request's parts, in the order of the parts. If "parts" is not empty,
  // "outcome" is the outcome of the whole vote.
  std::vector<VoteResult> parts = {};
};

// The names of the outcomes in metrics, in the order of the enumerators.
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
