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

// Returns the lowest possible primary key for a counter whose time window ends at "ends_at", which
// must be a full hour.
[[nodiscard]] std::string first_counter_until(base::Time ends_at);

// For each shared limit, contains the number of votes counted so far and the number of votes
// reserved by a batch. If SharedLimit::counter is empty, reserve() and use() do nothing.
struct Allowances {
  using Key = std::string;  // the counter's primary key
  struct Count {
    std::int64_t used = 0;      // uses in the limit's window, including this batch's uses
    std::int64_t reserved = 0;  // uses that this batch has reserved but has not used yet
    bool operator==(const Count&) const = default;
  };
  std::map<Key, Count> counts;

  // Reserves room for one more vote within "limit".
  void reserve(const SharedLimit& limit);
  // Counts one reserved vote towards "limit".
  void use(const SharedLimit& limit);
  [[nodiscard]] std::int64_t used(const SharedLimit& limit) const;

  bool operator==(const Allowances&) const = default;
};

// A row in the ratingd_voters table.
struct VoterRow {
  base::Day last_day = rollups::kNeverActive;
  base::Time last_rated_at;
  std::int64_t ratings = 0;  // the number of new ratings on the last day, if a rule limits it
  bool operator==(const VoterRow&) const = default;
};

// A row in the ratingd_held table.
struct Hold {
  Reasons reasons = 0;
  base::Time held_at;
  bool operator==(const Hold&) const = default;
};

// The data on which all decisions about a batch of votes are based: the rows locked and read by the
// batch (votes/batch_store.h), and the counters for the shared limits. A value type.
struct BatchRows {
  base::ZoneHistory zones;  // the time zones in which days are counted
  std::map<model::VoterId, VoterRow>
      voters;  // rows for all voters in the requests, including moved_from
  // The rows that the batch has inserted for new voters, whose rows in "voters" are empty.
  std::map<model::VoterId, VoterRow> inserted;
  std::map<model::RatingKey, model::OwnRating> ratings;
  std::map<model::RatingKey, std::uint16_t> agents;  // the known user agents of the first votes
  std::map<model::RatingKey, Hold> holds;            // the holds for the held ratings in "ratings"
  std::map<model::RatingKey, std::string> reasons;   // the voters' reasons for ratings in "ratings"
  Allowances allowances;

  [[nodiscard]] std::optional<model::OwnRating> rating_of(const model::RatingKey& key) const;
  // Returns the voter's ratings for "object".
  [[nodiscard]] model::OwnRatings own_ratings(const model::Object& object,
                                              model::VoterId voter) const;
  [[nodiscard]] bool has_rated(const model::Object& object, model::VoterId voter) const;
};

// Returns whether the voter is anonymous and has rated neither the vote's object nor any of its
// facets.
[[nodiscard]] bool is_of_new_voter(const BatchRows& rows, VoteSpan vote);

// Returns the key of the stored rating that "request" changes, moves or repeats. If no such rating
// exists, the returned key is not in "rows".
[[nodiscard]] model::RatingKey earlier_key(const BatchRows& rows, const VoteRequest& request);
// Returns the reason for the stored rating that "request" changes, moves or repeats. Returns an
// empty string if the rating has no reason.
[[nodiscard]] std::string earlier_reason(const BatchRows& rows, const VoteRequest& request);
// Returns the user agent with which the stored rating that "request" changes, moves or repeats was
// first cast, or 0 if the user agent is unknown.
[[nodiscard]] std::uint16_t earlier_agent(const BatchRows& rows, const VoteRequest& request);

}  // namespace votes
