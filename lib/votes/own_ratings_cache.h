#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/clock.h"
#include "base/shared_cache.h"
#include "model/rating.h"
#include "rollups/stats_store.h"

namespace votes {

// All ratings of one voter, as a record of the cache holds them: word 0 is their number. Each has
// two words: the hash of its object, and
//
//   kind (2 bits) | absolute value in thousandths (10 bits) | rated_at in microseconds (52 bits)
//
// where "kind" is the category, or 3 for a negative bipolar value. If there are more than kMost
// ratings, or one does not fit, word 0 is kNotListed, and the ratings must be read from the
// database.
class VoterRatings {
 public:
  static constexpr std::size_t kMost = 10;

  VoterRatings() = default;  // of a voter without ratings
  explicit VoterRatings(const base::SharedCache::Record& record) : words_(record.words) {}
  [[nodiscard]] static VoterRatings not_listed();

  // Replaces the ratings of the object with this hash.
  void set(std::uint64_t object, const model::OwnRatings& own);

  // Adds a rating of the object with this hash.
  void add(std::uint64_t object, model::Category category, const model::OwnRating& rating);

  // False: nothing but that is known.
  [[nodiscard]] bool are_listed() const { return words_[0] != kNotListed; }

  // REQUIRES: are_listed().
  [[nodiscard]] bool are_empty() const { return words_[0] == 0; }
  [[nodiscard]] model::OwnRatings of(std::uint64_t object) const;

  [[nodiscard]] base::SharedCache::Record record() const { return {{}, words_}; }

  bool operator==(const VoterRatings&) const = default;

 private:
  static constexpr std::uint64_t kNotListed = ~std::uint64_t{0};

  decltype(base::SharedCache::Record::words) words_{};
};

// The ratings of voters in shared memory. base/shared_cache.h has the guarantee and the rules of
// readers and writers: whoever reads the ratings of a voter from the database fills the cache, and
// whoever changes them replaces or invalidates them. Records of ratings have no versions.
//
// Safe for concurrent use.
class OwnRatingsCache {
 public:
  using CasToken = base::SharedCache::CasToken;

  // "cache" must outlive it.
  explicit OwnRatingsCache(base::SharedCache& cache) : cache_(cache) {}

  // What is known of the ratings of "voter". On a miss, and if they are not listed, "token" is for
  // fill().
  [[nodiscard]] std::optional<VoterRatings> find(model::VoterId voter, CasToken& token) const;

  // Stores what was read after the lookup that gave "token". "server": as
  // db::Connection::server_hash().
  void fill(model::VoterId voter, const VoterRatings& ratings, const CasToken& token,
            std::uint64_t server);

  // A change of the ratings of a voter, from before its transaction: what is known of the voter
  // then. Nothing: the voter's ratings are to be read again.
  struct Change {
    CasToken token;
    std::optional<VoterRatings> ratings;
  };
  [[nodiscard]] Change begin_change(model::VoterId voter) const;
  // After the commit. REQUIRES: "change" has all that the transaction has read of the voter.
  void end_change(model::VoterId voter, const Change& change);

  // Removes what is known of "voter", also what others are reading at this moment.
  void invalidate(model::VoterId voter);
  // The same for all voters.
  void invalidate_all() { cache_.clear(); }

  // Whether anything is ever found.
  [[nodiscard]] bool is_enabled() const { return cache_.is_enabled(); }

  // The hash of "object" in VoterRatings.
  [[nodiscard]] std::uint64_t hash_of(const model::Object& object) const {
    return cache_.hash_of({object.id, object.type});
  }

 private:
  base::SharedCache& cache_;
};

// What a host keeps of ratings in shared memory. Code that changes ratings updates or invalidates
// both after the commit and before it answers its client.
struct HostCaches {
  const rollups::StatsStore& stats;
  OwnRatingsCache& own_ratings;
  base::CacheWriters* writers = nullptr;  // of both caches; nullptr: their epochs are not used
};

}  // namespace votes
