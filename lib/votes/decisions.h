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
#include "votes/vote_request.h"
#include "votes/vote_result.h"

// How a batch of votes is processed: pure functions from the rows that were read under its locks to
// results and changes. The functions use no database. A batch calls allowances_for(), candidates()
// and decide(), in this order. Before decide(), the burst watch reads the votes that came before
// the batch (votes/burst_watch.h).
//
// Votes are processed in their order. Each vote is processed by the rows as the votes before it
// have changed them. A vote with parts is refused if the rules refuse any of its parts, by the rows
// as they are before the vote. A vote with parts uses the limits once.
//
// The requests of all functions contain the parts of each vote as requests that follow it
// (VoteRequest::is_part). Each request contains the rules that apply to it.
namespace votes {

// The uses of shared limits that the batch may need. Only new ratings use them. "rows" may be empty
// if all voters may be new.
[[nodiscard]] Allowances allowances_for(const BatchRows& rows,
                                        std::span<const VoteRequest> requests);

// First votes that may be part of a burst, for BurstWatch::judge().
struct Candidates {
  std::map<model::RatingKey, FirstVote> votes;
  int threshold = 0;  // the highest hold_threshold of their rules
};

// Returns the first votes that no rule refuses, among the votes whose rules hold bursts. A vote on
// several facets has one candidate, its first new rating.
[[nodiscard]] Candidates candidates(const BatchRows& rows, std::span<const VoteRequest> requests);

// A row of votes to be written.
struct SavedRating {
  model::OwnRating rating;
  std::string address;
  std::uint16_t agent = 0;
  bool operator==(const SavedRating&) const = default;
};

// A change of counted ratings: a new rating has no "before", and a withdrawn one has no "after".
struct CountedChange {
  model::RatingKey key;
  std::optional<model::OwnRating> before, after;
  bool operator==(const CountedChange&) const = default;
};

// The decisions about all votes of a batch. A value.
struct Decisions {
  // One result for each request, without the totals of its object. If a vote was not wanted, its
  // results are empty.
  std::vector<VoteResult> results;
  BatchRows rows;  // as the batch leaves them

  // What must be written.
  std::map<model::RatingKey, SavedRating> saved;
  std::set<model::RatingKey> deleted;
  bool withdraws = false;  // whether a rating is withdrawn, even if another takes its place
  std::vector<CountedChange> counted;  // in the order of the votes
  std::set<model::RatingKey> saved_holds, deleted_holds;
  std::set<model::RatingKey> changed_reasons;
  std::set<model::VoterId> changed_voters;
  std::map<model::VoterId, store::FrontEndVisitorRow> visitors;  // with stored ratings

  [[nodiscard]] bool has_changes() const {
    return !saved.empty() || !deleted.empty() || !changed_reasons.empty();
  }
};

// Decides all votes. "suspected" contains the candidates that are part of a burst: their votes are
// held, with all ratings that were given in the same vote. "wanted" has an element for each
// request. A vote is skipped if the element of its first request is false.
[[nodiscard]] Decisions decide(BatchRows rows, std::span<const VoteRequest> requests,
                               const std::map<model::RatingKey, Reasons>& suspected,
                               const std::vector<bool>& wanted);

}  // namespace votes
