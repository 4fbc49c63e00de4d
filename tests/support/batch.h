#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/clock.h"
#include "support/vote_requests.h"
#include "votes/decisions.h"

namespace support {

// The keys of two ratings of kPost: kUser's rating and kVisitor's rating.
inline const model::RatingKey kOfUser{kPost, model::Category::binary, kUser};
inline const model::RatingKey kOfVisitor{kPost, model::Category::binary, kVisitor};

// Keeps the rows of a vote batch in memory and computes the outcomes of the batch's votes. The time
// zone of the site is Europe/Berlin. Needs no database.
struct Batch {
  Batch() { rows.zones = base::Zone::named("Europe/Berlin").value(); }

  void rated(const model::RatingKey& key, model::Thousandths value, base::Time at = kNoon) {
    rows.ratings[key] = {value, at};
    votes::VoterRow& voter = rows.voters[key.voter];
    voter.last_day = std::max(voter.last_day, rows.zones.day_of(at));
  }
  // Adds a stored rating that is held as suspicious.
  void held(const model::RatingKey& key, model::Thousandths value, votes::Reasons reasons) {
    rows.ratings[key] = {value, kNoon};
    rows.holds[key] = {reasons, kNoon};
  }

  // Returns a list of all votes, with each vote followed by its parts (VoteRequest::parts).
  static std::vector<votes::VoteRequest> flat(const std::vector<votes::VoteRequest>& votes) {
    std::vector<votes::VoteRequest> requests;
    for (const votes::VoteRequest& vote : votes) votes::add_with_parts(vote, requests);
    return requests;
  }
  // Returns the rows that votes::decide() needs for "requests". Each voter has a row, and the
  // counters of shared limits start at "used".
  votes::BatchRows rows_for(const std::vector<votes::VoteRequest>& requests) {
    for (const votes::VoteRequest& request : requests) {
      rows.voters.try_emplace(request.key.voter);
      if (request.moved_from) rows.voters.try_emplace(*request.moved_from);
    }
    votes::BatchRows all = rows;
    all.allowances = votes::allowances_for(rows, requests);
    for (auto& [key, count] : all.allowances.counts) count.used = used;
    return all;
  }
  votes::Decisions decide(const std::vector<votes::VoteRequest>& votes) {
    const auto requests = flat(votes);
    return votes::decide(rows_for(requests), requests, suspected,
                         std::vector<bool>(requests.size(), true));
  }
  // Decides one vote. Updates "rows" with the result of the vote.
  votes::VoteResult apply(const votes::VoteRequest& vote) {
    votes::Decisions decisions = decide({vote});
    rows = std::move(decisions.rows);
    for (const auto& [key, count] : rows.allowances.counts) used = count.used;
    return decisions.results.front();
  }
  votes::VoteResult::Outcome outcome(const votes::VoteRequest& vote) { return apply(vote).outcome; }
  votes::Candidates candidates(const std::vector<votes::VoteRequest>& votes) {
    const auto requests = flat(votes);
    return votes::candidates(rows_for(requests), requests);
  }

  votes::BatchRows rows;
  std::int64_t used = 0;  // uses of each shared limit before the batch
  std::map<model::RatingKey, votes::Reasons> suspected;
};

}  // namespace support
