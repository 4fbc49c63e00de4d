#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/zone_history.h"
#include "model/rating.h"
#include "rollups/rollup.h"
#include "votes/allowances.h"
#include "votes/suspicion.h"
#include "votes/vote_request.h"

namespace votes {

// A row of voters.
struct VoterRow {
  base::Day last_day = rollups::kNeverActive;
  base::Time last_rated_at;
  std::int64_t ratings = 0;  // new ratings on the last day for which a rule has counted them
  bool operator==(const VoterRow&) const = default;
};

// A row of held.
struct Hold {
  Reasons reasons = 0;
  base::Time held_at;
  bool operator==(const Hold&) const = default;
};

// Everything that decides a batch of votes: the rows that were read under the batch's locks
// (votes/batch_reader.h), and the uses of the shared limits. A value.
struct BatchRows {
  base::ZoneHistory zones;                    // in which days are counted
  std::map<model::VoterId, VoterRow> voters;  // of all voters of the batch, and of moved_from
  // The rows of new voters, as the batch has inserted them. The rows of these voters in "voters"
  // are empty.
  std::map<model::VoterId, VoterRow> inserted;
  std::map<model::RatingKey, model::OwnRating> ratings;
  std::map<model::RatingKey, Hold> holds;           // of the held ones of "ratings"
  std::map<model::RatingKey, std::string> reasons;  // of "ratings"
  Allowances allowances;

  [[nodiscard]] std::optional<model::OwnRating> rating_of(const model::RatingKey& key) const;
  // The voter's ratings of "object".
  [[nodiscard]] model::OwnRatings own_ratings(const model::Object& object,
                                              model::VoterId voter) const;
  [[nodiscard]] bool has_rated(const model::Object& object, model::VoterId voter) const;
};

// Returns whether the voter is anonymous and has not rated the object of the vote or any of its
// parts.
[[nodiscard]] bool is_of_new_voter(const BatchRows& rows, VoteSpan vote);

// Returns the key of the rating that "request" changes, moves or repeats. If there is no such
// rating, returns a key without a rating.
[[nodiscard]] model::RatingKey earlier_key(const BatchRows& rows, const VoteRequest& request);
// Returns the reason of the rating with this key; empty if it has none.
[[nodiscard]] std::string earlier_reason(const BatchRows& rows, const VoteRequest& request);

}  // namespace votes
