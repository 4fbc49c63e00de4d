#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/call.h"
#include "votes/rules.h"
#include "votes/vote_result.h"

namespace handlers {

// Returns whether the limits of votes do not apply to the requester.
[[nodiscard]] bool is_unlimited(const api::Call& call);

// DESIGN. The rules of the site that apply to a vote: those of the settings, or none for an exempt
// administrator. The database checks them in the transaction of the vote, so they hold across all
// workers and hosts. It sees addresses only as names of counters: keyed hashes of the network
// (IPv6: the /64).
//
// With store_address = none the database gets no data about addresses. The limits per address are
// then counted in the host's shared memory instead, and given back if the vote turns out not to be
// new. That is weaker: each host counts separately; limits are refilled continuously, so nearly
// twice as many votes fit into one window; a window longer than a day counts as a day; and the
// counters are lost if the host restarts, or if more addresses and objects are active than fit.
//
// For one vote.
class VoteRules {
 public:
  // The rules for the vote of "call". All arguments must outlive this object.
  VoteRules(const api::App& app, const api::Call& call);
  VoteRules(const VoteRules&) = delete;
  VoteRules& operator=(const VoteRules&) = delete;
  VoteRules(VoteRules&&) = default;
  VoteRules& operator=(VoteRules&&) = delete;
  // A vote without a recorded result counts as not stored.
  ~VoteRules() { settle(std::nullopt); }

  // Adds the rules for the sender's address and a vote on "object", or on facets of it.
  void add_address_rules(const model::Object& object);

  [[nodiscard]] const votes::Rules& rules() const { return rules_; }

  // The error for a vote that one of the rules refused, with a message for the visitor; nothing if
  // none did.
  [[nodiscard]] std::optional<api::Error> refusal_in(const votes::VoteResult& vote_result) const;

  // Records the result of the vote; nothing if it is unknown, which counts as not stored.
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

  const api::App& app_;
  const api::Call& call_;
  const bool is_unlimited_;
  votes::Rules rules_;
  std::vector<Reservation> reservations_;
};

}  // namespace handlers
