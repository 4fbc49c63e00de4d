#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/clock.h"
#include "db/connection.h"

namespace votes {

struct DemoSite {
  std::int64_t votes = 100'000;
  std::int64_t objects = 1000;
  std::vector<std::uint64_t> ids =
      {};                   // the objects' ids; if this vector is empty, the ids are 1, 2, 3 ...
  std::int64_t days = 365;  // the last day is the day of "until"
  std::uint64_t seed = 1;
  base::Time until;
};

// The maximum average number of votes per object on a demo site. With a higher average, the
// generator could pick the same voter several times for an object, but only one of the votes would
// be stored.
inline constexpr std::int64_t kMostDemoVotesOfObject = 10'000;

// Returns whether the site has any ratings, rating sums or voters. Voters may remain after all
// ratings have been deleted. Throws the same exceptions as db::Connection.
[[nodiscard]] bool has_votes(db::Connection& connection);

// Stores votes that resemble the votes on a real site. A few objects receive most of the votes (a
// power law), fewer votes are cast at night and on weekends, a fifth of the votes come from
// registered users, and all categories are used. The same seed always produces the same votes.
//
// The store_demo_votes() function stores the votes and updates the sums for each object. The
// sum_up_demo_voters() function updates the sums for each user and the voters' active days. Call
// store_demo_votes() first, because sum_up_demo_voters() needs all of a voter's votes at once. Both
// functions pass the number of processed votes to "progress".
//
// The site must not have any votes yet. "ids" must be empty or contain an id for each object. The
// average number of votes per object must be at most kMostDemoVotesOfObject. Both functions throw
// the same exceptions as db::Connection. If an error occurs, votes already stored are not removed.
void store_demo_votes(db::Connection& connection, const DemoSite& site,
                      const std::function<void(std::int64_t)>& progress);
void sum_up_demo_voters(db::Connection& connection,
                        const std::function<void(std::int64_t)>& progress);

}  // namespace votes
