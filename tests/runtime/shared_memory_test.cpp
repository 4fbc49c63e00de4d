#include "runtime/shared_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "support/memory_folder.h"

namespace {

using runtime::SharedMemory;
using Counter = std::atomic<std::uint64_t>;

class SharedMemoryTest : public testing::Test {
 protected:
  static unsigned mode_of(const std::filesystem::path& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
  }
  void make_file(mode_t mode) const {
    std::filesystem::create_directory(directory_);
    std::filesystem::permissions(directory_, std::filesystem::perms::owner_all);
    const int file = open(path_.c_str(), O_RDWR | O_CREAT, 0600);
    ASSERT_EQ(fchmod(file, mode), 0);
    close(file);
  }
  // Returns the error message if the memory cannot be opened, or an empty string if it can.
  [[nodiscard]] std::string refusal() const {
    try {
      const SharedMemory memory(path_, 4096);
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  const support::MemoryFolder folder_;
  const std::filesystem::path directory_ = folder_.path() / "shared";
  const std::filesystem::path path_ = directory_ / "one";
  const std::filesystem::path other_path_ = directory_ / "other";
};

TEST_F(SharedMemoryTest, BeginsAsZeros) {
  const SharedMemory memory(path_, 8192);
  EXPECT_EQ(memory.as<Counter>(), 0U);
}

TEST_F(SharedMemoryTest, IsSharedByName) {
  const SharedMemory one(path_, 4096);
  const SharedMemory same(path_, 4096);
  one.as<Counter>() = 7;
  EXPECT_EQ(same.as<Counter>(), 7U);
}

TEST_F(SharedMemoryTest, SegmentsOfDifferentNamesDoNotMeet) {
  const SharedMemory one(path_, 4096);
  const SharedMemory other(other_path_, 4096);
  one.as<Counter>() = 7;
  EXPECT_EQ(other.as<Counter>(), 0U);
}

TEST_F(SharedMemoryTest, OutlivesItsUsers) {
  { SharedMemory(path_, 4096).as<Counter>() = 7; }
  EXPECT_EQ(SharedMemory(path_, 4096).as<Counter>(), 7U);
}

TEST_F(SharedMemoryTest, AfterRemovalANewOneBegins) {
  { SharedMemory(path_, 4096).as<Counter>() = 7; }
  EXPECT_TRUE(SharedMemory::remove(path_));
  EXPECT_FALSE(SharedMemory::remove(path_));
  EXPECT_EQ(SharedMemory(path_, 4096).as<Counter>(), 0U);
}

TEST_F(SharedMemoryTest, IsOfItsUserAloneAndSoIsItsDirectory) {
  const SharedMemory memory(path_, 4096);
  EXPECT_EQ(mode_of(path_), 0600U);
  EXPECT_EQ(mode_of(directory_), 0700U);
}

TEST_F(SharedMemoryTest, RefusesASegmentThatIsOpenToOthers) {
  make_file(0660);
  EXPECT_NE(refusal().find("/shared/one: is open to other users"), std::string::npos) << refusal();
  EXPECT_EQ(SharedMemory::open_read_only(path_, 0).error(), EINVAL);
}

TEST_F(SharedMemoryTest, RefusesADirectoryThatIsOpenToOthers) {
  make_file(0600);
  for (const mode_t mode : {0770U, 0702U, 01777U}) {
    ASSERT_EQ(chmod(directory_.c_str(), mode), 0);
    EXPECT_NE(refusal().find("/shared: is open to other users"), std::string::npos) << refusal();
    EXPECT_EQ(SharedMemory::open_read_only(path_, 0).error(), EINVAL);
  }
}

TEST_F(SharedMemoryTest, RefusesSymbolicLinks) {
  make_file(0600);
  std::filesystem::create_symlink(path_, other_path_);
  EXPECT_THROW(SharedMemory(other_path_, 4096), std::runtime_error);
  EXPECT_EQ(SharedMemory::open_read_only(other_path_, 0).error(), ELOOP);
  std::filesystem::create_symlink(directory_, folder_.path() / "link");
  EXPECT_THROW(SharedMemory(folder_.path() / "link/one", 4096), std::runtime_error);
  EXPECT_FALSE(SharedMemory::open_read_only(folder_.path() / "link/one", 0));
}

TEST_F(SharedMemoryTest, RefusesWhatBelongsToAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  constexpr uid_t kNobody = 65534;
  make_file(0600);
  ASSERT_EQ(chown(path_.c_str(), kNobody, kNobody), 0);
  EXPECT_NE(refusal().find("/shared/one: belongs to user 65534"), std::string::npos) << refusal();
  EXPECT_EQ(SharedMemory::open_read_only(path_, 0).error(), EINVAL);
  ASSERT_EQ(chown(directory_.c_str(), kNobody, kNobody), 0);
  EXPECT_NE(refusal().find("/shared: belongs to user 65534"), std::string::npos) << refusal();
  EXPECT_TRUE(SharedMemory::open_read_only(path_, 0).error() !=
              EACCES);  // root may open it if both belong to the same user
}

TEST_F(SharedMemoryTest, NeedsTheParentOfItsDirectory) {
  EXPECT_THROW(SharedMemory(directory_ / "missing/one", 4096), std::runtime_error);
  EXPECT_EQ(SharedMemory::open_read_only(path_, 4096).error(), ENOENT);
  EXPECT_FALSE(SharedMemory::remove(path_));
}

TEST_F(SharedMemoryTest, RefusesASegmentOfAnotherSizeAndLeavesItAsItIs) {
  const SharedMemory memory(path_, 4096);
  EXPECT_THROW(SharedMemory(path_, 8192), std::runtime_error);
  EXPECT_NO_THROW(SharedMemory(path_, 4096));
}

TEST_F(SharedMemoryTest, SizeBeyondTheHostsMemoryIsRefused) {
  EXPECT_THROW(SharedMemory(path_, 1ULL << 50U), std::runtime_error);
}

TEST_F(SharedMemoryTest, OpensOnlyAValidExistingSegmentReadOnly) {
  EXPECT_EQ(SharedMemory::open_read_only(path_, 4096).error(), ENOENT);
  const SharedMemory memory(path_, 4096);
  memory.as<Counter>() = 7;
  const auto seen = SharedMemory::open_read_only(path_, 4096);
  ASSERT_TRUE(seen);
  EXPECT_EQ((*seen)->as<Counter>(), 7U);
  EXPECT_EQ(SharedMemory::open_read_only(path_, 8192).error(), EINVAL);
}

TEST_F(SharedMemoryTest, LookingMakesNoSegment) {
  EXPECT_FALSE(SharedMemory::open_read_only(path_, 4096));
  EXPECT_FALSE(SharedMemory::remove(path_));
}

TEST_F(SharedMemoryTest, SlotIsLockedUntilItsHolderEnds) {
  const SharedMemory one(path_, 4096);
  {
    const SharedMemory other(path_, 4096);
    EXPECT_TRUE(other.lock_slot(5));
    EXPECT_TRUE(one.is_locked_elsewhere(5));
    EXPECT_FALSE(one.lock_slot(5));
    EXPECT_FALSE(other.is_locked_elsewhere(5));  // another process locks it
    EXPECT_TRUE(one.lock_slot(6));
  }
  EXPECT_FALSE(one.is_locked_elsewhere(5));
  EXPECT_TRUE(one.lock_slot(5));
}

TEST(SharedMemoryName, DiffersWithEachPart) {
  const std::string name = SharedMemory::name_of({"wordpress", "wp_", "/wp-json/ratingd/v1"});
  EXPECT_EQ(name, SharedMemory::name_of({"wordpress", "wp_", "/wp-json/ratingd/v1"}));
  EXPECT_NE(name, SharedMemory::name_of({"wordpress", "wq_", "/wp-json/ratingd/v1"}));
  EXPECT_NE(name, SharedMemory::name_of({"wordpressw", "p_", "/wp-json/ratingd/v1"}));
  EXPECT_EQ(name.find('/'), std::string::npos);
}

}  // namespace
