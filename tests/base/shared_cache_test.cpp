#include "base/shared_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/cache_memory.h"
#include "support/clock.h"
#include "support/memory_folder.h"

namespace {

using base::SharedCache;
using support::kNow;
using Key = SharedCache::Key;
using Record = SharedCache::Record;
using Ticket = SharedCache::Ticket;
using namespace std::chrono_literals;

const Key kPost{42, "post"};

// The state of an object after so many changes.
Record state(std::uint64_t version) { return {{version, 0, 0}, {version * 10}}; }

// A cache of one set, which all objects share, with the steps of readers and writers.
class SharedCacheTest : public testing::Test {
 protected:
  [[nodiscard]] std::optional<Record> find(const Key& object, base::Time now = kNow) {
    Ticket ticket;
    return cache_.find(object, now, ticket);
  }
  // The steps of a reader that read "record" from the database.
  void read(const Key& object, const Record& record, base::Time now = kNow) {
    cache_.fill(object, record, cache_.take_ticket(object, now));
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

TEST_F(SharedCacheTest, RecordEndsWhenTheClockIsSetBack) {
  read(kPost, state(1));
  EXPECT_EQ(find(kPost, kNow - 2s), std::nullopt);
}

TEST_F(SharedCacheTest, EndedRecordIsRenewed) {
  read(kPost, state(1));
  read(kPost, state(1), kNow + 3s);
  EXPECT_EQ(find(kPost, kNow + 4s), state(1));
}

TEST_F(SharedCacheTest, SlowReadingDoesNotReplaceANewerOne) {
  const Ticket slow = cache_.take_ticket(kPost, kNow);
  read(kPost, state(2));
  cache_.fill(kPost, state(1), slow);
  EXPECT_EQ(find(kPost), state(2));
}

TEST_F(SharedCacheTest, NewerReadingReplacesASlowOneThatWasStoredFirst) {
  const Ticket other = cache_.take_ticket(kPost, kNow);
  read(kPost, state(1));
  cache_.fill(kPost, state(2), other);
  EXPECT_EQ(find(kPost), state(2));
}

TEST_F(SharedCacheTest, SlowReadingDoesNotReplaceANewerOneThatWasEvicted) {
  const Ticket slow = cache_.take_ticket(kPost, kNow);
  read(kPost, state(2));
  for (std::uint64_t id = 1; id <= SharedCache::Set::kSlots; ++id) {
    read({id, "post"}, state(1), kNow + 1s);
  }
  ASSERT_EQ(find(kPost), std::nullopt);
  cache_.fill(kPost, state(1), slow);
  EXPECT_EQ(find(kPost), std::nullopt);
}

TEST_F(SharedCacheTest, SlowReadingIsNotStoredAfterInvalidation) {
  const Ticket slow = cache_.take_ticket(kPost, kNow);
  cache_.invalidate(kPost);
  cache_.fill(kPost, state(1), slow);
  EXPECT_EQ(find(kPost), std::nullopt);
}

// Versions begin again when an object's rows are deleted.
TEST_F(SharedCacheTest, SlowReadingFromBeforeInvalidationDoesNotReplaceALowerVersion) {
  const Ticket slow = cache_.take_ticket(kPost, kNow);
  cache_.invalidate(kPost);
  read(kPost, state(1));
  cache_.fill(kPost, state(7), slow);
  EXPECT_EQ(find(kPost), std::nullopt);
}

TEST_F(SharedCacheTest, StatesThatNoOrderTellsApartEndTheRecord) {
  const Ticket ticket = cache_.take_ticket(kPost, kNow);
  read(kPost, {{2, 1, 0}, {}});
  cache_.fill(kPost, {{1, 2, 0}, {}}, ticket);
  EXPECT_EQ(find(kPost), std::nullopt);
}

TEST_F(SharedCacheTest, StatesOfOneVersionThatDifferEndTheRecord) {
  const Ticket ticket = cache_.take_ticket(kPost, kNow);
  read(kPost, {{0, 0, 0}, {1}});
  cache_.fill(kPost, {{0, 0, 0}, {2}}, ticket);
  EXPECT_EQ(find(kPost), std::nullopt);
}

TEST_F(SharedCacheTest, WithoutVersionsOnlyAnEqualRecordStays) {
  const Ticket slow = cache_.take_ticket(kPost, kNow);
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
  const Ticket ticket = cache_.take_ticket(kPost, kNow);
  memory_.set(0).lock |= static_cast<std::uint64_t>(getppid());
  EXPECT_EQ(find(kPost), std::nullopt);
  cache_.fill(kPost, state(2), ticket);
  memory_.set(0).lock = ticket.lock;
  EXPECT_EQ(find(kPost), std::nullopt);
  read(kPost, state(2));
  EXPECT_EQ(find(kPost), state(2));
}

TEST_F(SharedCacheTest, LockOfADeadProcessIsTakenOverAndTheSetEmptied) {
  const Key other{43, "post"};
  read(kPost, state(1));
  constexpr std::uint64_t kNobody = (1ULL << 22U) - 1;  // above all process ids
  memory_.set(0).lock |= kNobody;
  read(other, state(1));  // the look-up came too early
  EXPECT_EQ(find(kPost), std::nullopt);
  read(other, state(1));
  EXPECT_EQ(find(other), state(1));
}

TEST_F(SharedCacheTest, LifeOfZeroKeepsNothing) {
  support::CacheMemory memory(1, 0us);
  Ticket ticket;
  memory.cache().fill(kPost, state(1), memory.cache().take_ticket(kPost, kNow));
  EXPECT_EQ(memory.cache().find(kPost, kNow, ticket), std::nullopt);
}

TEST(SharedCacheParts, HaveNoRecordInCommon) {
  constexpr std::uint64_t kKeys = 200;
  const support::MemoryFolder folder;
  const base::SharedMemory memory(folder.path() / "segment", 100 * sizeof(SharedCache::Set));
  SharedCache first(memory, {0, 2}, 2s);
  SharedCache second(memory, {1, 2}, 2s);
  for (std::uint64_t id = 1; id <= kKeys; ++id) {
    first.fill({id, "post"}, state(1), first.take_ticket({id, "post"}, kNow));
  }
  Ticket ticket;
  std::uint64_t found = 0;
  for (std::uint64_t id = 1; id <= kKeys; ++id) {
    EXPECT_EQ(second.find({id, "post"}, kNow, ticket), std::nullopt);
    if (first.find({id, "post"}, kNow, ticket)) ++found;
  }
  EXPECT_GT(found, kKeys / 2);
  second.clear();
  EXPECT_TRUE(first.find({kKeys, "post"}, kNow, ticket));
  EXPECT_EQ(first.hash_of({1, "post"}), second.hash_of({1, "post"}));
}

}  // namespace
