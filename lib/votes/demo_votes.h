#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "db/connection.h"

namespace votes {

struct DemoSite {
  std::int64_t votes = 100'000;
  std::int64_t objects = 1000;
  std::vector<std::uint64_t> ids = {};  // of the objects; empty: 1, 2, 3 ...
  std::int64_t days = 365;              // the last one is the day of "until"
  std::uint64_t seed = 1;
  base::Time until;
};

// The most votes that a demo site may have for each of its objects, on average: votes of one voter
// on one object would be one vote.
inline constexpr std::int64_t kMostDemoVotesOfObject = 10'000;

// Whether the site has or had any ratings, also if only their sums are left.
[[nodiscard]] bool has_votes(db::Connection& connection);

// Stores votes that resemble those of a real site: few objects have most of the votes (a power
// law), weekends and nights are quiet, a fifth of the votes comes from registered users, and all
// categories are used. The same seed gives the same votes. "progress" is called with the number of
// stored votes. Adds the sums by object. sum_up_demo_voters() adds the sums by user and the
// activity of voters afterwards, because it needs all votes of a voter at once. It calls "progress"
// with the number of summed votes.
//
// REQUIRES: there are no votes; "ids" is empty or has as many ids as there are objects; at most
// kMostDemoVotesOfObject votes for each object. Errors: as db::Connection; votes stored before the
// error stay.
void store_demo_votes(db::Connection& connection, const DemoSite& site,
                      const std::function<void(std::int64_t)>& progress);
void sum_up_demo_voters(db::Connection& connection,
                        const std::function<void(std::int64_t)>& progress);

}  // namespace votes
