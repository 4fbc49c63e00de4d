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

// One voter's ratings in the format of a cache record. Word 0 is the number of ratings. Each rating
// consists of two words: the first word is the hash of the rated object, and the second word
// contains the kind (2 bits), the absolute value in thousandths (10 bits), and the time in
// microseconds (52 bits). The kind is the category, or 3 for a negative bipolar value. If there are
// more than kPerRecord ratings, or if a rating cannot be packed, word 0 is kNotListed. If the
// ratings are stored in additional records, called parts, word 0 of the voter's record is kInParts.
// The last word of a record is 0 or a random number shared by all records filled from the same
// database read.
class VoterRatings {
 public:
  static constexpr std::size_t kPerRecord = 10;

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

// DESIGN. A cache in shared memory for voters' own ratings. See runtime/shared_cache.h for the
// cache's guarantees and the rules for readers and writers. Code that changes ratings in the
// database updates or invalidates the cached ratings.
//
// Most voters have so few ratings that they fit into a single cache record, the voter's record. If
// a voter has more ratings, they are divided among kParts additional records, called parts, by the
// hash of the rated object. A reader that fills the cache writes the same random number to the
// voter's record and to all parts, so that parts from different database reads are not mixed. A
// reader writes the parts before the voter's record, and does not write the voter's record if this
// record has changed since the database read began. Code that changes a rating must replace the
// voter's record before the part that contains the rating, even if the voter's record stays the
// same, so that the cache rejects older data before anybody can see the change. If the cached parts
// already contain the ratings read from the database, a reader writes only the voter's record.
//
// If a voter has more than kPerVoter ratings, or if a part does not fit into its record, the cache
// contains none of the voter's ratings, and marks them as not listed. If a voter's ratings are
// marked as not listed, a reader reads only the ratings that it needs from the database, and renews
// the mark before the response is sent. The renewed mark prevents slower readers from storing
// outdated ratings in the cache.
//
// Safe for concurrent use.
class OwnRatingsCache {
 public:
  static constexpr std::size_t kParts = 16;
  static constexpr std::size_t kPerVoter = 100;

  struct Token {
    runtime::SharedCache::CasToken of_voter{};
    // True if the cache has marked the voter's ratings as not listed. If true, the caller should
    // read only the ratings that it needs, and call fill_not_listed() instead of fill().
    bool is_not_listed = false;
  };

  // "cache" must outlive this object.
  explicit OwnRatingsCache(runtime::SharedCache& cache) : cache_(cache) {}

  // Returns the ratings for "objects", in the order of "objects". If the cache does not contain
  // these ratings, returns nothing and sets "token". The caller then reads the ratings from the
  // database and passes "token" to fill() or fill_not_listed().
  [[nodiscard]] std::optional<std::vector<model::OwnRatings>> find(
      model::VoterId voter, std::span<const model::Object> objects, Token& token) const;

  // Stores all of the voter's ratings. "ratings" must contain at most kPerVoter ratings. The
  // ratings must have been read after the call to find() that set "token". "server" is the hash of
  // the database server from which the ratings were read (db::Connection::server_hash()).
  void fill(model::VoterId voter, std::span<const RatingOfVoter> ratings, Token token,
            std::uint64_t server);
  // Marks the voter's ratings as not listed. Call this function instead of fill() if the voter has
  // more than kPerVoter ratings, or if only some ratings were read.
  void fill_not_listed(model::VoterId voter, const Token& token, std::uint64_t server);

  // Describes how a transaction changes a voter's cached ratings. A Change must be created before
  // the transaction begins. A Change contains the voter's cached ratings for the objects that the
  // transaction will change.
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
  // Reads the voter's cached ratings for a rated object into "change". "object" is the hash of the
  // rated object. Call this function before the transaction begins.
  void begin_change(model::VoterId voter, std::uint64_t object, Change& change) const;
  // Records in "change" that "own" contains the voter's ratings for "object" after the transaction.
  static void set(std::uint64_t object, const model::OwnRatings& own, Change& change);
  // Writes the changed ratings to the cache. Call end_change() after the commit, and after calling
  // set() for each object whose ratings were read in the transaction.
  void end_change(model::VoterId voter, const Change& change);

  // Removes the ratings by "voter" from the cache. Readers that read the ratings from the database
  // before this call can no longer store them in the cache.
  void invalidate(model::VoterId voter);
  // Removes all ratings from the cache.
  void invalidate_all() { cache_.clear(); }

  // Returns whether the cache is enabled. A disabled cache contains no ratings.
  [[nodiscard]] bool is_enabled() const { return cache_.is_enabled(); }

  // Returns the hash of "object", as used in RatingOfVoter.
  [[nodiscard]] std::uint64_t hash_of(const model::Object& object) const {
    return cache_.hash_of({object.id, object.type});
  }

 private:
  using Parts = std::array<VoterRatings, kParts>;

  // Stores all parts with a new random number, and returns this number. If the cache already
  // contains the same parts, returns the random number of the cached parts. Updates "token",
  // because writing the parts may have invalidated the token for the voter's record.
  [[nodiscard]] std::uint64_t fill_parts(model::VoterId voter, Parts parts, Token& token,
                                         std::uint64_t server);
  // Returns the random number of the cached parts if they contain the same ratings as "parts".
  // Otherwise, returns nothing.
  [[nodiscard]] std::optional<std::uint64_t> find_reading(model::VoterId voter, Parts parts) const;
  [[nodiscard]] std::optional<VoterRatings> find_part(model::VoterId voter, std::size_t part,
                                                      std::uint64_t reading,
                                                      runtime::SharedCache::CasToken& token) const;

  runtime::SharedCache& cache_;
};

// The rating caches in a host's shared memory. Code that changes ratings updates or invalidates
// both caches after the commit and before responding to the client.
struct HostCaches {
  const rollups::StatsStore& stats;
  OwnRatingsCache& own_ratings;
  runtime::CacheWriters* writers =
      nullptr;  // the writers for both caches; nullptr if cache epochs are not used

  // Removes ratings and totals from the caches after another host has changed them in the database.
  // Readers that have already read the old values from the database can no longer store these
  // values in the caches.
  void forget(const rollups::Changed& changed) const;
};

}  // namespace votes
