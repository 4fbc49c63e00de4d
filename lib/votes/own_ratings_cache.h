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

// One of a voter's ratings. "object" is the hash of the rated object (OwnRatingsCache::hash_of()).
struct RatingOfVoter {
  std::uint64_t object = 0;
  model::Category category = model::Category::binary;
  model::OwnRating rating;
};

// One voter's ratings in the format of a cache record. Word 0 is the number of ratings, and each
// rating has two words. The first word of a rating is the hash of the rated object. The second word
// of a rating contains
//
//   kind (2 bits) | absolute value in thousandths (10 bits) | rated_at in microseconds (52 bits)
//
// "kind" is the category, or 3 for a negative bipolar value. If there are more than kMost ratings,
// or if a rating does not fit into a word, word 0 is kNotListed. If the ratings are in additional
// records, called parts, word 0 of the voter's record is kInParts. The last word is 0, or a random
// number that identifies the database read that filled the parts.
class VoterRatings {
 public:
  static constexpr std::size_t kMost = 10;

  VoterRatings() = default;  // no ratings
  explicit VoterRatings(const runtime::SharedCache::Record& record) : words_(record.words) {}
  [[nodiscard]] static VoterRatings not_listed();
  [[nodiscard]] static VoterRatings in_parts(std::uint64_t reading);

  // Replaces the ratings for the object with the hash "object".
  void set(std::uint64_t object, const model::OwnRatings& own);

  void add(const RatingOfVoter& rating);
  void set_reading(std::uint64_t reading) { words_.back() = reading; }

  [[nodiscard]] bool are_listed() const { return words_[0] < kInParts; }
  [[nodiscard]] bool are_in_parts() const { return words_[0] == kInParts; }
  [[nodiscard]] std::uint64_t reading() const { return words_.back(); }

  // Call this function only if are_listed() returns true.
  [[nodiscard]] bool are_empty() const { return words_[0] == 0; }
  [[nodiscard]] model::OwnRatings of(std::uint64_t object) const;

  [[nodiscard]] runtime::SharedCache::Record record() const { return {{}, words_}; }

  bool operator==(const VoterRatings&) const = default;

 private:
  static constexpr std::uint64_t kNotListed = ~std::uint64_t{0};
  static constexpr std::uint64_t kInParts = kNotListed - 1;

  decltype(runtime::SharedCache::Record::words) words_{};
};

// DESIGN. A cache in shared memory for voters' own ratings. The file runtime/shared_cache.h
// describes the guarantees of the cache, and the rules for readers and writers. Code that reads a
// voter's ratings from the database fills the cache. Code that changes ratings in the database
// replaces or invalidates the cached ratings.
//
// Most voters have few ratings, which fit into one record. If a voter has more ratings, kParts
// additional records contain the ratings, and the hash of a rated object selects the object's
// record. All records that one database read has filled contain the same random number, so that
// parts from different reads are not mixed. A read stores the voter's record after the parts, and
// only if the voter's record has not changed since the read began. Code that changes ratings
// replaces the voter's record before the part, even if the content of the voter's record stays the
// same. So an earlier read is rejected before anybody sees the change. If a read finds the same
// ratings as the cache contains, it replaces only the voter's record.
//
// If a voter has more than kMost ratings, or if a part does not fit into its record, the cache
// marks the voter's ratings as not listed. A reader that has read only some of the voter's ratings
// stores this mark again before the response is sent, so that a slower reader that has read all
// ratings cannot store an older state.
//
// Safe for concurrent use.
class OwnRatingsCache {
 public:
  static constexpr std::size_t kParts = 16;
  static constexpr std::size_t kMost = 100;

  struct Token {
    runtime::SharedCache::CasToken of_voter{};
    // True if the cache has marked the voter's ratings as not listed. In this case, do not read all
    // of the voter's ratings for fill().
    bool is_too_long = false;
  };

  // "cache" must outlive this object.
  explicit OwnRatingsCache(runtime::SharedCache& cache) : cache_(cache) {}

  // Returns the ratings for "objects", in the order of "objects". If the cache does not contain
  // these ratings, returns nothing, and sets "token" for the fill() function.
  [[nodiscard]] std::optional<std::vector<model::OwnRatings>> find(
      model::VoterId voter, std::span<const model::Object> objects, Token& token) const;

  // Stores all of the voter's ratings, of which there must be at most kMost. The ratings must have
  // been read after the call to find() that set "token". "server" is the hash of the database
  // server from which the ratings were read (db::Connection::server_hash()).
  void fill(model::VoterId voter, std::span<const RatingOfVoter> ratings, Token token,
            std::uint64_t server);
  // Marks the voter's ratings as not listed. Call this function instead of fill() if the voter has
  // more than kMost ratings, or if only some ratings were read.
  void fill_not_listed(model::VoterId voter, const Token& token, std::uint64_t server);

  // A change to a voter's ratings by a transaction. The change begins before the transaction and
  // contains the voter's cached ratings for the objects that the transaction will change.
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
  // Adds the object with the hash "object" to the change. Call this function before the
  // transaction.
  void begin_change(model::VoterId voter, std::uint64_t object, Change& change) const;
  // Sets the object's ratings to the ratings after the transaction.
  static void set(std::uint64_t object, const model::OwnRatings& own, Change& change);
  // Ends the change. Call this function after the commit, and after set() was called for all of the
  // voter's ratings that the transaction has read.
  void end_change(model::VoterId voter, const Change& change);

  // Removes the cached ratings by "voter". Database reads that are in progress will not store these
  // ratings again.
  void invalidate(model::VoterId voter);
  // Removes the cached ratings by all voters.
  void invalidate_all() { cache_.clear(); }

  // Returns whether the cache is enabled. A disabled cache contains no ratings.
  [[nodiscard]] bool is_enabled() const { return cache_.is_enabled(); }

  // Returns the hash of "object", as used in RatingOfVoter.
  [[nodiscard]] std::uint64_t hash_of(const model::Object& object) const {
    return cache_.hash_of({object.id, object.type});
  }

 private:
  using Parts = std::array<VoterRatings, kParts>;

  // Stores all parts with the random number of one database read, unless the cache already contains
  // the same parts. Returns the number with which the parts are stored. Updates "token", so that
  // "token" can be used to fill the voter's record.
  [[nodiscard]] std::uint64_t fill_parts(model::VoterId voter, Parts parts, Token& token,
                                         std::uint64_t server);
  // Returns the number with which parts with the same content are already stored, or nothing if no
  // such parts are stored.
  [[nodiscard]] std::optional<std::uint64_t> find_reading(model::VoterId voter, Parts parts) const;
  [[nodiscard]] std::optional<VoterRatings> find_part(model::VoterId voter, std::size_t part,
                                                      std::uint64_t reading,
                                                      runtime::SharedCache::CasToken& token) const;

  runtime::SharedCache& cache_;
};

// The caches for ratings in a host's shared memory. Code that changes ratings updates or
// invalidates both caches after the commit and before it responds to the client.
struct HostCaches {
  const rollups::StatsStore& stats;
  OwnRatingsCache& own_ratings;
  runtime::CacheWriters* writers =
      nullptr;  // the writers for both caches; nullptr if cache epochs are not used

  // Removes ratings and totals from the caches after another host has changed them in the database.
  // Database reads that are in progress will not store the old values again.
  void forget(const rollups::Changed& changed) const;
};

}  // namespace votes
