#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "model/settings.h"

namespace votes {

// A limit that many voters share in a time window.
struct SharedLimit {
  std::int64_t limit = 0;  // 0: no limit
  std::string counter;     // 12 bytes that identify the counter in the database (votes/counters.h)
  base::Time ends_at{};    // the end of the window, which is a whole hour (window_end())
  // For a limit that the caller counts itself: how long the limit stays exhausted, or 0 if it is
  // not exhausted. In this case, "counter" is empty and "limit" is not 0.
  std::chrono::seconds wait{0};
};

// Returns the end of the window that contains "at". The first window begins in 1970, in UTC, and
// all windows follow each other without gaps. Windows are the same for all voters. REQUIRES:
// "window" is at least 1 hour.
[[nodiscard]] inline base::Time window_end(base::Time at, std::chrono::hours window) {
  const auto begun = at.time_since_epoch() / window;
  return base::Time(window * (begun + 1));
}

// The site's rules for one vote request. The file votes/refusal.h applies them. The defaults refuse
// nothing.
struct Rules {
  model::Revote revote = model::Revote::replace;
  std::chrono::hours revote_cooldown{24};  // for Revote::cooldown; 0: as Revote::replace
  std::chrono::seconds cooldown{0};        // between any two ratings by the voter
  std::int64_t max_per_day = 0;  // new ratings by the voter per day in the site's zone; 0: no limit
  SharedLimit of_address;        // new ratings from the address
  SharedLimit new_voters;  // anonymous voters at the address who rate the object for the first time
  // If an object gets this number of first votes, they may be a burst, and votes in a burst are
  // held. 0: votes are never held. See find_burst() in votes/suspicion.h.
  int hold_threshold = 0;
};

}  // namespace votes
