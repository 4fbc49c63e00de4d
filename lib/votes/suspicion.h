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

namespace votes {

// DESIGN. The rule behind the setting hold_suspicious. It looks at the recent first votes on one
// object in one category, which the votes table holds already; there is no other state, so hosts
// need not agree on any. A burst is many of them, far more than usual, that resemble each other: by
// their networks, or by user agent and value together. Only those that do are suspected, so that
// others who rate the same object meanwhile are counted; a post that goes viral has many votes, but
// of many networks and agents. Since the beginning of a burst looks like any few votes, the votes
// that were counted before it could be told are named too, to be held after all.
//
// A vote is held together with others, so an attacker could hold honest votes by sending votes that
// resemble them. Addresses are what costs an attacker something: a network counts at most twice
// towards a burst, and once towards one user agent, however often it votes. What a single network
// may send is bounded by the setting max_new_voters_per_address_per_object instead.

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
inline constexpr Reasons kOneAgent = 2;     // most networks sent the same user agent and value

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
// The last ten minutes and the last hour are examined, each by itself. Only votes of known networks
// count. "threshold" is the setting hold_threshold, but never less than 10. Suspected are
//   - few_networks: votes whose network has three or more. Counting at most two votes of each
//     network, those of such networks must be at least "threshold" and half of all. The network's
//     share of the votes must be three times its usual one.
//   - one_agent: votes of one user agent and value. At least "threshold" networks and 60 % of all
//     must have sent them, and one and a half times the usual share of that agent.
// Either needs three times the usual rate of votes, or of networks for one_agent.
// So a network or an agent that most of the site's visitors share tells nothing. Without stored
// addresses nothing is suspected. Many networks and many agents with nothing but the value in
// common are never suspected: that is also what opinion looks like.
[[nodiscard]] std::vector<Reasons> find_burst(std::span<const FirstVote> votes, base::Time now,
                                              const Usual& usual, int threshold);

}  // namespace votes
