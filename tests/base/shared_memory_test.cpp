#include "base/shared_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <stdexcept>

namespace {

using base::SharedMemory;
using Counter = std::atomic<std::uint64_t>;

// Names of their own for each test and run, nothing of which stays behind.
class SharedMemoryTest : public testing::Test {
 protected:
  ~SharedMemoryTest() override {
    SharedMemory::remove(name_);
    SharedMemory::remove(other_name_);
  }

  const std::string process_ = std::to_string(getpid());
  const std::string name_ = SharedMemory::name_of({"test", process_});
  const std::string other_name_ = SharedMemory::name_of({"test", process_, "other"});
};

TEST_F(SharedMemoryTest, BeginsAsZeros) {
  const SharedMemory memory(name_, 8192);
  EXPECT_EQ(memory.as<Counter>(), 0U);
}

TEST_F(SharedMemoryTest, IsOneForAllWhoNameIt) {
  const SharedMemory one(name_, 4096);
  const SharedMemory same(name_, 4096);
  one.as<Counter>() = 7;
  EXPECT_EQ(same.as<Counter>(), 7U);
}

TEST_F(SharedMemoryTest, SegmentsOfDifferentNamesDoNotMeet) {
  const SharedMemory one(name_, 4096);
  const SharedMemory other(other_name_, 4096);
  one.as<Counter>() = 7;
  EXPECT_EQ(other.as<Counter>(), 0U);
}

TEST_F(SharedMemoryTest, OutlivesThoseWhoUseIt) {
  { SharedMemory(name_, 4096).as<Counter>() = 7; }
  EXPECT_EQ(SharedMemory(name_, 4096).as<Counter>(), 7U);
}

TEST_F(SharedMemoryTest, AfterRemovalANewOneBegins) {
  { SharedMemory(name_, 4096).as<Counter>() = 7; }
  EXPECT_TRUE(SharedMemory::remove(name_));
  EXPECT_FALSE(SharedMemory::remove(name_));
  EXPECT_EQ(SharedMemory(name_, 4096).as<Counter>(), 0U);
}

TEST_F(SharedMemoryTest, IsOfItsUserAlone) {
  const SharedMemory memory(name_, 4096);
  struct stat status {};
  ASSERT_EQ(stat(("/dev/shm" + name_).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST_F(SharedMemoryTest, RefusesASegmentThatIsOpenToOthers) {
  const int segment = shm_open(name_.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(fchmod(segment, 0660), 0);
  close(segment);
  EXPECT_THROW(SharedMemory(name_, 4096), std::runtime_error);
}

TEST_F(SharedMemoryTest, RefusesASegmentOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const int segment = shm_open(name_.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(fchown(segment, 65534, 65534), 0);
  close(segment);
  EXPECT_THROW(SharedMemory(name_, 4096), std::runtime_error);
}

TEST_F(SharedMemoryTest, RefusesASegmentOfAnotherSizeAndLeavesItAsItIs) {
  const SharedMemory memory(name_, 4096);
  EXPECT_THROW(SharedMemory(name_, 8192), std::runtime_error);
  EXPECT_NO_THROW(SharedMemory(name_, 4096));
}

TEST_F(SharedMemoryTest, MoreThanTheHostHasIsRefusedAtOnce) {
  EXPECT_THROW(SharedMemory(name_, 1ULL << 50U), std::runtime_error);
}

TEST_F(SharedMemoryTest, IsLookedAtOnlyIfItIsThereAsItShouldBe) {
  EXPECT_EQ(SharedMemory::look(name_, 4096).error(), ENOENT);
  const SharedMemory memory(name_, 4096);
  memory.as<Counter>() = 7;
  const auto seen = SharedMemory::look(name_, 4096);
  ASSERT_TRUE(seen);
  EXPECT_EQ((*seen)->as<Counter>(), 7U);
  EXPECT_EQ(SharedMemory::look(name_, 8192).error(), EINVAL);
}

TEST_F(SharedMemoryTest, LookingMakesNoSegment) {
  EXPECT_FALSE(SharedMemory::look(name_, 4096));
  EXPECT_FALSE(SharedMemory::remove(name_));
}

TEST_F(SharedMemoryTest, PlaceIsOneUsersUntilItEnds) {
  const SharedMemory one(name_, 4096);
  {
    const SharedMemory other(name_, 4096);
    EXPECT_TRUE(other.take_place(5));
    EXPECT_TRUE(one.is_taken(5));
    EXPECT_FALSE(one.take_place(5));
    EXPECT_FALSE(other.is_taken(5));  // by somebody else
    EXPECT_TRUE(one.take_place(6));
  }
  EXPECT_FALSE(one.is_taken(5));
  EXPECT_TRUE(one.take_place(5));
}

TEST(SharedMemoryName, DiffersWithEachPart) {
  const std::string name = SharedMemory::name_of({"wordpress", "wp_", "/wp-json/ratingd/v1"});
  EXPECT_EQ(name, SharedMemory::name_of({"wordpress", "wp_", "/wp-json/ratingd/v1"}));
  EXPECT_NE(name, SharedMemory::name_of({"wordpress", "wq_", "/wp-json/ratingd/v1"}));
  EXPECT_NE(name, SharedMemory::name_of({"wordpressw", "p_", "/wp-json/ratingd/v1"}));
  EXPECT_TRUE(name.starts_with('/'));
  EXPECT_EQ(name.find('/', 1), std::string::npos);
}

}  // namespace
