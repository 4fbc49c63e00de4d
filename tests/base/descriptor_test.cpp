#include "base/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>

#include "support/memory_folder.h"

namespace {

namespace fs = std::filesystem;

class ForeignFile : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path file(const std::string& name, const std::string& text) const {
    fs::create_directories((folder() / name).parent_path());
    std::ofstream(folder() / name) << text;
    return folder() / name;
  }
  [[nodiscard]] fs::path link(const std::string& name, const fs::path& target, uid_t owner) const {
    fs::create_symlink(target, folder() / name);
    EXPECT_EQ(lchown((folder() / name).c_str(), owner, owner), 0);
    return folder() / name;
  }
  [[nodiscard]] const fs::path& folder() const { return folder_.path(); }

  static std::string content(const fs::path& path) {
    const base::Descriptor file = base::open_foreign_file(path);
    std::array<char, 64> text{};
    const ssize_t size = file.is_open() ? read(file.number(), text.data(), text.size()) : -1;
    return size < 0 ? "errno " + std::to_string(errno)
                    : std::string(text.data(), static_cast<std::size_t>(size));
  }

 private:
  const support::MemoryFolder folder_;
};

const std::string kRefused = "errno " + std::to_string(EPERM);
const std::string kNoFile = "errno " + std::to_string(EINVAL);

TEST_F(ForeignFile, IsRead) {
  EXPECT_EQ(content(file("a", "text")), "text");
  EXPECT_EQ(content(link("b", "a", geteuid())), "text");
  EXPECT_EQ(content(folder() / "missing"), "errno " + std::to_string(ENOENT));
  EXPECT_EQ(content("/dev/null"), "");
}

TEST_F(ForeignFile, PipesAndFoldersAreRefusedAtOnce) {
  ASSERT_EQ(mkfifo((folder() / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(content(folder() / "pipe"), kNoFile);
  EXPECT_EQ(content(folder()), kNoFile);
}

// Creates a symbolic link owned by another user, who wants root to follow the link and read its
// target.
class LinkOfSomebodyElse : public ForeignFile {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can make links of others";
  }
  static constexpr uid_t kCustomer = 12345;
  static constexpr uid_t kOther = 12346;
};

TEST_F(LinkOfSomebodyElse, IsFollowedToTheirOwnFiles) {
  const fs::path own = file("own", "mine");
  ASSERT_EQ(chown(own.c_str(), kCustomer, kCustomer), 0);
  EXPECT_EQ(content(link("link", own, kCustomer)), "mine");
  EXPECT_EQ(content(link("of_root", "link", 0)), "mine");
}

TEST_F(LinkOfSomebodyElse, IsNotFollowedToOthers) {
  const fs::path other = file("other/file", "secret");
  EXPECT_EQ(content(link("to_root", other, kCustomer)), kRefused);
  ASSERT_EQ(chown(other.c_str(), kOther, kOther), 0);
  EXPECT_EQ(content(link("link", other, kCustomer)), kRefused);
  EXPECT_EQ(content(link("relative", "other/file", kCustomer)), kRefused);
  EXPECT_EQ(content(link("folder", "other", kCustomer) / "file"), kRefused);
  EXPECT_EQ(content(link("of_root", "link", 0)), kRefused);
  EXPECT_EQ(content(link("kernel", "/proc/kmsg", kCustomer)), kRefused);
}

// Closes standard input in a child process. The child's exit status is 0 if the test succeeds.
TEST(StandardStreams, ThatAreClosedAreNotTakenByOtherFiles) {
  const auto take_input = [] {
    close(STDIN_FILENO);
    base::open_standard_streams();
    const base::Descriptor next(open("/dev/null", O_RDONLY | O_CLOEXEC));
    char byte = 0;
    const bool is_unreadable = read(STDIN_FILENO, &byte, 1) < 0;
    std::_Exit(next.number() > STDERR_FILENO && is_unreadable ? 0 : 1);
  };
  EXPECT_EXIT(take_input(), ::testing::ExitedWithCode(0), "");
}

TEST_F(LinkOfSomebodyElse, MayNotGoInCircles) {
  const fs::path circle = link("circle", "circle", kCustomer);
  EXPECT_EQ(content(circle), "errno " + std::to_string(ELOOP));
}

}  // namespace
