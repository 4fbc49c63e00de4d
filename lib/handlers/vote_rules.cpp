#include "handlers/vote_rules.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "api/access.h"
#include "base/crypto.h"
#include "votes/vote.h"

namespace handlers {
namespace {

using base::Message;
using limit::Class;
using std::chrono::seconds;
using Outcome = votes::VoteResult::Outcome;

constexpr std::size_t kCounterBytes = 12;
// Only a program that votes for several people is likely to change 100 votes in an hour.
constexpr limit::Quota kNetworkChanges{.requests = 100, .window = std::chrono::hours(1)};
constexpr seconds kLongestInMemory = std::chrono::days(1);  // the limit that limit::Limiter applies

// The key begins with the length of "network", so that it stays unambiguous when text is appended.
std::string key_of(std::string_view network) {
  return static_cast<char>(network.size()) + std::string(network);
}

std::string key_of(std::string_view network, const model::Object& object) {
  return key_of(network) + std::to_string(object.id) + ' ' + object.type;
}

std::string counter_named(const api::Core& core, Class kind, const std::string& key) {
  const std::string message = static_cast<char>(kind) + key;
  return base::hmac_sha256(core.keys.front().counters, message).substr(0, kCounterBytes);
}

// Returns the time window for the limits on votes from the same network.
seconds address_window(const model::Settings& settings) {
  return settings.store_address == model::StoreAddress::none
             ? std::min<seconds>(settings.address_window, kLongestInMemory)
             : settings.address_window;
}

// The message that tells a voter why a vote was rejected.
struct RefusalText {
  api::ErrorCode code;
  Message reason;
  limit::Limit limit;  // the limit for the headers RateLimit and RateLimit-Policy
};

limit::Limit limit_named(std::string_view policy, std::int64_t votes, seconds window) {
  return {policy, {.requests = static_cast<std::uint32_t>(votes), .window = window}};
}

// Describes a rejection after which the voter may send the vote again later.
RefusalText describe_refusal(Outcome outcome, const votes::Rules& rules,
                             seconds window_of_address) {
  using api::ErrorCode;
  switch (outcome) {
    case Outcome::cooling_down:
      return {ErrorCode::cooldown, Message("You have already rated this."),
              limit_named("revote", 1, rules.revote_cooldown)};
    case Outcome::too_soon:
      return {ErrorCode::cooldown, Message("You rated a moment ago."),
              limit_named("cooldown", 1, rules.cooldown)};
    case Outcome::too_many_of_voter:
      return {ErrorCode::rate_limited, Message("You have reached the daily rating limit."),
              limit_named("voter", rules.max_per_day, std::chrono::days(1))};
    case Outcome::too_many_of_address:
      return {ErrorCode::rate_limited, Message("Too many ratings have come from your network."),
              limit_named("address", rules.of_address.limit, window_of_address)};
    case Outcome::too_many_new_voters:
      return {ErrorCode::rate_limited,
              Message("Too many people have rated this from your network."),
              limit_named("new-voters", rules.new_voters.limit, window_of_address)};
    case Outcome::stored:
    case Outcome::unchanged:
    case Outcome::withdrawn:
    case Outcome::nothing_stored:
    case Outcome::already_rated:
    case Outcome::end:
      break;
  }
  throw std::logic_error("the outcome of a vote is no refusal that ends");
}

}  // namespace

bool is_unlimited(const api::Call& call) {
  return call.site.settings.administrators_unlimited &&
         call.requester.may(model::Right::administer);
}

VoteRules::VoteRules(const api::Core& core, const api::Voting& voting, const api::Call& call)
    : core_(core), voting_(voting), call_(call), is_unlimited_(is_unlimited(call)) {
  if (is_unlimited_) return;
  const model::Settings& settings = call.site.settings;
  rules_.revote = settings.revote;
  rules_.revote_cooldown = settings.revote_cooldown;
  rules_.cooldown = settings.cooldown;
  rules_.max_per_day = call.requester.user ? settings.max_ratings_per_user_per_day
                                           : settings.max_ratings_per_voter_per_day;
  // Bursts of votes are detected per network. If a front end sends a vote without the visitor's
  // address, bursts cannot be detected, because the front end's network is not the visitor's
  // network.
  const bool has_address_of_voter =
      !call.requester.ticket || !call.requester.address.network().empty();
  if (settings.hold_suspicious && has_address_of_voter) {
    rules_.hold_threshold = settings.hold_threshold;
  }
}

void VoteRules::add_address_rules(const model::Object& object) {
  const model::Settings& settings = call_.site.settings;
  const std::string_view network = call_.requester.address.network();
  if (is_unlimited_ || network.empty()) return;
  rules_.of_address =
      allowance(Class::ratings_of_network, key_of(network), settings.max_ratings_per_address);
  if (call_.requester.user) return;
  rules_.new_voters = allowance(Class::new_voters_of_network, key_of(network, object),
                                settings.max_new_voters_per_address_per_object);
}

votes::SharedLimit VoteRules::allowance(Class kind, const std::string& key, int limit) {
  if (limit == 0) return {};
  const model::Settings& settings = call_.site.settings;
  if (settings.store_address == model::StoreAddress::none) {
    return take({kind, key, {static_cast<std::uint32_t>(limit), address_window(settings)}});
  }
  return {.limit = limit,
          .counter = counter_named(core_, kind, key),
          .ends_at = votes::window_end(call_.request.received_at, settings.address_window)};
}

votes::SharedLimit VoteRules::take(Reservation reservation) {
  const auto decision = voting_.limiter.take(reservation.kind, reservation.key, reservation.quota,
                                             call_.request.received_at);
  votes::SharedLimit allowance;
  allowance.limit = reservation.quota.requests;
  if (decision.allowed) {
    reservations_.push_back(std::move(reservation));
  } else {
    allowance.wait = std::chrono::ceil<seconds>(decision.retry_after);
  }
  return allowance;
}

void VoteRules::settle(const std::optional<votes::VoteResult>& vote_result) {
  for (const Reservation& reservation : reservations_) {
    const bool counts_ratings = reservation.kind == Class::ratings_of_network;
    const bool is_used =
        vote_result && (counts_ratings ? vote_result->is_new : vote_result->is_of_new_voter);
    if (is_used) continue;
    voting_.limiter.give_back(reservation.kind, reservation.key, reservation.quota,
                              call_.request.received_at);
  }
  reservations_.clear();
  if (vote_result) count_change(*vote_result);
}

// Counts a vote that changed an earlier vote, if the voter is recognized by their network.
void VoteRules::count_change(const votes::VoteResult& vote_result) {
  const auto is_change = [](const votes::VoteResult& result) {
    return result.outcome == Outcome::stored && result.previous;
  };
  // For a vote with parts, check each part, because the outcome of the whole vote does not show
  // whether a part has changed a rating.
  const auto& parts = vote_result.parts;
  const bool changed =
      parts.empty() ? is_change(vote_result) : std::ranges::any_of(parts, is_change);
  if (call_.identified_by != model::IdentifiedBy::network || !changed) return;
  core_.metrics.add(runtime::Count::network_vote_changed);
  const base::Time now = call_.request.received_at;
  if (voting_.limiter.take(Class::network_vote_changes, "", kNetworkChanges, now).allowed) return;
  core_.metrics.record_network_changes(now);
}

std::optional<api::Error> VoteRules::refusal_in(const votes::VoteResult& vote_result) const {
  if (!votes::is_refusal(vote_result.outcome)) return std::nullopt;
  if (vote_result.outcome == Outcome::already_rated) {
    return api::Error{api::ErrorCode::already_rated};
  }
  RefusalText refusal =
      describe_refusal(vote_result.outcome, rules_, address_window(call_.site.settings));
  const seconds wait = vote_result.retry_after;
  api::Error error{refusal.code, Message("{reason} Please try again in {time}.",
                                         {{"reason", std::move(refusal.reason)}, {"time", wait}})};
  error.retry_after = wait;
  error.refused_by = refusal.limit;
  return error;
}

}  // namespace handlers
