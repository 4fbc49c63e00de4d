#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "model/settings.h"

namespace votes {

// A limit that many voters share in a window of time.
struct SharedLimit {
  std::int64_t limit = 0;  // 0: no limit
  std::string counter;     // 12 bytes that name the counter in the database (votes/counters.h)
  base::Time ends_at{};    // the end of the window, a whole hour: window_end()
  // For a limit that the caller counts itself: how long it stays exhausted, 0 if it is not. Then
  // "counter" is empty and "limit" is not 0.
  std::chrono::seconds wait{0};
};

// The end of the window that contains "at". Windows of one length follow each other from 1970 on,
// in UTC, and are the same for all voters. REQUIRES: 1 hour or more.
[[nodiscard]] inline base::Time window_end(base::Time at, std::chrono::hours window) {
  const auto begun = at.time_since_epoch() / window;
  return base::Time(window * (begun + 1));
}

// The site's rules for one vote request (votes/refusal.h applies them). The defaults refuse
// nothing.
struct Rules {
  model::Revote revote = model::Revote::replace;
  std::chrono::hours revote_cooldown{24};  // for Revote::cooldown; 0: as Revote::replace
  std::chrono::seconds cooldown{0};        // between any two ratings of the voter
  std::int64_t max_per_day = 0;            // new ratings of the voter per day of the site; 0: any
  SharedLimit of_address;                  // new ratings from the address
  SharedLimit new_voters;  // anonymous voters who rate the object for the first time
  // The number of first votes on an object from which they may be a burst, whose votes are held; 0:
  // votes are never held. See find_burst() in votes/suspicion.h.
  int hold_threshold = 0;
};

}  // namespace votes
