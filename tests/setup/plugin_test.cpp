#include "setup/plugin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "config/config.h"
#include "support/folder_test.h"
#include "support/tests_folder.h"

namespace {

namespace fs = std::filesystem;
using setup::Step;

class Plugin : public support::FolderTest {
 protected:
  [[nodiscard]] bool is_complete() const {
    return std::ranges::all_of(setup::plugin_files(), [&](const setup::PluginFile& file) {
      return text(std::string(file.name)) == file.content;
    });
  }
  [[nodiscard]] bool is_empty() const { return fs::is_empty(folder_.path()); }
};

TEST_F(Plugin, IsInstalledOnceAndAsOneStep) {
  const Step step = setup::install_plugin(folder_.path());
  ASSERT_EQ(step.actions.size(), 1U);
  EXPECT_NE(step.actions[0].find("ratingd-mu-loader.php and "), std::string::npos);
  step.apply();
  EXPECT_TRUE(is_complete());
  EXPECT_TRUE(text("ratingd/ratingd.php").starts_with("<?php"));
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
  EXPECT_EQ(text("ratingd/ratingd.php"), "another");
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

TEST_F(Plugin, CheckNamesTheVersionsOfPluginAndService) {
  const auto check = [&] {
    std::vector<cms::Finding> report;
    cms::Findings findings({"plugin"}, report);
    setup::check_plugin_in(path("mu-plugins"), "ratingctl setup", findings);
    return std::string(cms::name_of(report.at(0).health)) + " " + report[0].message.text();
  };
  const std::string own = RATINGD_VERSION;
  const std::string older = "<?php\n/**\n * Plugin Name: ratingd\n * Version: 0.2.1\n */";
  const std::string folder = folder_.path().string();
  EXPECT_TRUE(check().starts_with("warn WordPress has no plugin of ratingd"));
  put("plugins/ratingd/ratingd.php", older);
  EXPECT_EQ(check(), "ok version 0.2.1, an ordinary plugin in " + folder +
                         "/plugins; ratingd has version " + own);
  setup::install_plugin(path("mu-plugins")).apply();
  EXPECT_EQ(check(),
            "ok version " + own + ", as ratingd " + own + ", in " + folder + "/mu-plugins");
  put("mu-plugins/ratingd/ratingd.php", older);
  EXPECT_TRUE(check().starts_with("warn version 0.2.1: 1 of ")) << check();
  EXPECT_TRUE(check().ends_with("differ from those of ratingd " + own + ". Run: ratingctl setup"));
  put("mu-plugins/ratingd/ratingd.php", "<?php");
  EXPECT_TRUE(check().starts_with("warn version ?: 1 of ")) << check();
}

TEST_F(Plugin, CheckIsForSitesOfSetup) {
  config::Config config;
  config.secret_file = path("secret");
  std::vector<cms::Finding> report;
  setup::check_plugin(config, report);
  EXPECT_TRUE(report.empty());
}

}  // namespace
