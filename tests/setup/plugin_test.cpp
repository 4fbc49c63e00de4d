#include "setup/plugin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "support/memory_folder.h"
#include "support/tests_folder.h"

namespace {

namespace fs = std::filesystem;
using setup::Step;

class Plugin : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path path(const std::string& name) const { return folder_.path() / name; }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  [[nodiscard]] static std::string text(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  [[nodiscard]] bool is_complete() const {
    return std::ranges::all_of(setup::plugin_files(), [&](const setup::PluginFile& file) {
      return text(path(std::string(file.name))) == file.content;
    });
  }
  [[nodiscard]] bool is_empty() const { return fs::is_empty(folder_.path()); }

  const support::MemoryFolder folder_;
};

TEST_F(Plugin, IsInstalledOnceAndAsOneStep) {
  const Step step = setup::install_plugin(folder_.path());
  ASSERT_EQ(step.actions.size(), 1U);
  EXPECT_NE(step.actions[0].find("ratingd-mu-loader.php and "), std::string::npos);
  step.apply();
  EXPECT_TRUE(is_complete());
  EXPECT_TRUE(text(path("ratingd/ratingd.php")).starts_with("<?php"));
  EXPECT_TRUE(setup::install_plugin(folder_.path()).actions.empty());
  step.undo();
  EXPECT_TRUE(is_empty());
}

TEST_F(Plugin, OfAnotherVersionIsReplacedAndComesBackWhenUndone) {
  setup::install_plugin(folder_.path()).apply();
  put("ratingd/ratingd.php", "another");
  const Step step = setup::install_plugin(folder_.path());
  ASSERT_EQ(step.actions.size(), 1U);
  EXPECT_NE(step.actions[0].find("(1 of "), std::string::npos) << step.actions[0];
  step.apply();
  EXPECT_TRUE(is_complete());
  step.undo();
  EXPECT_EQ(text(path("ratingd/ratingd.php")), "another");
}

TEST_F(Plugin, LoaderIsWrittenLast) {
  const Step step = setup::install_plugin(folder_.path());
  fs::create_symlink("/nowhere", path("ratingd-mu-loader.php"));
  EXPECT_THROW(step.apply(), setup::Error);
  EXPECT_TRUE(fs::exists(path("ratingd/ratingd.php")));
  step.undo();
  EXPECT_FALSE(fs::exists(path("ratingd")));
}

TEST_F(Plugin, RemovalLeavesOtherFiles) {
  setup::install_plugin(folder_.path()).apply();
  put("another.php", "");
  put("ratingd/own.php", "");
  const Step step = setup::remove_plugin(folder_.path());
  step.apply();
  EXPECT_TRUE(fs::exists(path("another.php")));
  EXPECT_TRUE(fs::exists(path("ratingd/own.php")));
  EXPECT_FALSE(fs::exists(path("ratingd/includes")));
  EXPECT_FALSE(fs::exists(path("ratingd-mu-loader.php")));
  step.undo();
  EXPECT_TRUE(is_complete());
}

TEST_F(Plugin, RemovalLeavesNothingOfIt) {
  setup::install_plugin(folder_.path()).apply();
  setup::remove_plugin(folder_.path()).apply();
  EXPECT_TRUE(is_empty());
  EXPECT_TRUE(setup::remove_plugin(folder_.path()).actions.empty());
}

TEST_F(Plugin, OldOneIsRemovedUnlessSomebodyChangedIt) {
  const std::string old = support::text_in_tests("fixtures/ratingd-widgets.php");
  EXPECT_TRUE(setup::remove_old_plugin(folder_.path()).actions.empty());
  put("ratingd-widgets.php", old);
  setup::remove_old_plugin(folder_.path()).apply();
  EXPECT_TRUE(is_empty());
  put("ratingd-widgets.php", old + "// changed\n");
  EXPECT_TRUE(setup::remove_old_plugin(folder_.path()).actions.empty());
}

TEST_F(Plugin, CheckIsForSitesOfSetup) {
  config::Config config;
  config.secret_file = path("secret");
  std::vector<cms::Finding> report;
  setup::check_plugin(config, report);
  EXPECT_TRUE(report.empty());
}

TEST(StepsAsOne, UndoWhatTheyBegan) {
  std::string log;
  const auto step = [&](const std::string& name, bool throws) {
    return Step{{name},
                [&log, name, throws] {
                  log += "+" + name;
                  if (throws) throw std::runtime_error(name);
                },
                [&log, name] { log += "-" + name; }};
  };
  const Step one =
      setup::as_one({step("a", false), Step{}, step("b", true), step("c", false)}, "x");
  EXPECT_EQ(one.actions, std::vector<std::string>{"x"});
  EXPECT_THROW(one.apply(), std::runtime_error);
  one.undo();
  EXPECT_EQ(log, "+a+b-b-a");
  EXPECT_TRUE(setup::as_one({Step{}}, "x").actions.empty());
}

}  // namespace
