#include "votes/own_ratings_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "support/cache_memory.h"
#include "support/clock.h"

namespace {

using model::Category;
using model::OwnRating;
using model::OwnRatings;
using support::kNow;
using votes::VoterRatings;
using namespace std::chrono_literals;

constexpr model::VoterId kVoter = model::kAnonymousBit | 7;

// Converts the ratings to a cache record and back, and returns the result.
VoterRatings stored(const VoterRatings& ratings) { return VoterRatings(ratings.record()); }

VoterRatings with_ratings(std::uint64_t count) {
  VoterRatings ratings;
  for (std::uint64_t object = 1; object <= count; ++object) {
    ratings.add({object, Category::binary, {1000, kNow + object * 1us}});
  }
  return ratings;
}

TEST(VoterRatings, OfAVoterWithoutRatingsAreEmpty) {
  const VoterRatings none = stored({});
  EXPECT_TRUE(none.are_listed());
  EXPECT_TRUE(none.are_empty());
  EXPECT_EQ(none.of(0), OwnRatings());
  EXPECT_EQ(none.of(1), OwnRatings());
}

TEST(VoterRatings, TenAreListedAndElevenAreNot) {
  const VoterRatings ten = stored(with_ratings(VoterRatings::kPerRecord));
  ASSERT_TRUE(ten.are_listed());
  for (std::uint64_t object = 1; object <= VoterRatings::kPerRecord; ++object) {
    OwnRatings expected;
    expected[0] = OwnRating{1000, kNow + object * 1us};
    EXPECT_EQ(ten.of(object), expected);
  }
  EXPECT_EQ(ten.of(VoterRatings::kPerRecord + 1), OwnRatings());
  EXPECT_EQ(stored(with_ratings(VoterRatings::kPerRecord + 1)), VoterRatings::not_listed());
  EXPECT_EQ(stored(with_ratings(VoterRatings::kPerRecord + 2)), VoterRatings::not_listed());
}

TEST(VoterRatings, KeepEveryValueAndTime) {
  const base::Time last{std::chrono::microseconds((1LL << 52U) - 1)};
  const struct {
    Category category;
    OwnRating rating;
  } kept[] = {{Category::binary, {0, kNow}},         {Category::binary, {1000, kNow}},
              {Category::bipolar, {-1000, kNow}},    {Category::bipolar, {0, kNow}},
              {Category::bipolar, {1000, kNow}},     {Category::scale, {0, kNow}},
              {Category::scale, {1, kNow}},          {Category::scale, {999, kNow}},
              {Category::scale, {1000, last}},       {Category::bipolar, {-1000, last}},
              {Category::scale, {500, base::Time()}}};
  for (const auto& [category, rating] : kept) {
    VoterRatings ratings;
    ratings.add({42, category, rating});
    OwnRatings expected;
    expected[static_cast<std::size_t>(category)] = rating;
    EXPECT_EQ(stored(ratings).of(42), expected) << rating.value;
  }
}

TEST(VoterRatings, CategoriesOfOneObjectAreToldApart) {
  VoterRatings ratings;
  ratings.add({42, Category::binary, {1000, kNow}});
  ratings.add({42, Category::bipolar, {-1000, kNow + 1us}});
  ratings.add({42, Category::scale, {123, kNow + 2us}});
  const OwnRatings expected = {OwnRating{1000, kNow}, OwnRating{-1000, kNow + 1us},
                               OwnRating{123, kNow + 2us}};
  EXPECT_EQ(stored(ratings).of(42), expected);
}

TEST(VoterRatings, ThatDoNotFitAreNotListed) {
  const OwnRating unfit[] = {{1000, base::Time(std::chrono::microseconds(1LL << 52U))},
                             {1000, base::Time(-1us)},
                             {1024, kNow},
                             {-1, kNow}};
  for (const OwnRating& rating : unfit) {
    VoterRatings ratings = with_ratings(2);
    ratings.add({42, Category::scale, rating});
    EXPECT_FALSE(stored(ratings).are_listed()) << rating.value;
  }
}

TEST(VoterRatings, OfAPartKeepTheirReading) {
  VoterRatings part = with_ratings(1);
  part.set_reading(5);
  part.set(1, {OwnRating{0, kNow}});
  EXPECT_EQ(stored(part).reading(), 5U);
}

TEST(VoterRatings, OfOneObjectAreReplaced) {
  VoterRatings ratings = with_ratings(3);
  const OwnRatings changed = {std::nullopt, OwnRating{-1000, kNow}, OwnRating{500, kNow}};
  ratings.set(2, changed);
  EXPECT_EQ(stored(ratings).of(2), changed);
  EXPECT_EQ(stored(ratings).of(1), with_ratings(3).of(1));
  EXPECT_EQ(stored(ratings).of(3), with_ratings(3).of(3));
  ratings.set(2, {});
  ratings.set(3, {});
  EXPECT_EQ(stored(ratings), with_ratings(1));
  ratings.set(1, {});
  EXPECT_TRUE(stored(ratings).are_empty());
}

TEST(VoterRatings, ReplacementNeedsNoRoomUnlessThereAreMore) {
  VoterRatings ratings = with_ratings(VoterRatings::kPerRecord);
  const OwnRatings one = {OwnRating{0, kNow}};
  ratings.set(4, one);
  EXPECT_EQ(stored(ratings).of(4), one);
  ratings.set(VoterRatings::kPerRecord + 1, one);
  EXPECT_FALSE(stored(ratings).are_listed());
  ratings.set(4, {});
  EXPECT_FALSE(stored(ratings).are_listed());
}

class OwnRatingsCache : public ::testing::Test {
 protected:
  using Token = votes::OwnRatingsCache::Token;

  static model::Object object(std::uint64_t number) { return {number, "post"}; }

  // Returns ratings of objects 1 to "count".
  std::vector<votes::RatingOfVoter> ratings(std::uint64_t count) const {
    std::vector<votes::RatingOfVoter> list;
    for (std::uint64_t number = 1; number <= count; ++number) {
      list.push_back({cache_.hash_of(object(number)), Category::binary, {1000, kNow}});
    }
    return list;
  }

  // Returns the value of the voter's rating for an object, or -1 if the voter has no rating. If the
  // rating is not in the cache, returns std::nullopt.
  std::optional<int> find(std::uint64_t number, model::VoterId voter = kVoter) {
    const model::Object wanted = object(number);
    const auto found = cache_.find(voter, {&wanted, 1}, token_);
    if (!found) return std::nullopt;
    const auto& rating = found->front()[0];
    return rating ? static_cast<int>(rating->value) : -1;
  }

  void read(std::uint64_t count) {
    find(1);
    cache_.fill(kVoter, ratings(count), token_, 0);
  }

  // Simulates a reader that reads only some of the voter's ratings, because there are too many for
  // the cache.
  void read_some() {
    find(1);
    cache_.fill_not_listed(kVoter, token_, 0);
  }

  votes::OwnRatingsCache::Change begin_change(std::uint64_t number) const {
    auto change = cache_.begin_change(kVoter);
    cache_.begin_change(kVoter, cache_.hash_of(object(number)), change);
    return change;
  }

  void end_change(votes::OwnRatingsCache::Change change, std::uint64_t number,
                  const OwnRatings& own) {
    votes::OwnRatingsCache::set(cache_.hash_of(object(number)), own, change);
    cache_.end_change(kVoter, change);
  }

  support::CacheMemory memory_;
  votes::OwnRatingsCache cache_{memory_.cache()};
  Token token_;
};

constexpr std::uint64_t kFew = VoterRatings::kPerRecord, kMany = 40;
const OwnRatings kChanged = {OwnRating{0, kNow}};

TEST_F(OwnRatingsCache, KeepsVotersApart) {
  EXPECT_EQ(find(1), std::nullopt);
  read(3);
  EXPECT_EQ(find(3), 1000);
  EXPECT_EQ(find(4), -1);
  EXPECT_EQ(find(3, 7), std::nullopt);
  cache_.invalidate(kVoter);
  EXPECT_EQ(find(3), std::nullopt);
}

TEST_F(OwnRatingsCache, KnowsFewAndManyRatings) {
  for (const std::uint64_t count : {kFew, kFew + 1, kMany}) {
    cache_.invalidate(kVoter);
    read(count);
    for (std::uint64_t number = 1; number <= count; ++number) EXPECT_EQ(find(number), 1000);
    for (std::uint64_t number = count + 1; number <= count + 40; ++number) {
      EXPECT_EQ(find(number), -1);
    }
    EXPECT_FALSE(token_.is_not_listed);
  }
}

TEST_F(OwnRatingsCache, KnowsVotersWhoseRecordsShareASet) {
  for (model::VoterId voter = 1; voter <= 100; ++voter) {
    EXPECT_EQ(find(3, voter), std::nullopt);
    const Token before = token_;
    cache_.fill(voter, ratings(kMany), before, 0);
    EXPECT_EQ(find(3, voter), 1000) << voter;
    cache_.invalidate(voter);
    EXPECT_EQ(find(3, voter), std::nullopt);
    cache_.fill(voter, ratings(kMany), before, 0);
    EXPECT_EQ(find(3, voter), std::nullopt) << voter;
    cache_.invalidate_all();
  }
}

TEST_F(OwnRatingsCache, KnowsWhoseRatingsAreNotListed) {
  read_some();
  EXPECT_EQ(find(1), std::nullopt);
  EXPECT_TRUE(token_.is_not_listed);
}

// If one rating in a list does not fit into the cache, none of the ratings are stored, so that
// later cache hits do not return an outdated rating.
TEST_F(OwnRatingsCache, ListsNothingIfAPartDoesNotFit) {
  auto list = ratings(kFew + 1);
  list[0].rating.value = -1;
  EXPECT_EQ(find(1), std::nullopt);
  cache_.fill(kVoter, list, token_, 0);
  EXPECT_EQ(find(1), std::nullopt);
  EXPECT_TRUE(token_.is_not_listed);
  for (std::uint64_t number = 2; number <= kFew + 1; ++number) {
    EXPECT_EQ(find(number), std::nullopt);
    EXPECT_TRUE(token_.is_not_listed);
  }
}

TEST_F(OwnRatingsCache, ReadingOfSomeRejectsAnEarlierReadingOfAll) {
  for (const std::uint64_t count : {kFew, kMany}) {
    read_some();
    EXPECT_EQ(find(1), std::nullopt);
    const Token of_some = token_;
    cache_.invalidate(kVoter);
    EXPECT_EQ(find(1), std::nullopt);
    const Token of_all = token_;
    // The reader with the token "of_all" reads all ratings before one of them changes. The reader
    // with the token "of_some" reads the changed rating.
    cache_.fill_not_listed(kVoter, of_some, 0);
    cache_.fill(kVoter, ratings(count), of_all, 0);
    EXPECT_EQ(find(1), std::nullopt);

    // Test the opposite order: the reader of all ratings stores its result first.
    find(1);
    const Token again = token_;
    cache_.invalidate(kVoter);
    read(count);
    EXPECT_EQ(find(1), 1000);
    cache_.fill_not_listed(kVoter, again, 0);
    EXPECT_EQ(find(1), std::nullopt);
    cache_.invalidate(kVoter);
  }
}

TEST_F(OwnRatingsCache, ChangeReplacesWhatIsKnown) {
  for (const std::uint64_t count : {kFew, kMany}) {
    cache_.invalidate(kVoter);
    read(count);
    end_change(begin_change(3), 3, kChanged);
    EXPECT_EQ(find(3), 0);
    EXPECT_EQ(find(4), 1000);
    end_change(begin_change(3), 3, {});
    EXPECT_EQ(find(3), -1);
    EXPECT_EQ(find(4), 1000);
  }
  end_change(begin_change(kMany + 1), kMany + 1, kChanged);
  EXPECT_EQ(find(kMany + 1), 0);
}

TEST_F(OwnRatingsCache, ChangeRejectsAnEarlierReading) {
  for (const std::uint64_t count : {kFew, kMany}) {
    cache_.invalidate(kVoter);
    const auto first = begin_change(3);  // nothing is known
    EXPECT_EQ(find(3), std::nullopt);
    const Token before = token_;
    end_change(first, 3, kChanged);
    cache_.fill(kVoter, ratings(count), before, 0);
    EXPECT_EQ(find(3), std::nullopt);

    read(count);
    EXPECT_EQ(find(3), 1000);
    const Token again = token_;
    end_change(begin_change(3), 3, kChanged);
    cache_.fill(kVoter, ratings(count), again, 0);  // such as after the loss of a part
    EXPECT_NE(find(3), 1000);
  }
}

// A page may send several requests for the same voter at the same time.
TEST_F(OwnRatingsCache, EqualReadingsAtTheSameTimeAreKept) {
  for (const std::uint64_t count : {kFew, kMany}) {
    cache_.invalidate(kVoter);
    EXPECT_EQ(find(3), std::nullopt);
    const Token both = token_;
    cache_.fill(kVoter, ratings(count), both, 0);
    cache_.fill(kVoter, ratings(count), both, 0);
    EXPECT_EQ(find(3), 1000);

    const auto change = begin_change(3);
    cache_.fill(kVoter, ratings(count), both, 0);  // with the ratings from before the change
    end_change(change, 3, kChanged);
    EXPECT_NE(find(3), 1000);
  }
}

TEST_F(OwnRatingsCache, OverlappingChangesRemoveWhatIsKnown) {
  for (const std::uint64_t count : {kFew, kMany}) {
    cache_.invalidate(kVoter);
    read(count);
    const auto earlier = begin_change(3);
    end_change(begin_change(4), 4, kChanged);
    end_change(earlier, 3, kChanged);
    EXPECT_EQ(find(3), std::nullopt);
    EXPECT_EQ(find(4), std::nullopt);
  }
}

TEST_F(OwnRatingsCache, PartsOfTwoReadingsAreNotMixed) {
  read(kMany);
  EXPECT_EQ(find(3), 1000);
  const Token before = token_;
  end_change(begin_change(4), 4, kChanged);
  cache_.fill(kVoter, ratings(kMany), before, 0);  // stores its parts only
  for (std::uint64_t number = 1; number <= kMany; ++number) EXPECT_EQ(find(number), std::nullopt);
  read(kMany);
  EXPECT_EQ(find(3), 1000);
}

TEST_F(OwnRatingsCache, ChangeThatNeedsMoreRoomRemovesWhatIsKnown) {
  read(kFew);
  end_change(begin_change(kFew + 1), kFew + 1, kChanged);
  EXPECT_EQ(find(1), std::nullopt);
  EXPECT_FALSE(token_.is_not_listed);

  read_some();
  end_change(begin_change(1), 1, {});
  EXPECT_EQ(find(1), std::nullopt);
  EXPECT_FALSE(token_.is_not_listed) << "there may be fewer now";
}

// Simulates a database table that contains the ratings of one voter. Each change of a rating gives
// the rating a new timestamp.
class Votes {
 public:
  static constexpr std::size_t kObjects = kMany;
  using States = std::array<std::uint64_t, kObjects>;

  States read() {
    const std::lock_guard lock(mutex_);
    return states_;
  }
  std::uint64_t change(std::size_t index) {
    const std::lock_guard lock(mutex_);
    return ++states_[index];
  }

 private:
  std::mutex mutex_;
  States states_{};
};

// Several threads read and write the cached record of one voter, while another thread fills the
// cache with the records of other voters.
class Contention {
 public:
  void run() {
    {
      std::vector<std::jthread> threads;
      for (unsigned number = 0; number < 3; ++number) {
        threads.emplace_back([this, number] { repeat(number, &Contention::read); });
      }
      for (unsigned number = 3; number < 5; ++number) {
        threads.emplace_back([this, number] { repeat(number, &Contention::write); });
      }
      threads.emplace_back([this] { repeat(5, &Contention::disturb); });
    }
    EXPECT_EQ(older_, 0U);
    EXPECT_GT(hits_, 0U);
    EXPECT_GT(misses_, 0U);
  }

 private:
  using Random = std::minstd_rand;
  using Cache = votes::OwnRatingsCache;

  static constexpr std::chrono::milliseconds kDuration{800};
  static constexpr std::size_t kSets = 24;

  static model::Object object(std::size_t index) { return {index + 1, "post"}; }
  static OwnRating rating(std::uint64_t state) {
    return {1000, base::Time(std::chrono::microseconds(state))};
  }

  void repeat(unsigned number, void (Contention::*step)(Random&)) {
    Random random(number + 1);
    const base::Stopwatch stopwatch;
    while (stopwatch.elapsed() < kDuration) (this->*step)(random);
  }

  // Yields to other threads a random number of times.
  static void pause(Random& random) {
    for (auto times = random() % 8; times > 0; --times) std::this_thread::yield();
  }

  void answer(std::size_t index, std::uint64_t state, std::uint64_t least) {
    if (state < least) ++older_;
    std::uint64_t known = answered_.at(index);
    while (known < state && !answered_.at(index).compare_exchange_weak(known, state)) {
    }
  }

  // Reads ratings from the cache or, after a cache miss and sometimes even after a hit, from the
  // database.
  void read(Random& random) {
    pause(random);
    const std::array indexes = {random() % Votes::kObjects, random() % Votes::kObjects};
    const std::array least = {answered_.at(indexes[0]).load(), answered_.at(indexes[1]).load()};
    const std::array objects = {object(indexes[0]), object(indexes[1])};
    Cache::Token token;
    const auto found = cache_.find(kVoter, objects, token);
    if (found && random() % 16 != 0) {
      ++hits_;
      for (std::size_t i = 0; i < objects.size(); ++i) {
        const auto state = found->at(i)[0]->rated_at.time_since_epoch().count();
        answer(indexes.at(i), static_cast<std::uint64_t>(state), least.at(i));
      }
      return;
    }
    ++misses_;
    pause(random);
    const Votes::States states = votes_.read();
    std::vector<votes::RatingOfVoter> list;
    for (std::size_t i = 0; i < states.size(); ++i) {
      list.push_back({cache_.hash_of(object(i)), Category::binary, rating(states.at(i))});
    }
    for (int i = 0; i < 3; ++i) pause(random);
    cache_.fill(kVoter, list, token, 0);
    for (std::size_t i = 0; i < objects.size(); ++i) {
      answer(indexes.at(i), states.at(indexes.at(i)), least.at(i));
    }
  }

  // Another writer may commit a later change before this writer updates the cache.
  void write(Random& random) {
    for (int i = 0; i < 5; ++i) pause(random);
    const std::size_t index = random() % Votes::kObjects;
    const std::uint64_t hash = cache_.hash_of(object(index));
    const std::uint64_t least = answered_.at(index);
    auto change = cache_.begin_change(kVoter);
    cache_.begin_change(kVoter, hash, change);
    pause(random);
    const std::uint64_t state = votes_.change(index);
    pause(random);
    if (random() % 64 == 0) return;  // the writer dies
    Cache::set(hash, {rating(state)}, change);
    cache_.end_change(kVoter, change);
    answer(index, state, least);
  }

  void disturb(Random& random) {
    for (int i = 0; i < 20; ++i) pause(random);
    Cache::Token token;
    const model::VoterId other = 1 + random() % 1000;
    if (!cache_.find(other, {}, token)) cache_.fill(other, {}, token, 0);
    if (random() % 64 == 0) cache_.invalidate(kVoter);
    if (random() % 256 == 0) cache_.invalidate_all();
  }

  support::CacheMemory memory_{kSets};
  Cache cache_{memory_.cache()};
  Votes votes_;
  std::array<std::atomic<std::uint64_t>, Votes::kObjects> answered_{};  // the newest states
  std::atomic<std::uint64_t> older_ = 0, hits_ = 0, misses_ = 0;
};

TEST_F(OwnRatingsCache, NobodyReadsAnOlderRatingAfterANewerOne) { Contention().run(); }

TEST_F(OwnRatingsCache, HashesDifferWithIdAndType) {
  EXPECT_NE(cache_.hash_of({42, "post"}), cache_.hash_of({43, "post"}));
  EXPECT_NE(cache_.hash_of({42, "post"}), cache_.hash_of({42, "page"}));
}

}  // namespace
