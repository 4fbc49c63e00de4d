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
#include "rollups/stats_store.h"
#include "rollups/writers.h"
#include "runtime/shared_cache.h"

namespace votes {

// A rating by a voter. "object" is the hash of the rated object (OwnRatingsCache::hash_of()).
struct RatingOfVoter {
  std::uint64_t object = 0;
  model::Category category = model::Category::binary;
  model::OwnRating rating;
};

// One voter's ratings in the format of a cache record. Word 0 is the number of ratings. Each rating
// has two words. The first word is the hash of the rated object. The second contains
//
//   kind (2 bits) | absolute value in thousandths (10 bits) | rated_at in microseconds (52 bits)
//
// "kind" is the category, or 3 for a negative bipolar value. If there are more than kMost ratings,
// or if a rating does not fit, word 0 is kNotListed. If the ratings are in additional records,
// called parts, word 0 of the voter's record is kInParts. The last word is a random number
// that identifies the read of the database which filled the parts, or 0.
class VoterRatings {
 public:
  static constexpr std::size_t kMost = 10;

  VoterRatings() = default;  // no ratings
  explicit VoterRatings(const runtime::SharedCache::Record& record) : words_(record.words) {}
  [[nodiscard]] static VoterRatings not_listed();
  [[nodiscard]] static VoterRatings in_parts(std::uint64_t reading);

  // Replaces the ratings for the object with this hash.
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

// DESIGN. A cache in shared memory for voters' own ratings. The file runtime/shared_cache.h says
// what the cache guarantees and which rules readers and writers follow. Code that reads a voter's
// ratings from the database fills the cache. Code that changes ratings replaces or invalidates them
// in the cache.
//
// Most voters have few ratings, which fit into one record. If a voter has more ratings, they are in
// kParts additional records. The hash of a rated object selects its record. All records that one
// reading has filled contain the reading's random number, so that parts of different readings are
// not mixed. The voter's record is stored after its parts, and only if nobody has changed it since
// the reading began. A change replaces the voter's record before the part, even if the content of
// the voter's record stays the same. So an earlier reading is rejected before anybody sees the
// change. If a reading finds the ratings that are already stored, it replaces only the voter's
// record.
//
// If a voter has more than kMost ratings, or a part does not fit into its record, the cache stores
// only the fact that they are not listed. A reader that has read only some of the voter's ratings
// stores this fact again before the response is sent. So a slower reader that has read all ratings
// cannot store an older state.
//
// Safe for concurrent use.
class OwnRatingsCache {
 public:
  static constexpr std::size_t kParts = 16;
  static constexpr std::size_t kMost = 100;

  struct Token {
    runtime::SharedCache::CasToken of_voter{};
    // If true, the cache has recorded that the voter's ratings do not fit, so reading them all for
    // fill() is useless.
    bool is_too_long = false;
  };

  // "cache" must outlive this object.
  explicit OwnRatingsCache(runtime::SharedCache& cache) : cache_(cache) {}

  // Returns the ratings for "objects", in the same order. If the cache does not contain them,
  // returns nothing and sets "token" for fill().
  [[nodiscard]] std::optional<std::vector<model::OwnRatings>> find(
      model::VoterId voter, std::span<const model::Object> objects, Token& token) const;

  // Stores all of the voter's ratings. The ratings must have been read after the call to find()
  // that set "token". "server" is the hash of the server that was read
  // (db::Connection::server_hash()).
  // REQUIRES: at most kMost ratings.
  void fill(model::VoterId voter, std::span<const RatingOfVoter> ratings, Token token,
            std::uint64_t server);
  // Records that the voter's ratings are not listed. Call this function instead of fill() if the
  // voter has more than kMost ratings, or if only some ratings were read.
  void fill_not_listed(model::VoterId voter, const Token& token, std::uint64_t server);

  // A change that a transaction makes to a voter's ratings. The change begins before the
  // transaction and contains the voter's cached ratings for the objects that will be changed.
  struct Change {
    struct Known {
      runtime::SharedCache::CasToken token{};
      VoterRatings ratings;
    };
    runtime::SharedCache::CasToken token{};
    std::optional<VoterRatings> of_voter;  // empty if the ratings must be read again
    std::map<std::size_t, Known> parts;
  };
  [[nodiscard]] Change begin_change(model::VoterId voter) const;
  // Adds an object to the change. Call this function before the transaction. "object" is the hash
  // of the object.
  void begin_change(model::VoterId voter, std::uint64_t object, Change& change) const;
  // Sets the object's ratings to their state after the transaction.
  static void set(std::uint64_t object, const model::OwnRatings& own, Change& change);
  // Ends the change. Call this function after the commit. REQUIRES: set() was called for all
  // ratings of the voter that the transaction has read.
  void end_change(model::VoterId voter, const Change& change);

  // Removes the cached ratings by "voter". Reads that are in progress will not store them again.
  void invalidate(model::VoterId voter);
  // Does the same as invalidate() for all voters.
  void invalidate_all() { cache_.clear(); }

  // Returns whether the cache is enabled. If not, find() never finds anything.
  [[nodiscard]] bool is_enabled() const { return cache_.is_enabled(); }

  // Returns the hash of "object" for RatingOfVoter.
  [[nodiscard]] std::uint64_t hash_of(const model::Object& object) const {
    return cache_.hash_of({object.id, object.type});
  }

 private:
  using Parts = std::array<VoterRatings, kParts>;

  // Stores all "parts" with the number of one reading, unless the same parts are already stored.
  // Returns the reading's number. Updates "token", so that it can be used to fill the voter's
  // record.
  [[nodiscard]] std::uint64_t fill_parts(model::VoterId voter, Parts parts, Token& token,
                                         std::uint64_t server);
  // If a reading has already stored parts with the same content, returns the reading's number.
  // Otherwise, returns nothing.
  [[nodiscard]] std::optional<std::uint64_t> find_reading(model::VoterId voter, Parts parts) const;
  [[nodiscard]] std::optional<VoterRatings> find_part(model::VoterId voter, std::size_t part,
                                                      std::uint64_t reading,
                                                      runtime::SharedCache::CasToken& token) const;

  runtime::SharedCache& cache_;
};

// The caches for ratings in a host's shared memory. Code that changes ratings updates or
// invalidates both caches after the commit and before it answers its client.
struct HostCaches {
  const rollups::StatsStore& stats;
  OwnRatingsCache& own_ratings;
  runtime::CacheWriters* writers =
      nullptr;  // the writers for both caches; nullptr if cache epochs are not used

  // Removes the ratings and totals that another host has changed from the caches. Reads that are in
  // progress will not store them again.
  void forget(const rollups::Changed& changed) const;
};

}  // namespace votes
