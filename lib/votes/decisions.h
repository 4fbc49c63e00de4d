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

// These pure functions decide which votes in a batch are accepted, held or rejected. The functions
// compute the results and changes from rows that the batch has already locked and read, without
// accessing the database. A batch calls allowances_for(), candidates() and decide(), in this order.
// Before decide() is called, BurstWatch reads the votes cast before the batch (votes/suspicion.h).
//
// Votes are processed in order, and each vote sees the changes made by earlier votes. A vote with
// parts is rejected if the rules reject any part. When checking a part, the rules ignore changes
// made by other parts of the same vote. A vote with parts counts only once towards the limits.
//
// In the "requests" argument, a vote's first request is followed by the requests for the vote's
// parts (VoteRequest::is_part).
namespace votes {

// Returns the maximum number of votes in the batch that can count towards each shared limit. Only
// new ratings count towards shared limits. If all voters in the requests may be new, "rows" may be
// empty.
[[nodiscard]] Allowances allowances_for(const BatchRows& rows,
                                        std::span<const VoteRequest> requests);

// Returns the ratings that BurstWatch::judge() must check for bursts. A rating is a candidate if no
// rule rejects the vote, and the rating is new or changes the value of a rating that was stored
// within the last kBurstWindow. If a vote rates several facets, each rating that meets these
// conditions is a candidate, because otherwise the vote's first facet could hide the others. A vote
// has at most model::kMaxFacets facets. If a batch changes a rating several times, the candidate
// has the last value.
[[nodiscard]] Candidates candidates(const BatchRows& rows, std::span<const VoteRequest> requests);

// A row that must be written to the ratingd_votes table.
struct SavedRating {
  model::OwnRating rating;
  std::string address;
  std::uint16_t agent = 0;
  bool operator==(const SavedRating&) const = default;
};

// A change to a counted rating. "before" is empty for a new rating, and "after" is empty for a
// withdrawn rating.
struct CountedChange {
  model::RatingKey key;
  std::optional<model::OwnRating> before, after;
  bool operator==(const CountedChange&) const = default;
};

// The decisions about all votes in a batch. A value type.
struct Decisions {
  // Contains a result for each request. The results do not contain totals, and the results of
  // skipped votes are empty.
  std::vector<VoteResult> results;
  BatchRows rows;  // the rows after the batch

  // The following members describe changes to the database.
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

// Decides all votes. "suspected" contains the ratings that are part of a burst. If any rating in a
// vote is suspected, all new ratings in the vote are held. "wanted" contains an element for each
// request. A vote is skipped if the element of "wanted" for its first request is false.
[[nodiscard]] Decisions decide(BatchRows rows, std::span<const VoteRequest> requests,
                               const std::map<model::RatingKey, Reasons>& suspected,
                               const std::vector<bool>& wanted);

}  // namespace votes
