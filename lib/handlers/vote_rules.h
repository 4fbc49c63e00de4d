#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/call.h"
#include "votes/vote.h"

namespace handlers {

// Returns whether the requester is exempt from the limits on votes.
[[nodiscard]] bool is_unlimited(const api::Call& call);

// DESIGN. The site's rules that apply to one vote. The settings determine these rules, and an
// exempt administrator has no rules. The database checks the rules in the vote's transaction, so
// they hold across all workers and hosts. The database stores addresses only in the names of
// counters, which are keyed hashes of the network (for IPv6, the /64 network).
//
// If the setting `store_address` is "none", the database receives no data about addresses. In this
// case, the votes per address are counted in the host's shared memory, and a vote that turns out
// not to be new is subtracted again. These limits are weaker than the limits in the database. Each
// host counts separately. Limits are refilled continuously, so nearly twice as many votes fit into
// one window. A window longer than a day is treated as a day. The counters are lost if the host
// restarts, or if too many addresses and objects are active.
//
// Each object is for one vote.
class VoteRules {
 public:
  // The rules for the vote in "call". All arguments must outlive this object.
  VoteRules(const api::Core& core, const api::Voting& voting, const api::Call& call);
  VoteRules(const VoteRules&) = delete;
  VoteRules& operator=(const VoteRules&) = delete;
  VoteRules(VoteRules&&) = default;
  VoteRules& operator=(VoteRules&&) = delete;
  // A vote whose result was not recorded counts as not stored.
  ~VoteRules() { settle(std::nullopt); }

  // Adds the rules for the sender's address and a vote on "object" or on its facets.
  void add_address_rules(const model::Object& object);

  [[nodiscard]] const votes::Rules& rules() const { return rules_; }

  // If a rule has refused the vote, returns an error with a message for the visitor. Otherwise,
  // returns nothing.
  [[nodiscard]] std::optional<api::Error> refusal_in(const votes::VoteResult& vote_result) const;

  // Records the vote's result. If there is no value, the result is unknown, and the vote counts as
  // not stored.
  void settle(const std::optional<votes::VoteResult>& vote_result);

 private:
  struct Reservation {
    limit::Class kind;
    std::string key;
    limit::Quota quota;
  };

  votes::SharedLimit allowance(limit::Class kind, const std::string& key, int limit);
  votes::SharedLimit take(Reservation reservation);
  void count_change(const votes::VoteResult& vote_result);

  const api::Core& core_;
  const api::Voting& voting_;
  const api::Call& call_;
  const bool is_unlimited_;
  votes::Rules rules_;
  std::vector<Reservation> reservations_;
};

}  // namespace handlers
