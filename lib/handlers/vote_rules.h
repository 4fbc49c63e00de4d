#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/call.h"
#include "votes/vote.h"

namespace handlers {

// Returns whether the requester is exempt from the limits on votes.
[[nodiscard]] bool is_unlimited(const api::Call& call);

// DESIGN. The rules for one vote, as configured in the site's settings. No rules apply to
// administrators who are exempt from the limits on votes. The database checks the rules in the
// vote's transaction, so the rules apply across all workers and hosts. The database stores the
// sender's network (for IPv6, the /64 network) only as a keyed hash in the names of counters.
//
// If the `store_address` setting is "none", the database receives no address data, and each host
// counts the votes from each address in its shared memory. The host counts a vote before storing
// it, and subtracts the vote afterwards if it is not new. The limits in shared memory are less
// strict than the limits in the database, because each host counts only the votes that it receives
// itself. The limits in shared memory are refilled continuously, so one window can contain nearly
// twice as many votes as the limit. Windows that are longer than a day are shortened to a day. The
// counters are lost if the host restarts, or if too many addresses and objects are active.
//
// Each VoteRules object is used for one vote only.
class VoteRules {
 public:
  // Creates the rules for the vote in "call". All arguments must outlive the VoteRules object.
  VoteRules(const api::Core& core, const api::Voting& voting, const api::Call& call);
  VoteRules(const VoteRules&) = delete;
  VoteRules& operator=(const VoteRules&) = delete;
  VoteRules(VoteRules&&) = default;
  VoteRules& operator=(VoteRules&&) = delete;
  // If settle() has not been called, the vote counts as not stored.
  ~VoteRules() { settle(std::nullopt); }

  // Adds the rules that limit votes on "object" and its facets by the sender's address.
  void add_address_rules(const model::Object& object);

  [[nodiscard]] const votes::Rules& rules() const { return rules_; }

  // If a rule has rejected the vote, returns an error with a message for the visitor. Otherwise,
  // returns nothing.
  [[nodiscard]] std::optional<api::Error> refusal_in(const votes::VoteResult& vote_result) const;

  // Records the vote's result. If "vote_result" is empty because the result is unknown, treats the
  // vote as not stored.
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
