#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "model/rating.h"
#include "store/front_end_visitors.h"
#include "votes/batch_rows.h"
#include "votes/suspicion.h"
#include "votes/vote.h"

// How a batch of votes is processed: pure functions turn the rows that were read under the batch's
// locks into results and changes. The functions use no database. A batch calls allowances_for(),
// candidates() and decide(), in this order. Before decide(), the burst watch reads the votes that
// came before the batch (votes/suspicion.h).
//
// Votes are processed in their order. Each vote sees the rows as the votes before it have changed
// them. A vote with parts is refused if the rules refuse any of its parts. The rules use the rows
// before the vote for all its parts. A vote with parts uses the limits once.
//
// In the requests of all functions, the parts of a vote are requests that follow the vote's first
// request (VoteRequest::is_part). Each request contains the rules that apply to it.
namespace votes {

// Returns the uses of shared limits that the batch may need. Only new ratings use them. "rows" may
// be empty if all voters may be new.
[[nodiscard]] Allowances allowances_for(const BatchRows& rows,
                                        std::span<const VoteRequest> requests);

// First votes that may be part of a burst, for BurstWatch::judge().
struct Candidates {
  std::map<model::RatingKey, FirstVote> votes;
  int threshold = 0;  // the highest hold_threshold in the rules for these votes
};

// Returns the first votes that no rule refuses and whose rules hold bursts. A vote on several
// facets has one candidate, which is its first new rating.
[[nodiscard]] Candidates candidates(const BatchRows& rows, std::span<const VoteRequest> requests);

// A row to be written to the table ratingd_votes.
struct SavedRating {
  model::OwnRating rating;
  std::string address;
  std::uint16_t agent = 0;
  bool operator==(const SavedRating&) const = default;
};

// A change to counted ratings: a new rating has no "before", and a withdrawn rating has no "after".
struct CountedChange {
  model::RatingKey key;
  std::optional<model::OwnRating> before, after;
  bool operator==(const CountedChange&) const = default;
};

// The decisions about all votes in a batch. A value.
struct Decisions {
  // One result for each request, without its object's totals. If a vote was not wanted, its results
  // are empty.
  std::vector<VoteResult> results;
  BatchRows rows;  // the rows as the batch leaves them

  // The changes that must be written.
  std::map<model::RatingKey, SavedRating> saved;
  std::set<model::RatingKey> deleted;
  bool withdraws = false;  // a rating is withdrawn, even if another rating takes its place
  std::vector<CountedChange> counted;  // in the order of the votes
  std::set<model::RatingKey> saved_holds, deleted_holds;
  std::set<model::RatingKey> changed_reasons;
  std::set<model::VoterId> changed_voters;
  std::map<model::VoterId, store::FrontEndVisitorRow> visitors;  // the visitors with stored ratings

  [[nodiscard]] bool has_changes() const {
    return !saved.empty() || !deleted.empty() || !changed_reasons.empty();
  }
};

// Decides all votes. "suspected" contains the candidates that are part of a burst. Their votes are
// held, with all ratings in the same vote. "wanted" has an element for each request. A vote is
// skipped if the element for its first request is false.
[[nodiscard]] Decisions decide(BatchRows rows, std::span<const VoteRequest> requests,
                               const std::map<model::RatingKey, Reasons>& suspected,
                               const std::vector<bool>& wanted);

}  // namespace votes
