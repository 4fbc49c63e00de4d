#include "runtime/shared_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>

#include "support/cache_memory.h"
#include "support/clock.h"
#include "support/memory_folder.h"

namespace {

using namespace std::chrono_literals;
using runtime::SharedCache;
using support::kNow;
using Key = SharedCache::Key;
using Record = SharedCache::Record;
using CasToken = SharedCache::CasToken;

const Key kPost{42, "post"};

// Returns the state of an object that has been changed "version" times.
Record state(std::uint64_t version) { return {{version, 0, 0}, {version * 10}}; }

// Provides a cache with a single set, shared by all objects.
class SharedCacheTest : public testing::Test {
 protected:
  [[nodiscard]] std::optional<Record> find(const Key& object, base::Time now = kNow) {
    memory_.clock().set(now);
    CasToken token;
    return cache_.find(object, token);
  }
  // Simulates a reader that reads "record" from the database and stores it in the cache.
  void read(const Key& object, const Record& record, base::Time now = kNow) {
    memory_.clock().set(now);
    cache_.fill(object, record, cache_.begin_fill(object));
  }

  support::CacheMemory memory_{1};
  SharedCache& cache_ = memory_.cache();
};

TEST_F(SharedCacheTest, FindsWhatWasStored) {
  EXPECT_EQ(find(kPost), std::nullopt);
  read(kPost, state(1));
  EXPECT_EQ(find(kPost), state(1));
}

TEST_F(SharedCacheTest, KeysThatDifferInIdOrNameAreOthers) {
  read(kPost, state(1));
  EXPECT_EQ(find({43, "post"}), std::nullopt);
  EXPECT_EQ(find({42, "page"}), std::nullopt);
  EXPECT_EQ(find({42, ""}), std::nullopt);
}

TEST_F(SharedCacheTest, RecordEndsWithItsLife) {
  read(kPost, state(1));
  EXPECT_EQ(find(kPost, kNow + 2s - 1us), state(1));
  EXPECT_EQ(find(kPost, kNow + 2s), std::nullopt);
}

TEST_F(SharedCacheTest, EndedRecordIsFoundIfThatDoesNotMatter) {
  EXPECT_EQ(cache_.find_expired(kPost), std::nullopt);
  read(kPost, state(1));
  EXPECT_EQ(find(kPost, kNow + 1h), std::nullopt);
  EXPECT_EQ(cache_.find_expired(kPost), state(1));
  cache_.invalidate(kPost);
  EXPECT_EQ(cache_.find_expired(kPost), std::nullopt);
}

TEST_F(SharedCacheTest, EndedRecordIsRenewed) {
  read(kPost, state(1));
  read(kPost, state(1), kNow + 3s);
  EXPECT_EQ(find(kPost, kNow + 4s), state(1));
}

TEST_F(SharedCacheTest, SlowReadingDoesNotReplaceANewerOne) {
  const CasToken slow = cache_.begin_fill(kPost);
  read(kPost, state(2));
  cache_.fill(kPost, state(1), slow);
  EXPECT_EQ(find(kPost), state(2));
}

// Another process may store the object after this process has read the clock.
TEST(SharedCacheWithoutTtl, FindsNothingWhateverTheClockSays) {
  support::CacheMemory memory(1, base::Uptime(0));
  memory.cache().fill(kPost, state(1), memory.cache().begin_fill(kPost));
  for (const base::Time now : {kNow - 1us, kNow, kNow + 1us}) {
    memory.clock().set(now);
    CasToken token;
    EXPECT_EQ(memory.cache().find(kPost, token), std::nullopt);
  }
  EXPECT_EQ(memory.cache().find_expired(kPost), state(1));
}

// A database server that lags behind may return an older state.
TEST_F(SharedCacheTest, OlderStateReplacesOnlyWhatIsValidNoMore) {
  read(kPost, state(2));
  read(kPost, state(1));
  EXPECT_EQ(find(kPost), state(2));
  read(kPost, state(1), kNow + 2s);
  EXPECT_EQ(find(kPost, kNow + 2s), state(1));
}

TEST_F(SharedCacheTest, NewerReadingReplacesASlowOneThatWasStoredFirst) {
  const CasToken other = cache_.begin_fill(kPost);
  read(kPost, state(1));
  cache_.fill(kPost, state(2), other);
  EXPECT_EQ(find(kPost), state(2));
}

TEST_F(SharedCacheTest, SlowReadingDoesNotReplaceANewerOneThatWasEvicted) {
  const CasToken slow = cache_.begin_fill(kPost);
  read(kPost, state(2));
  for (std::uint64_t id = 1; id <= SharedCache::Set::kSlots; ++id) {
    read({id, "post"}, state(1), kNow + 1s);
  }
  ASSERT_EQ(find(kPost), std::nullopt);
  cache_.fill(kPost, state(1), slow);
  EXPECT_EQ(find(kPost), std::nullopt);
}

// A client that reads and caches the old state during a writer's transaction must not prevent the
// writer from storing the new state in the cache.
TEST_F(SharedCacheTest, WriterStoresItsChangeOverReadingsDuringTheCommit) {
  read(kPost, state(1));
  const CasToken writer = cache_.begin_fill(kPost);
  read(kPost, state(1), kNow + 3s);  // another client has read the earlier state
  cache_.fill(kPost, state(2), writer);
  EXPECT_EQ(find(kPost), state(2));
}

TEST_F(SharedCacheTest, OneCallerFillsSeveralRecordsOfASet) {
  const Key other{43, "post"};
  const CasToken token = cache_.begin_fill(kPost);
  cache_.fill(other, state(1), token);
  cache_.fill(kPost, state(1), token);  // as if another caller had changed the set
  EXPECT_EQ(find(kPost), std::nullopt);
  cache_.clear();
  const CasToken first = cache_.begin_fill(kPost);
  cache_.fill(other, state(1), first);
  cache_.fill(kPost, state(1), SharedCache::after_fill(first));
  EXPECT_EQ(find(other), state(1));
  EXPECT_EQ(find(kPost), state(1));
}

TEST_F(SharedCacheTest, ReaderFindsNothingWhileTheSetIsLocked) {
  read(kPost, state(1));
  const std::uint64_t lock = memory_.set(0).lock;
  memory_.set(0).lock = lock | static_cast<std::uint64_t>(getppid());
  EXPECT_EQ(find(kPost), std::nullopt);
  memory_.set(0).lock = lock;
  EXPECT_EQ(find(kPost), state(1));
}

TEST_F(SharedCacheTest, SlowReadingIsNotStoredAfterInvalidation) {
  const CasToken slow = cache_.begin_fill(kPost);
  cache_.invalidate(kPost);
  cache_.fill(kPost, state(1), slow);
  EXPECT_EQ(find(kPost), std::nullopt);
}

// After an object's rows are deleted, its version numbers start over.
TEST_F(SharedCacheTest, SlowReadingFromBeforeInvalidationDoesNotReplaceALowerVersion) {
  const CasToken slow = cache_.begin_fill(kPost);
  cache_.invalidate(kPost);
  read(kPost, state(1));
  cache_.fill(kPost, state(7), slow);
  EXPECT_EQ(find(kPost), std::nullopt);
}

TEST_F(SharedCacheTest, StatesThatNoOrderTellsApartEndTheRecord) {
  const CasToken token = cache_.begin_fill(kPost);
  read(kPost, {{2, 1, 0}, {}});
  cache_.fill(kPost, {{1, 2, 0}, {}}, token);
  EXPECT_EQ(find(kPost), std::nullopt);
}

TEST_F(SharedCacheTest, StatesOfOneVersionThatDifferEndTheRecord) {
  const CasToken token = cache_.begin_fill(kPost);
  read(kPost, {{0, 0, 0}, {1}});
  cache_.fill(kPost, {{0, 0, 0}, {2}}, token);
  EXPECT_EQ(find(kPost), std::nullopt);
}

TEST_F(SharedCacheTest, WithoutVersionsOnlyAnEqualRecordStays) {
  const CasToken slow = cache_.begin_fill(kPost);
  read(kPost, state(0));
  cache_.fill(kPost, state(0), slow);
  EXPECT_EQ(find(kPost), state(0));
  cache_.fill(kPost, {{}, {7}}, slow);
  EXPECT_EQ(find(kPost), std::nullopt);
}

TEST_F(SharedCacheTest, InvalidatedAndClearedRecordsAreNotFound) {
  read(kPost, state(1));
  cache_.invalidate(kPost);
  EXPECT_EQ(find(kPost), std::nullopt);
  read(kPost, state(1));
  cache_.clear();
  EXPECT_EQ(find(kPost), std::nullopt);
  read(kPost, state(1));
  EXPECT_EQ(find(kPost), state(1));
}

TEST_F(SharedCacheTest, ReplacedRecordIsValidNoLongerThanBefore) {
  read(kPost, state(0));
  memory_.clock().set(kNow + 1s);
  CasToken token;
  ASSERT_TRUE(cache_.find(kPost, token));
  cache_.replace(kPost, state(1), token);
  EXPECT_EQ(find(kPost, kNow + 2s - 1us), state(1));
  EXPECT_EQ(find(kPost, kNow + 2s), std::nullopt);
}

TEST_F(SharedCacheTest, RecordThatWasFoundBeforeAnotherChangeIsRemovedInsteadOfReplaced) {
  const std::function<void(const CasToken&)> changes[] = {
      [&](const CasToken& token) { cache_.replace(kPost, state(1), token); },
      [&](const CasToken& token) { cache_.fill(kPost, state(1), token); },
      [&](const CasToken&) { cache_.invalidate(kPost), read(kPost, state(1)); }};
  for (const auto& change : changes) {
    read(kPost, state(0));
    CasToken token;
    ASSERT_TRUE(cache_.find(kPost, token));
    change(token);
    cache_.replace(kPost, state(2), token);
    EXPECT_EQ(find(kPost), std::nullopt);
  }
}

TEST_F(SharedCacheTest, ReplacementWithoutARecordRemovesThatOfItsKeyAlone) {
  const Key other{43, "post"};
  read(kPost, state(1));
  read(other, state(1));
  cache_.replace(kPost, std::nullopt, {});
  EXPECT_EQ(find(kPost), std::nullopt);
  EXPECT_EQ(find(other), state(1));
}

TEST_F(SharedCacheTest, SlowReadingIsNotStoredAfterAReplacementOfNothing) {
  CasToken token;
  ASSERT_FALSE(cache_.find(kPost, token));
  cache_.replace(kPost, state(1), token);
  EXPECT_EQ(find(kPost), std::nullopt);
  cache_.fill(kPost, state(0), token);
  EXPECT_EQ(find(kPost), std::nullopt);
}

TEST_F(SharedCacheTest, OldestRecordMakesRoom) {
  for (std::uint64_t id = 0; id <= SharedCache::Set::kSlots; ++id) {
    read({id + 1, "post"}, state(id), kNow + id * 1ms);
  }
  EXPECT_EQ(find({1, "post"}), std::nullopt);
  for (std::uint64_t id = 1; id <= SharedCache::Set::kSlots; ++id) {
    EXPECT_EQ(find({id + 1, "post"}), state(id)) << id;
  }
}

TEST_F(SharedCacheTest, LockOfALivingProcessIsNotWaitedForAndLeavesNothingOld) {
  read(kPost, state(1));
  const CasToken token = cache_.begin_fill(kPost);
  memory_.set(0).lock |= static_cast<std::uint64_t>(getppid());
  EXPECT_EQ(find(kPost), std::nullopt);
  cache_.fill(kPost, state(2), token);
  memory_.set(0).lock = token.lock;
  EXPECT_EQ(find(kPost), std::nullopt);
  read(kPost, state(2));
  EXPECT_EQ(find(kPost), state(2));
  memory_.set(0).lock |= static_cast<std::uint64_t>(getppid());
  cache_.replace(kPost, state(3), cache_.begin_fill(kPost));
  memory_.set(0).lock = token.lock;
  EXPECT_EQ(find(kPost), std::nullopt);
}

TEST_F(SharedCacheTest, LockOfADeadProcessIsTakenOverAndTheSetEmptied) {
  const Key other{43, "post"};
  read(kPost, state(1));
  constexpr std::uint64_t kNobody = (1ULL << 22U) - 1;  // greater than all process ids
  memory_.set(0).lock |= kNobody;
  read(other, state(1));  // the reader looked the object up too early
  EXPECT_EQ(find(kPost), std::nullopt);
  read(other, state(1));
  EXPECT_EQ(find(other), state(1));
}

TEST_F(SharedCacheTest, LifeOfZeroKeepsNothing) {
  support::CacheMemory memory(1, 0us);
  CasToken token;
  memory.cache().fill(kPost, state(1), memory.cache().begin_fill(kPost));
  EXPECT_EQ(memory.cache().find(kPost, token), std::nullopt);
}

// --- Epochs --------------------------------------------------------------------------------------

class SharedCacheEpochs : public SharedCacheTest {
 protected:
  static constexpr std::uint64_t kServer = 1;

  void read_from(std::uint64_t server, const Key& object = kPost) {
    cache_.fill(object, state(1), cache_.begin_fill(object), server);
  }
  // Simulates a process that has read from the database server kServer.
  void begin() { state_ = epoch_.begin_next(epoch_.state(), now(), kServer).value(); }
  void confirm() { state_ = epoch_.confirm(state_, now(), kServer).value(); }
  [[nodiscard]] base::Uptime now() { return memory_.clock().uptime(); }
  void advance(base::Uptime time) { memory_.clock().advance(time); }
  [[nodiscard]] bool is_found(const Key& object = kPost) {
    CasToken token;
    return cache_.find(object, token).has_value();
  }

  runtime::CacheEpoch epoch_{memory_.header().epoch};
  runtime::CacheEpoch::State state_ = 0;
};

TEST_F(SharedCacheEpochs, RecordIsValidForTheTtlAfterEachConfirmation) {
  begin();
  read_from(kServer);
  for (int second = 1; second < 60; ++second) {
    advance(1s);
    confirm();
    EXPECT_TRUE(is_found()) << second;
  }
  advance(1s);
  confirm();
  EXPECT_FALSE(is_found()) << "after a minute";
}

TEST_F(SharedCacheEpochs, RecordEndsWithItsTtlWithoutConfirmation) {
  read_from(kServer);
  advance(2s);
  EXPECT_FALSE(is_found()) << "there was no epoch yet";
  begin();
  read_from(kServer);
  advance(2s);
  EXPECT_FALSE(is_found());
}

TEST_F(SharedCacheEpochs, ConfirmationCountsFromTheBeginningOfTheReading) {
  begin();
  read_from(kServer);
  const base::Uptime start = now();
  advance(1s);
  ASSERT_TRUE(epoch_.confirm(state_, start, kServer));
  advance(1s);
  EXPECT_FALSE(is_found());
}

TEST_F(SharedCacheEpochs, RecordOfAnEarlierEpochEndsWithItsTtl) {
  begin();
  read_from(kServer);
  advance(1s);
  begin();
  read_from(kServer, {43, "post"});
  EXPECT_TRUE(is_found());
  advance(1s);
  confirm();
  EXPECT_FALSE(is_found());
  advance(1s);
  confirm();
  EXPECT_TRUE(is_found({43, "post"}));
}

TEST_F(SharedCacheEpochs, RecordOfAnotherServerEndsWithItsTtl) {
  begin();
  read_from(kServer + 1);
  read_from(0, {43, "post"});
  advance(2s);
  confirm();
  EXPECT_FALSE(is_found());
  EXPECT_FALSE(is_found({43, "post"}));
}

TEST_F(SharedCacheEpochs, OnlyWhoKnowsTheEpochConfirmsIt) {
  begin();
  const runtime::CacheEpoch::State known = state_;
  advance(1s);
  confirm();
  EXPECT_FALSE(epoch_.confirm(known, now(), kServer));
  EXPECT_FALSE(epoch_.begin_next(known, now(), kServer));
}

TEST_F(SharedCacheEpochs, NumbersBeginAgainWithOne) {
  for (unsigned i = 0; i < (1U << 16U); ++i) begin();
  read_from(kServer);
  advance(2s);
  confirm();
  EXPECT_TRUE(is_found());
}

// --- Caches that share a segment -----------------------------------------------------------------

TEST(SharedCacheParts, HaveNoRecordInCommon) {
  constexpr std::uint64_t kKeys = 200;
  const support::MemoryFolder folder;
  const runtime::SharedMemory memory(folder.path() / "segment", 100 * sizeof(SharedCache::Set));
  const support::FixedClock clock(kNow);
  SharedCache first(memory, {0, 2}, 2s, clock);
  SharedCache second(memory, {1, 2}, 2s, clock);
  for (std::uint64_t id = 1; id <= kKeys; ++id) {
    first.fill({id, "post"}, state(1), first.begin_fill({id, "post"}));
  }
  CasToken token;
  std::uint64_t found = 0;
  for (std::uint64_t id = 1; id <= kKeys; ++id) {
    EXPECT_EQ(second.find({id, "post"}, token), std::nullopt);
    if (first.find({id, "post"}, token)) ++found;
  }
  EXPECT_GT(found, kKeys / 2);
  second.clear();
  EXPECT_TRUE(first.find({kKeys, "post"}, token));
  EXPECT_EQ(first.hash_of({1, "post"}), second.hash_of({1, "post"}));
}

}  // namespace
