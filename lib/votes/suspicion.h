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

// DESIGN. The rule behind the setting hold_suspicious. It judges the recent first votes on one
// object in one category. The votes table holds them already; there is no other state that hosts
// would have to share. A burst consists of many first votes, far more than usual, that resemble
// each other: by their networks, or by user agent and value together. Only these votes are
// suspected; other votes on the same object are counted. A post that goes viral has many votes, but
// from many networks and agents. The first votes of a burst look like ordinary votes and are
// counted; the rule names them as soon as it detects the burst, so that they can be held.
//
// A vote is held together with others, so an attacker could have honest votes held by sending votes
// that resemble them. Addresses cost an attacker something: a network counts at most twice towards
// a burst, and once towards one user agent, however often it votes. The setting
// max_new_voters_per_address_per_object limits what a single network may send.

// The first vote of a voter on an object, with its origin.
struct FirstVote {
  base::Time cast_at;
  std::string network;           // as in the votes table, mostly a keyed hash; empty: unknown
  std::uint16_t agent = 0;       // a keyed hash of the user agent; 0: unknown
  model::Thousandths value = 0;  // the current one
};

// The part of a stored address that identifies one subscriber. A full IPv6 address ('6' and 16
// bytes) is cut to its first 8 bytes; other addresses are returned unchanged.
[[nodiscard]] std::string network_in(std::string address);

// The usual traffic, measured on earlier days. A burst differs from it.
struct Usual {
  double votes_per_hour = 0;  // on this object or on an average object, whichever is more
  std::map<std::string, double> networks = {};  // their shares of the site's votes, 0 ... 1
  std::map<std::uint16_t, double> agents = {};  // the same; the share of a missing one is 0
};

// Why a vote is suspected: a set of bits.
using Reasons = std::uint8_t;
inline constexpr Reasons kFewNetworks = 1;  // most votes came from networks with several each
inline constexpr Reasons kOneAgent = 2;     // most networks sent the same user agent and value

// "few_networks", "one_agent".
[[nodiscard]] std::vector<std::string_view> names_of(Reasons reasons);
// The reason with this name; nothing if there is none.
[[nodiscard]] std::optional<Reasons> reason_named(std::string_view name);

inline constexpr std::chrono::hours kBurstWindow{1};  // older votes are ignored
inline constexpr std::size_t kBurstVotes = 256;       // only the newest are examined

// For each of "votes", why it is suspected: 0 for most. "votes" are first votes on one object in
// one category, in any order, held or counted: the newest kBurstVotes of the kBurstWindow before
// "now". Older votes may be among them.
//
// The last ten minutes and the last hour are examined separately. Only votes from known networks
// count. "threshold" is the setting hold_threshold, but at least 10. Suspected are
//   - few_networks: votes whose network has three or more. Counting at most two votes of each
//     network, those of such networks must be at least "threshold" and half of all. The network's
//     share of the votes must be three times its usual one.
//   - one_agent: votes of one user agent and value. At least "threshold" networks and 60 % of all
//     must have sent them, and one and a half times the usual share of that agent.
// Both need three times the usual rate: few_networks of votes, one_agent of networks.
// So a network or an agent that most of the site's visitors share is not suspicious. Without stored
// addresses no vote is suspected. Votes from many networks and agents that have only the value in
// common are never suspected: honest voters who agree look the same.
[[nodiscard]] std::vector<Reasons> find_burst(std::span<const FirstVote> votes, base::Time now,
                                              const Usual& usual, int threshold);

}  // namespace votes
