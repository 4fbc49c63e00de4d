#include <algorithm>

#include "model/reason.h"
#include "votes/vote_batch.h"

// How VoteBatch decides votes in memory, between its statements (votes/vote_batch.cpp).

namespace votes {
namespace {

using model::Category;
using model::Object;
using model::RatingKey;
using model::VoterId;

RatingKey key_of(const VoteRequest& request, VoterId voter) {
  return {request.key.object, request.key.category, voter};
}

// The outcome of a whole vote: what it has done, if any part has done something.
VoteResult::Outcome outcome_of(std::span<const VoteResult> results) {
  using enum VoteResult::Outcome;
  for (const auto outcome : {stored, withdrawn, unchanged}) {
    if (std::ranges::find(results, outcome, &VoteResult::outcome) != results.end()) return outcome;
  }
  return results.front().outcome;
}

}  // namespace

// Finds the first votes that are part of a burst. Votes that the rules refuse now are not judged. A
// vote on several facets is judged once, by its first new rating, and held as a whole.
void VoteBatch::find_suspected(std::span<const VoteRequest> requests) {
  std::map<RatingKey, FirstVote> first_votes;
  int threshold = 0;
  for_each_vote(requests, [&](VoteSpan vote, std::size_t) {
    if (!sets_ratings(vote) || vote.front().rules.hold_threshold == 0) return;
    const std::vector<VoterState> states = states_of(vote);
    if (find_refusal(vote, states)) return;
    for (std::size_t i = 0; i < vote.size(); ++i) {
      const VoteRequest& request = vote[i];
      if (!request.value || states[i].earlier) continue;
      threshold = std::max(threshold, request.rules.hold_threshold);
      first_votes.emplace(request.key, FirstVote{request.received_at, network_in(request.address),
                                                 request.agent, *request.value});
      break;
    }
  });
  suspected_ = watch_.judge(connection_, zone(), first_votes, threshold);
  for_each_vote(requests, [&](VoteSpan vote, std::size_t) {
    const auto judged = std::ranges::find_if(
        vote, [&](const VoteRequest& one) { return first_votes.contains(one.key); });
    if (judged == vote.end() || !suspected_.contains(judged->key)) return;
    const Reasons reasons = suspected_.at(judged->key);
    for (const VoteRequest& one : vote) suspected_.emplace(one.key, reasons);
  });
}

void VoteBatch::decide(VoteSpan vote, std::span<VoteResult> results) {
  const std::vector<VoterState> states = states_of(vote);
  const auto refusal = find_refusal(vote, states);
  bool is_new = false;
  bool is_stored = false;
  for (std::size_t i = 0; i < vote.size(); ++i) {
    const VoteRequest& request = vote[i];
    VoteResult& result = results[i];
    result.voter = request.key.voter;
    if (states[i].earlier && !request.rates_parts_only) {
      result.previous = states[i].earlier->value;
    }
    if (refusal) {
      result.outcome = refusal->outcome;
      result.retry_after = refusal->retry_after;
    } else if (request.rates_parts_only) {
      result.outcome = VoteResult::Outcome::nothing_stored;
    } else {
      result.outcome = carry_out(request, request.key, states[i].earlier);
      is_new = is_new || (request.value && !states[i].earlier);
      is_stored = is_stored || result.outcome == VoteResult::Outcome::stored;
    }
  }
  const VoteRequest& first = vote.front();
  if (is_new) use_limits(first, states.front());
  if (first.visitor && is_stored) {
    visitors_[first.key.voter] = {first.key.voter, *first.visitor, first.received_at};
  }
  for (std::size_t i = 0; i < vote.size(); ++i) {
    results[i].own = own_ratings(vote[i].key.object, first.key.voter);
  }
  results.front().outcome = outcome_of(results);
  results.front().has_reason = reasons_.contains(first.key);
  results.front().is_new = is_new;
  results.front().is_of_new_voter = is_new && states.front().is_new_voter;
}

std::vector<VoterState> VoteBatch::states_of(VoteSpan vote) const {
  std::vector<VoterState> states;
  states.reserve(vote.size());
  const bool is_new_voter = is_of_new_voter(vote);
  for (const VoteRequest& request : vote) {
    states.push_back(state_of(request));
    states.back().is_new_voter = is_new_voter;
  }
  return states;
}

// Whether the voter is anonymous and has rated nothing of what the vote is on.
bool VoteBatch::is_of_new_voter(VoteSpan vote) const {
  const VoterId voter = vote.front().key.voter;
  if (!model::is_anonymous(voter)) return false;
  for (const VoteRequest& request : vote) {
    if (has_rated(request.key.object, voter)) return false;
  }
  return std::ranges::none_of(vote.front().related_types, [&](const std::string& type) {
    return has_rated({vote.front().key.object.id, type}, voter);
  });
}

VoterState VoteBatch::state_of(const VoteRequest& request) const {
  const RatingKey& key = request.key;
  VoterState voter_state;
  voter_state.earlier = rating_of(key);
  if (!voter_state.earlier && request.moved_from) {
    voter_state.earlier = rating_of(key_of(request, *request.moved_from));
  }
  const Voter& voter = voter_rows_.at(key.voter);
  const base::Day last_day = changes_.front().last_day(key.voter).value();
  const base::Day day = zone().day_of(request.received_at);
  voter_state.last_rated_at = voter.last_rated_at;
  voter_state.ratings_today = day > last_day ? 0 : voter.ratings;
  voter_state.tomorrow = zone().start_of(std::max(day, last_day) + std::chrono::days(1));
  voter_state.of_address = counters_.used(request.rules.of_address);
  voter_state.new_voters = counters_.used(request.rules.new_voters);
  const std::string reason = earlier_reason(request);
  voter_state.has_other_reason =
      !request.reason.empty() && !reason.empty() && reason != request.reason;
  return voter_state;
}

// Counts a vote with new ratings, which are stored already.
void VoteBatch::use_limits(const VoteRequest& request, const VoterState& voter_state) {
  counters_.use(request.rules.of_address);
  if (voter_state.is_new_voter) counters_.use(request.rules.new_voters);
  if (request.rules.max_per_day == 0) return;
  ++voter_rows_.at(request.key.voter).ratings;
  changed_voters_.insert(request.key.voter);
}

// "earlier" is the voter's rating or, if there is none, the one to be moved.
VoteResult::Outcome VoteBatch::carry_out(const VoteRequest& request, const RatingKey& key,
                                         const std::optional<model::OwnRating>& earlier) {
  const std::optional<Hold> hold = hold_for(request, key, !earlier);
  const std::string reason = request.reason.empty() ? earlier_reason(request) : request.reason;
  if (request.moved_from) withdraw(key_of(request, *request.moved_from));
  if (request.value) {
    const VoteResult::Outcome outcome = set(request, key, earlier, hold);
    set_reason(key, model::is_low(key.category, *request.value) ? reason : "");
    return outcome;
  }
  withdraw(key);
  return earlier ? VoteResult::Outcome::withdrawn : VoteResult::Outcome::nothing_stored;
}

// The hold of the rating that "request" stores, if it is held. A held rating stays held until it is
// withdrawn, also when it is moved to a user.
std::optional<VoteBatch::Hold> VoteBatch::hold_for(const VoteRequest& request, const RatingKey& key,
                                                   bool is_first) const {
  if (is_first) {
    const auto found = suspected_.find(key);
    if (found == suspected_.end()) return std::nullopt;
    return Hold{found->second, request.received_at};
  }
  const auto found = held_.find(rating_of(key) ? key : key_of(request, *request.moved_from));
  if (found == held_.end()) return std::nullopt;
  return found->second;
}

VoteResult::Outcome VoteBatch::set(const VoteRequest& request, const RatingKey& key,
                                   const std::optional<model::OwnRating>& earlier,
                                   const std::optional<Hold>& hold) {
  const std::optional<model::OwnRating> own = rating_of(key);
  model::OwnRating rating{*request.value, request.received_at};
  if (own && own->value == rating.value) return VoteResult::Outcome::unchanged;
  if (own && !hold) {
    for (rollups::RollupChanges& changes : changes_) changes.subtract(key, *own);
  }
  if (earlier) {
    // An equal rating is moved with its time. For other ratings: two requests of one voter may be
    // stored in another order than they were received.
    const bool is_moved = earlier->value == rating.value;
    rating.rated_at = is_moved ? earlier->rated_at : std::max(rating.rated_at, earlier->rated_at);
  }
  if (!hold) {
    for (rollups::RollupChanges& changes : changes_) changes.add(key, rating);
  } else if (held_.emplace(key, *hold).second) {
    saved_holds_.insert(key);
    deleted_holds_.erase(key);
  }
  note_activity(key.voter, rating.rated_at, !hold);
  // The new rollups need the row of a voter with held votes, too.
  if (hold || request.rules.cooldown.count() > 0) changed_voters_.insert(key.voter);
  votes_[key] = rating;
  // Only first votes store the user agent: other votes are never part of a burst.
  saved_[key] = {rating, request.address, earlier ? std::uint16_t{0} : request.agent};
  deleted_.erase(key);
  return VoteResult::Outcome::stored;
}

// Deletes the rating with this key, if there is one.
void VoteBatch::withdraw(const RatingKey& key) {
  const auto found = votes_.find(key);
  if (found == votes_.end()) return;
  withdraws_ = true;
  if (held_.erase(key) > 0) {
    saved_holds_.erase(key);
    deleted_holds_.insert(key);
  } else {
    for (rollups::RollupChanges& changes : changes_) changes.withdraw(key, found->second);
  }
  votes_.erase(found);
  saved_.erase(key);
  deleted_.insert(key);
  set_reason(key, "");
}

// The reason of the rating that "request" changes, moves or repeats; empty: it has none.
std::string VoteBatch::earlier_reason(const VoteRequest& request) const {
  auto found = reasons_.find(request.key);
  if (!rating_of(request.key) && request.moved_from) {
    found = reasons_.find(key_of(request, *request.moved_from));
  }
  return found == reasons_.end() ? "" : found->second;
}

// Also writes the time of a reason that stays, if that of the rating has changed. Empty: no reason.
void VoteBatch::set_reason(const RatingKey& key, const std::string& reason) {
  const auto found = reasons_.find(key);
  if (reason.empty()) {
    if (found == reasons_.end()) return;
    reasons_.erase(found);
  } else {
    if (found != reasons_.end() && found->second == reason && !saved_.contains(key)) return;
    reasons_[key] = reason;
  }
  changed_reasons_.insert(key);
}

void VoteBatch::note_activity(VoterId voter, base::Time at, bool is_counted) {
  Voter& row = voter_rows_.at(voter);
  row.last_rated_at = std::max(row.last_rated_at, at);
  if (!is_counted) return;
  for (rollups::RollupChanges& changes : changes_) {
    if (!changes.note_activity(voter, changes.zone().day_of(at))) continue;
    if (!changes.is_for_rebuild()) row.ratings = 0;
    changed_voters_.insert(voter);
  }
}

std::optional<model::OwnRating> VoteBatch::rating_of(const RatingKey& key) const {
  const auto found = votes_.find(key);
  if (found == votes_.end()) return std::nullopt;
  return found->second;
}

bool VoteBatch::has_rated(const Object& object, VoterId voter) const {
  const model::OwnRatings own = own_ratings(object, voter);
  return std::any_of(own.begin(), own.end(), [](const auto& rating) { return rating.has_value(); });
}

model::OwnRatings VoteBatch::own_ratings(const Object& object, VoterId voter) const {
  model::OwnRatings own;
  for (const Category category : model::kCategories) {
    own[static_cast<std::size_t>(category)] = rating_of({object, category, voter});
  }
  return own;
}

}  // namespace votes
