#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "model/rating.h"

namespace store {

// DESIGN. The rule behind the setting hold_suspicious. It looks at the recent first votes on one
// object in one category, which the votes table holds already; there is no other state, so hosts
// need not agree on any. A burst is many of them, far more than usual, that resemble each other: by
// their networks, or by user agent and value together. Only those that do are suspected, so that
// others who rate the same object meanwhile are counted; a post that goes viral has many votes, but
// of many networks and agents. Since the beginning of a burst looks like any few votes, the votes
// that were counted before it could be told are named too, to be held after all.

// A vote of somebody who had none on the object, with what tells where it came from.
struct FirstVote {
  base::Time cast_at;
  std::string network;           // as the votes table has it, a keyed hash mostly; empty: unknown
  std::uint16_t agent = 0;       // a keyed hash of the user agent; 0: unknown
  model::Thousandths value = 0;  // as it is now
};

// What is ordinary, to tell a burst from: of some days before.
struct Usual {
  double votes_per_hour = 0;  // on this object, or on an average one if that is more
  std::map<std::string, double> networks = {};  // which share of the site's votes each has, 0 ... 1
  std::map<std::uint16_t, double> agents = {};  // absent ones have none
};

// Why a vote is suspected, as bits.
using Reasons = std::uint8_t;
inline constexpr Reasons kFewNetworks = 1;  // most votes came from networks with several each
inline constexpr Reasons kOneAgent = 2;     // most votes had the same user agent and value

// "few_networks", "one_agent".
[[nodiscard]] std::vector<std::string_view> names_of(Reasons reasons);
// The one of this name; nothing if there is none.
[[nodiscard]] std::optional<Reasons> reason_named(std::string_view name);

inline constexpr std::chrono::hours kBurstWindow{1};  // older votes tell nothing
inline constexpr std::size_t kBurstVotes = 256;       // the newest of them are enough

// For each of "votes", why it is suspected: 0 for most. They are first votes on one object in one
// category, the newest kBurstVotes of the last kBurstWindow before "now" (older ones may be there,
// too), held or counted, in any order.
//
// The last ten minutes and the last hour are looked at, each by itself. In either a burst needs
//   - at least "threshold" votes (the setting hold_threshold), and never fewer than 10,
//   - three times the usual rate of votes.
// Then these are suspected:
//   - few_networks: votes whose network has three or more, when at least half of all come from such
//     networks, and this one's share is three times its usual one or more,
//   - one_agent: votes of one user agent and value, when they are 60 % or more of all, and one and
//   a
//     half times the usual share of that agent or more.
// So a network or an agent that most of the site's visitors share tells nothing. What is unknown is
// not suspected: without stored addresses only user agents are left. Many networks and many agents
// with nothing but the value in common are never suspected: that is also what opinion looks like.
[[nodiscard]] std::vector<Reasons> find_burst(std::span<const FirstVote> votes, base::Time now,
                                              const Usual& usual, int threshold);

}  // namespace store
