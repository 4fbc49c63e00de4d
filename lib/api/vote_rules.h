#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "api/call.h"
#include "votes/rules.h"
#include "votes/vote_result.h"

namespace api {

// DESIGN. Which rules of the site a vote is judged by: those of the settings, none for an
// administrator who is unlimited. The database judges, in the transaction of the vote, so that
// rules hold whatever workers and hosts are asked. It knows an address by the names of counters
// only, keyed hashes of the network (IPv6: the /64).
//
// With store_address = none the database hears nothing of addresses, and what is allowed to an
// address is taken here from the host's shared memory instead, and given back if the vote turns out
// to be no new one. That is weaker: each host has its own allowances; they are refilled
// continuously, so that nearly twice as much fits into one window; a window longer than a day
// counts as a day; and all of it is forgotten when the host starts anew, or when more addresses and
// objects come than fit.
//
// For one vote.
class VoteRules {
 public:
  // The rules for what "call" asks to do with a rating. All must outlive this.
  VoteRules(const App& app, const Call& call);

  // Adds those that hold for the sender's address and a vote on "object".
  void add_address_rules(const model::Object& object);

  [[nodiscard]] const votes::Rules& rules() const { return rules_; }

  // What became of the vote; nothing if that is not known, which counts as not stored.
  void settle(const std::optional<votes::VoteResult>& vote_result);

 private:
  struct Charge {
    limit::Class kind;
    std::string key;
    limit::Quota quota;
  };

  votes::SharedLimit allowance(limit::Class kind, const std::string& key, int limit);
  votes::SharedLimit take(Charge charge);
  void give_back(const Charge& charge);

  const App& app_;
  const Call& call_;
  const bool is_unlimited_;
  votes::Rules rules_;
  std::vector<Charge> charges_;
};

// Why a rule of the site refused a vote request, in words for the visitor; nothing if none did.
[[nodiscard]] std::optional<Error> refusal_in(const votes::VoteResult& vote_result);

}  // namespace api
