#include "votes/own_ratings_cache.h"

#include <gtest/gtest.h>

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

// As it comes back from a record.
VoterRatings stored(const VoterRatings& ratings) { return VoterRatings(ratings.record()); }

VoterRatings with_ratings(std::uint64_t count) {
  VoterRatings ratings;
  for (std::uint64_t object = 1; object <= count; ++object) {
    ratings.add(object, Category::binary, {1000, kNow + object * 1us});
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
  const VoterRatings ten = stored(with_ratings(VoterRatings::kMost));
  ASSERT_TRUE(ten.are_listed());
  for (std::uint64_t object = 1; object <= VoterRatings::kMost; ++object) {
    OwnRatings expected;
    expected[0] = OwnRating{1000, kNow + object * 1us};
    EXPECT_EQ(ten.of(object), expected);
  }
  EXPECT_EQ(ten.of(VoterRatings::kMost + 1), OwnRatings());
  EXPECT_EQ(stored(with_ratings(VoterRatings::kMost + 1)), VoterRatings::not_listed());
  EXPECT_EQ(stored(with_ratings(VoterRatings::kMost + 2)), VoterRatings::not_listed());
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
    ratings.add(42, category, rating);
    OwnRatings expected;
    expected[static_cast<std::size_t>(category)] = rating;
    EXPECT_EQ(stored(ratings).of(42), expected) << rating.value;
  }
}

TEST(VoterRatings, CategoriesOfOneObjectAreToldApart) {
  VoterRatings ratings;
  ratings.add(42, Category::binary, {1000, kNow});
  ratings.add(42, Category::bipolar, {-1000, kNow + 1us});
  ratings.add(42, Category::scale, {123, kNow + 2us});
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
    ratings.add(42, Category::scale, rating);
    EXPECT_FALSE(stored(ratings).are_listed()) << rating.value;
  }
}

TEST(OwnRatingsCache, KeepsVotersApart) {
  support::CacheMemory memory;
  votes::OwnRatingsCache cache(memory.cache());
  votes::OwnRatingsCache::CasToken token;
  EXPECT_EQ(cache.find(kVoter, token), std::nullopt);
  cache.fill(kVoter, with_ratings(3), token, 0);
  EXPECT_EQ(cache.find(kVoter, token), with_ratings(3));
  EXPECT_EQ(cache.find(7, token), std::nullopt);
  cache.invalidate(kVoter);
  EXPECT_EQ(cache.find(kVoter, token), std::nullopt);
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
  VoterRatings ratings = with_ratings(VoterRatings::kMost);
  const OwnRatings one = {OwnRating{0, kNow}};
  ratings.set(4, one);
  EXPECT_EQ(stored(ratings).of(4), one);
  ratings.set(VoterRatings::kMost + 1, one);
  EXPECT_FALSE(stored(ratings).are_listed());
  ratings.set(4, {});
  EXPECT_FALSE(stored(ratings).are_listed());
}

TEST(OwnRatingsCache, ChangeReplacesWhatIsKnown) {
  support::CacheMemory memory;
  votes::OwnRatingsCache cache(memory.cache());
  votes::OwnRatingsCache::CasToken token;
  auto change = cache.begin_change(kVoter);
  EXPECT_FALSE(change.ratings);
  cache.fill(kVoter, with_ratings(1), change.token, 0);
  cache.end_change(kVoter, change);
  EXPECT_EQ(cache.find(kVoter, token), std::nullopt) << "read before the change";

  cache.fill(kVoter, with_ratings(1), token, 0);
  change = cache.begin_change(kVoter);
  change.ratings->set(1, {});
  cache.end_change(kVoter, change);
  EXPECT_EQ(cache.find(kVoter, token), VoterRatings());
}

TEST(OwnRatingsCache, ChangeRemovesWhatIsNotListed) {
  support::CacheMemory memory;
  votes::OwnRatingsCache cache(memory.cache());
  votes::OwnRatingsCache::CasToken token;
  ASSERT_FALSE(cache.find(kVoter, token));
  cache.fill(kVoter, VoterRatings::not_listed(), token, 0);
  cache.end_change(kVoter, cache.begin_change(kVoter));
  EXPECT_EQ(cache.find(kVoter, token), std::nullopt);
}

TEST(OwnRatingsCache, HashesDifferWithIdAndType) {
  support::CacheMemory memory;
  const votes::OwnRatingsCache cache(memory.cache());
  EXPECT_NE(cache.hash_of({42, "post"}), cache.hash_of({43, "post"}));
  EXPECT_NE(cache.hash_of({42, "post"}), cache.hash_of({42, "page"}));
}

}  // namespace
