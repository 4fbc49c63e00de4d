#include "setup/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iterator>
#include <string>

#include "support/folder_test.h"

namespace {

namespace fs = std::filesystem;
using setup::Step;

class Files : public support::FolderTest {
 protected:
  [[nodiscard]] mode_t mode(const std::string& name) const {
    struct stat status {};
    return stat(path(name).c_str(), &status) == 0 ? status.st_mode & 07777U : 0U;
  }
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }
};

TEST_F(Files, NewFileHasItsModeAndIsGoneWhenUndone) {
  const Step step = setup::write_file(path("a"), "secret\n", 0600, "a password");
  EXPECT_EQ(step.actions.front(), "write " + path("a").string() + " (0600): a password");
  EXPECT_EQ(count(), 0U);
  step.apply();
  EXPECT_EQ(text("a"), "secret\n");
  EXPECT_EQ(mode("a"), 0600U);
  EXPECT_EQ(count(), 1U);  // there is no other file beside it
  step.undo();
  EXPECT_EQ(count(), 0U);
}

TEST_F(Files, NewFolderMayBelongToTheOwnerOfTheFolderThatItIsIn) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give folders away";
  constexpr uid_t kCustomer = 33;
  ASSERT_EQ(chown(folder_.path().c_str(), kCustomer, kCustomer), 0);
  const auto owner = [&](const std::string& name) {
    struct stat status {};
    return stat(path(name).c_str(), &status) == 0 ? status.st_uid : 0;
  };
  const Step step = setup::create_folder(path("a/b"), setup::FolderOwner::as_parent);
  step.apply();
  EXPECT_EQ(owner("a"), kCustomer);
  EXPECT_EQ(owner("a/b"), kCustomer);
  EXPECT_EQ(mode("a/b"), 0755U);
  step.undo();
  EXPECT_EQ(count(), 0U);
  setup::create_folder(path("c")).apply();
  EXPECT_EQ(owner("c"), 0U);
}

TEST_F(Files, ReplacedFileIsWhatItWasWhenUndone) {
  put("a", "old");
  fs::permissions(path("a"), fs::perms(0640));
  const Step step = setup::write_file(path("a"), "new", 0644, "");
  EXPECT_TRUE(step.actions.front().starts_with("replace "));
  step.apply();
  EXPECT_EQ(text("a"), "new");
  EXPECT_EQ(mode("a"), 0644U);
  step.undo();
  EXPECT_EQ(text("a"), "old");
  EXPECT_EQ(mode("a"), 0640U);
}

TEST_F(Files, FileThatIsAsItShouldBeIsNoStep) {
  setup::write_file(path("a"), "text", 0644, "").apply();
  EXPECT_TRUE(setup::write_file(path("a"), "text", 0644, "").actions.empty());
  EXPECT_FALSE(setup::write_file(path("a"), "text", 0600, "").actions.empty());
  EXPECT_FALSE(setup::write_file(path("a"), "other", 0644, "").actions.empty());
}

TEST_F(Files, CreatedFileNeverReplacesOne) {
  put("a", "of the operator");
  EXPECT_TRUE(setup::create_file(path("a"), "new", 0600, "").actions.empty());
  EXPECT_FALSE(setup::create_file(path("b"), "new", 0600, "").actions.empty());
}

TEST_F(Files, EditedFileKeepsItsModeAndTheLinkToIt) {
  put("a", "old");
  fs::permissions(path("a"), fs::perms(0664));
  fs::create_symlink("a", path("link"));
  const Step step = setup::edit_file(path("link"), "new", "edit it");
  step.apply();
  EXPECT_EQ(text("a"), "new");
  EXPECT_EQ(mode("a"), 0664U);
  EXPECT_TRUE(fs::is_symlink(path("link")));
  step.undo();
  EXPECT_EQ(text("a"), "old");
}

TEST_F(Files, LinkIsChangedAndBackAgain) {
  setup::link_file(path("link"), "/one").apply();
  EXPECT_TRUE(setup::link_file(path("link"), "/one").actions.empty());
  const Step step = setup::link_file(path("link"), "/two");
  step.apply();
  EXPECT_EQ(fs::read_symlink(path("link")), "/two");
  step.undo();
  EXPECT_EQ(fs::read_symlink(path("link")), "/one");
}

TEST_F(Files, RemovedFileComesBackWithItsModeWhenUndone) {
  EXPECT_TRUE(setup::remove_file(path("a")).actions.empty());
  put("a", "text");
  fs::permissions(path("a"), fs::perms(0600));
  const Step step = setup::remove_file(path("a"));
  step.apply();
  EXPECT_EQ(count(), 0U);
  step.undo();
  EXPECT_EQ(text("a"), "text");
  EXPECT_EQ(mode("a"), 0600U);
}

TEST_F(Files, RemovedFileComesBackWithItsFolder) {
  fs::create_directory(path("folder"));
  put("folder/a", "text");
  const Step file = setup::remove_file(path("folder/a"));
  const Step folder = setup::remove_empty_folder(path("folder"));
  file.apply();
  folder.apply();
  EXPECT_EQ(count(), 0U);
  folder.undo();
  file.undo();
  EXPECT_EQ(text("folder/a"), "text");
}

TEST_F(Files, FoldersThatWereMissingAreRemovedWhenUndone) {
  const Step step = setup::create_folder(path("one/two/three"));
  const mode_t before = umask(077);
  step.apply();
  umask(before);
  EXPECT_EQ(mode("one/two/three"), 0755U);
  EXPECT_EQ(mode("one"), 0755U);
  EXPECT_TRUE(setup::create_folder(path("one/two")).actions.empty());
  step.undo();
  EXPECT_EQ(count(), 0U);
}

TEST_F(Files, FolderThatIsInUseIsNotRemoved) {
  fs::create_directory(path("folder"));
  put("folder/a", "text");
  const Step step = setup::remove_empty_folder(path("folder"));
  step.apply();
  EXPECT_TRUE(fs::exists(path("folder/a")));
  fs::remove(path("folder/a"));
  step.apply();
  EXPECT_FALSE(fs::exists(path("folder")));
  step.undo();
  EXPECT_TRUE(fs::is_directory(path("folder")));
}

TEST_F(Files, LinkInPlaceOfTheFolderIsNotFollowed) {
  fs::create_directory(path("elsewhere"));
  fs::create_directory_symlink(path("elsewhere"), path("folder"));
  if (lchown(path("folder").c_str(), 12345, 12345) != 0) GTEST_SKIP() << "needs root";
  EXPECT_THROW((void)setup::write_file(path("folder/a"), "text", 0644, ""), std::runtime_error);
  EXPECT_THROW((void)setup::create_folder(path("folder/a")), std::runtime_error);
  EXPECT_THROW((void)setup::state_of(path("folder/a")), std::runtime_error);
}

TEST_F(Files, FolderThatBecomesALinkIsNotFollowed) {
  fs::create_directory(path("folder"));
  fs::create_directory(path("elsewhere"));
  const Step file = setup::write_file(path("folder/a"), "text", 0644, "");
  const Step folder = setup::create_folder(path("folder/b"));
  fs::rename(path("folder"), path("kept"));
  fs::create_directory_symlink(path("elsewhere"), path("folder"));
  if (lchown(path("folder").c_str(), 12345, 12345) != 0) GTEST_SKIP() << "needs root";
  EXPECT_THROW(file.apply(), std::runtime_error);
  EXPECT_THROW(folder.apply(), std::runtime_error);
  EXPECT_TRUE(fs::is_empty(path("elsewhere")));
}

TEST_F(Files, UndoneIsWhatWasDoneEvenIfItsFolderWasExchanged) {
  fs::create_directory(path("folder"));
  put("folder/a", "old");
  const Step step = setup::write_file(path("folder/a"), "new", 0644, "");
  step.apply();
  fs::rename(path("folder"), path("kept"));
  fs::create_directory(path("folder"));
  step.undo();
  EXPECT_EQ(text("kept/a"), "old");
  EXPECT_TRUE(fs::is_empty(path("folder")));
}

TEST_F(Files, LinkInPlaceOfTheFileIsReplacedAndWhatItNamesIsNotRead) {
  put("other", "of somebody else");
  fs::create_symlink("other", path("a"));
  EXPECT_EQ(setup::state_of(path("a")).content, "other");
  const Step step = setup::write_file(path("a"), "text", 0644, "");
  step.apply();
  EXPECT_FALSE(fs::is_symlink(path("a")));
  EXPECT_EQ(text("other"), "of somebody else");
  step.undo();
  EXPECT_EQ(fs::read_symlink(path("a")), "other");
}

TEST_F(Files, PipeIsNotWaitedFor) {
  ASSERT_EQ(mkfifo(path("a").c_str(), 0600), 0);
  EXPECT_THROW((void)setup::state_of(path("a")), std::runtime_error);
}

TEST_F(Files, FileWithoutEndIsNotRead) {
  put("a", "");
  fs::resize_file(path("a"), std::uintmax_t{1} << 40U);
  EXPECT_THROW(static_cast<void>(setup::state_of(path("a"))), std::runtime_error);
  EXPECT_THROW(static_cast<void>(setup::content_of(path("a"))), std::runtime_error);
}

TEST_F(Files, FileThatChangedMeanwhileIsKept) {
  put("a", "old");
  const Step edit = setup::edit_file(path("a"), "new", "edit it");
  const Step create = setup::create_file(path("b"), "new", 0600, "");
  put("a", "of the operator");
  put("b", "of the operator");
  for (const Step& step : {edit, create}) {
    EXPECT_THROW(step.apply(), setup::Error);
    step.undo();
  }
  EXPECT_EQ(text("a"), "of the operator");
  EXPECT_EQ(text("b"), "of the operator");
}

TEST_F(Files, FileOfSomebodyElseBecomesRoots) {
  put("a", "text");
  if (chown(path("a").c_str(), 12345, 12345) != 0) GTEST_SKIP() << "needs root";
  const Step step = setup::write_file(path("a"), "text", 0644, "");
  step.apply();
  EXPECT_EQ(setup::state_of(path("a")).user, 0U);
  step.undo();
  EXPECT_EQ(setup::state_of(path("a")).user, 12345U);
}

TEST_F(Files, StepThatFailsChangesNothing) {
  const Step step = setup::write_file(path("nowhere/a"), "text", 0644, "");
  EXPECT_THROW(step.apply(), std::runtime_error);
  EXPECT_NO_THROW(step.undo());
  EXPECT_EQ(count(), 0U);
}

}  // namespace
