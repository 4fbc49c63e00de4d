#include "store/rules.h"

namespace store {
namespace {

using model::Revote;

std::optional<Refusal> refuse_revote(const Rules& rules, base::Time rated_at, base::Time now) {
  if (rules.revote == Revote::never) return Refusal{Receipt::Outcome::already_rated};
  // Without a cooldown a request that was overtaken by a later one passes, too.
  if (rules.revote == Revote::replace || rules.revote_cooldown.count() == 0) return std::nullopt;
  const base::Time free_at = rated_at + rules.revote_cooldown;
  if (now >= free_at) return std::nullopt;
  return Refusal{Receipt::Outcome::cooling_down,
                 std::chrono::ceil<std::chrono::seconds>(free_at - now)};
}

}  // namespace

std::optional<Refusal> find_refusal(const Ballot& ballot, const std::optional<OwnRating>& earlier) {
  if (!earlier || ballot.value == earlier->value) return std::nullopt;
  return refuse_revote(ballot.rules, earlier->rated_at, ballot.received_at);
}

}  // namespace store
