#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/stopwatch.h"
#include "model/rating.h"
#include "model/settings.h"

namespace votes {

// A limit on what many voters do together in a window of time.
struct Allowance {
  std::int64_t limit = 0;  // 0: none
  std::string counter;     // 12 bytes that name it in the database
  base::Time ends_at{};    // the window's end, a whole hour: window_end() in votes/rules.h
  // Counted by the caller, and used up for so long: then "limit" is not 0 and "counter" is empty.
  std::chrono::seconds wait{0};
};

// The site's rules that one vote request is judged by (votes/rules.h). The defaults refuse nothing.
struct Rules {
  model::Revote revote = model::Revote::replace;
  std::chrono::hours revote_cooldown{24};  // counts for Revote::cooldown; 0: as replace
  std::chrono::seconds cooldown{0};        // between any two ratings of the voter
  std::int64_t max_per_day = 0;            // new ratings of the voter in a day of the site; 0: any
  Allowance of_address;                    // new ratings
  Allowance new_voters;      // anonymous voters who rate the object for the first time
  Allowance program_voters;  // those of them who are programs without cookie and device token
  // From how many on the first votes on an object may be a burst, whose votes are held; 0: none is.
  // See find_burst() in votes/suspicion.h.
  int hold_threshold = 0;
};

// What a request asks the writer to do: to set one rating, or to take it back.
struct VoteRequest {
  model::RatingKey key;
  std::optional<model::Thousandths> value;  // nothing: take the rating back
  base::Time received_at;
  base::Stopwatch asked;  // since the request came: an old one is not written any more
  Rules rules;
  // Under whom the browser of a registered user voted before the login. That voter's rating of the
  // same object and category is taken away with this vote request, and counts as the user's earlier
  // one if the user has none; an equal one passes to the user with its time. A refused vote request
  // leaves it. REQUIRES: it is anonymous, and key.voter is not.
  std::optional<model::VoterId> carried_from;
  // The voter has no cookie: most likely nothing is stored of it yet, and if so nothing is read.
  bool may_be_new = false;
  std::string address;  // as the votes table holds it, up to 17 bytes
  // The user agent as the votes table holds it, for first votes that may be held; 0: unknown. One
  // without, but with an address, is no part of a burst.
  std::uint16_t agent = 0;
};

// What became of a vote request.
struct VoteResult {
  enum class Outcome {
    stored,          // the rating is new or has changed; it may be held, which is not told
    unchanged,       // the voter had the same value already; a carried one is gone nevertheless
    withdrawn,       // the rating is gone
    nothing_stored,  // there was no rating to take back
    already_rated,   // refused: a rating is for ever
    // Refused until retry_after has passed:
    cooling_down,             // this rating was changed lately
    too_soon,                 // the voter rated something lately
    too_many_of_voter,        // for a day
    too_many_of_address,      // for its window
    too_many_new_voters,      // of the address on the object, for its window
    too_many_program_voters,  // of these, programs without cookie and device token
  };
  Outcome outcome = Outcome::unchanged;
  std::chrono::seconds retry_after{0};         // 1 or more where it counts
  model::VoterId voter = 0;                    // for whom it counts
  std::optional<model::Thousandths> previous;  // also if refused
  model::OwnRatings own;                       // after this vote request
  model::Stats stats;                          // of the object, after the batch
};

}  // namespace votes
