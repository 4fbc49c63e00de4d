#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/zone.h"
#include "model/rating.h"
#include "rollups/rollup.h"
#include "votes/suspicion.h"
#include "votes/vote.h"

namespace votes {

// Returns the lowest possible primary key for a counter whose window ends at "ends_at". REQUIRES:
// "ends_at" is a whole hour.
[[nodiscard]] std::string first_counter_until(base::Time ends_at);

// Counts the uses of the shared limits, and the uses that a batch has reserved for itself. If the
// writer's caller counts a limit itself, the limit has no entry here, and reserve() and use() do
// nothing.
struct Allowances {
  using Key = std::string;  // the counter's primary key
  struct Count {
    std::int64_t used = 0;      // uses in the limit's window, including the uses by this batch
    std::int64_t reserved = 0;  // uses that this batch has reserved and not used yet
    bool operator==(const Count&) const = default;
  };
  std::map<Key, Count> counts;

  // Plans one more use of "limit".
  void reserve(const SharedLimit& limit);
  // Counts one use of "limit". REQUIRES: the use was reserved.
  void use(const SharedLimit& limit);
  [[nodiscard]] std::int64_t used(const SharedLimit& limit) const;

  bool operator==(const Allowances&) const = default;
};

// A row in the table ratingd_voters.
struct VoterRow {
  base::Day last_day = rollups::kNeverActive;
  base::Time last_rated_at;
  std::int64_t ratings = 0;  // new ratings on the last day, if a rule limits them
  bool operator==(const VoterRow&) const = default;
};

// A row in the table ratingd_held.
struct Hold {
  Reasons reasons = 0;
  base::Time held_at;
  bool operator==(const Hold&) const = default;
};

// The data on which all decisions about a batch of votes depend: the rows that were read under the
// batch's locks (votes/batch_store.h), and the uses of the shared limits. A value.
struct BatchRows {
  base::ZoneHistory zones;                    // the time zones in which days are counted
  std::map<model::VoterId, VoterRow> voters;  // of all voters in the requests, and of moved_from
  // The rows of new voters, as the batch has inserted them. In "voters", these voters have empty
  // rows.
  std::map<model::VoterId, VoterRow> inserted;
  std::map<model::RatingKey, model::OwnRating> ratings;
  std::map<model::RatingKey, Hold> holds;           // the holds for the held ratings in "ratings"
  std::map<model::RatingKey, std::string> reasons;  // the voters' reasons for ratings in "ratings"
  Allowances allowances;

  [[nodiscard]] std::optional<model::OwnRating> rating_of(const model::RatingKey& key) const;
  // Returns the voter's ratings of "object".
  [[nodiscard]] model::OwnRatings own_ratings(const model::Object& object,
                                              model::VoterId voter) const;
  [[nodiscard]] bool has_rated(const model::Object& object, model::VoterId voter) const;
};

// Returns whether the voter is anonymous and has rated neither the object of the vote nor any of
// its parts.
[[nodiscard]] bool is_of_new_voter(const BatchRows& rows, VoteSpan vote);

// Returns the key of the rating that "request" changes, moves or repeats. If there is no such
// rating, "rows" has no rating with the returned key.
[[nodiscard]] model::RatingKey earlier_key(const BatchRows& rows, const VoteRequest& request);
// Returns the reason for the rating with the key earlier_key(). Returns an empty string if the
// rating has no reason.
[[nodiscard]] std::string earlier_reason(const BatchRows& rows, const VoteRequest& request);

}  // namespace votes
