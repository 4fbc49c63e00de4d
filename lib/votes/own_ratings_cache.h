#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "model/rating.h"
#include "rollups/batch_log.h"
#include "rollups/stats_store.h"
#include "runtime/shared_cache.h"

namespace votes {

// A rating of a voter; "object" is OwnRatingsCache::hash_of() of its object.
struct RatingOfVoter {
  std::uint64_t object = 0;
  model::Category category = model::Category::binary;
  model::OwnRating rating;
};

// Ratings of one voter, as a record of the cache holds them: word 0 is their number. Each has two
// words: the hash of its object, and
//
//   kind (2 bits) | absolute value in thousandths (10 bits) | rated_at in microseconds (52 bits)
//
// where "kind" is the category, or 3 for a negative bipolar value. If there are more than kMost
// ratings, or one does not fit, word 0 is kNotListed. In the record of a voter whose ratings are in
// parts, word 0 is kInParts. The last word is the random number of the reading of parts, else 0.
class VoterRatings {
 public:
  static constexpr std::size_t kMost = 10;

  VoterRatings() = default;  // none
  explicit VoterRatings(const runtime::SharedCache::Record& record) : words_(record.words) {}
  [[nodiscard]] static VoterRatings not_listed();
  [[nodiscard]] static VoterRatings in_parts(std::uint64_t reading);

  // Replaces the ratings of the object with this hash.
  void set(std::uint64_t object, const model::OwnRatings& own);

  void add(const RatingOfVoter& rating);
  void set_reading(std::uint64_t reading) { words_.back() = reading; }

  [[nodiscard]] bool are_listed() const { return words_[0] < kInParts; }
  [[nodiscard]] bool are_in_parts() const { return words_[0] == kInParts; }
  [[nodiscard]] std::uint64_t reading() const { return words_.back(); }

  // REQUIRES: are_listed().
  [[nodiscard]] bool are_empty() const { return words_[0] == 0; }
  [[nodiscard]] model::OwnRatings of(std::uint64_t object) const;

  [[nodiscard]] runtime::SharedCache::Record record() const { return {{}, words_}; }

  bool operator==(const VoterRatings&) const = default;

 private:
  static constexpr std::uint64_t kNotListed = ~std::uint64_t{0};
  static constexpr std::uint64_t kInParts = kNotListed - 1;

  decltype(runtime::SharedCache::Record::words) words_{};
};

// DESIGN. The ratings of voters in shared memory. runtime/shared_cache.h has the guarantee and the
// rules of readers and writers: whoever reads the ratings of a voter from the database fills the
// cache, and whoever changes them replaces or invalidates them.
//
// Most voters have few ratings, which one record lists. Those of others are in kParts further
// records, by the hashes of their objects. All records of one reading have its number, so that
// parts of different readings are not mixed. The voter's record is stored after its parts, and only
// if nobody has changed it since before the reading. A change replaces it before the part, even if
// it stays equal: so an earlier reading is rejected before anybody sees the change. A reading that
// equals what is stored replaces it, too, and leaves the parts.
//
// If a voter has more than kMost ratings, or a part does not fit into its record, only the fact
// that they are not listed is stored. A reader of some of these ratings stores it again before the
// answer, so that a slower reader of all ratings cannot store an older state.
//
// Safe for concurrent use.
class OwnRatingsCache {
 public:
  static constexpr std::size_t kParts = 16;
  static constexpr std::size_t kMost = 100;

  struct Token {
    runtime::SharedCache::CasToken of_voter{};
    // The ratings of the voter are not listed, and fill() would not list them.
    bool is_too_long = false;
  };

  // "cache" must outlive it.
  explicit OwnRatingsCache(runtime::SharedCache& cache) : cache_(cache) {}

  // The ratings of "objects", in their order. On a miss, "token" is for fill().
  [[nodiscard]] std::optional<std::vector<model::OwnRatings>> find(
      model::VoterId voter, std::span<const model::Object> objects, Token& token) const;

  // Stores all ratings of the voter, which were read after the lookup that gave "token". "server":
  // as db::Connection::server_hash(). REQUIRES: at most kMost.
  void fill(model::VoterId voter, std::span<const RatingOfVoter> ratings, Token token,
            std::uint64_t server);
  // The same if there are more, or if only some were read.
  void fill_not_listed(model::VoterId voter, const Token& token, std::uint64_t server);

  // A change of the ratings of a voter, from before its transaction: what is known then of the
  // voter and of the objects that are to be changed.
  struct Change {
    struct Known {
      runtime::SharedCache::CasToken token{};
      VoterRatings ratings;
    };
    runtime::SharedCache::CasToken token{};
    std::optional<VoterRatings> of_voter;  // nothing: the ratings are to be read again
    std::map<std::size_t, Known> parts;
  };
  [[nodiscard]] Change begin_change(model::VoterId voter) const;
  // Then for each object, by its hash.
  void begin_change(model::VoterId voter, std::uint64_t object, Change& change) const;
  // The ratings of the object as the transaction has left them.
  static void set(std::uint64_t object, const model::OwnRatings& own, Change& change);
  // After the commit. REQUIRES: "change" has all that the transaction has read of the voter.
  void end_change(model::VoterId voter, const Change& change);

  // Removes what is known of "voter", also what others are reading at this moment.
  void invalidate(model::VoterId voter);
  // The same for all voters.
  void invalidate_all() { cache_.clear(); }

  // Whether anything is ever found.
  [[nodiscard]] bool is_enabled() const { return cache_.is_enabled(); }

  // The hash of "object" in RatingOfVoter.
  [[nodiscard]] std::uint64_t hash_of(const model::Object& object) const {
    return cache_.hash_of({object.id, object.type});
  }

 private:
  using Parts = std::array<VoterRatings, kParts>;

  // Stores "parts" as of one reading, unless they are stored already. Returns its number. Then
  // "token" is for the voter's record.
  [[nodiscard]] std::uint64_t fill_parts(model::VoterId voter, Parts parts, Token& token,
                                         std::uint64_t server);
  // The number of the reading that has stored such parts.
  [[nodiscard]] std::optional<std::uint64_t> find_reading(model::VoterId voter, Parts parts) const;
  [[nodiscard]] std::optional<VoterRatings> find_part(model::VoterId voter, std::size_t part,
                                                      std::uint64_t reading,
                                                      runtime::SharedCache::CasToken& token) const;

  runtime::SharedCache& cache_;
};

// What a host keeps of ratings in shared memory. Code that changes ratings updates or invalidates
// both after the commit and before it answers its client.
struct HostCaches {
  const rollups::StatsStore& stats;
  OwnRatingsCache& own_ratings;
  runtime::CacheWriters* writers = nullptr;  // of both caches; nullptr: their epochs are not used

  // Removes what another host has changed, also what is being read at this moment.
  void forget(const rollups::Changed& changed) const;
};

}  // namespace votes
