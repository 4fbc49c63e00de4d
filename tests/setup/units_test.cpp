#include "setup/units.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "setup/files.h"

namespace {

namespace fs = std::filesystem;

const setup::Site kSite = setup::site_named("");
const std::vector<std::string> kAll = {"ratingd.socket", "ratingd.target", "ratingd-maintain.timer",
                                       "ratingd@1.service", "ratingd@2.service"};
const std::string kReplaced =
    "restart ratingd@reload.service\nrestart ratingd@1.service\nrestart ratingd@2.service\n"
    "stop ratingd@reload.service\n";

// Replaces systemctl with a script that records its arguments. A systemctl command fails if the
// script's folder contains a file named after the command's arguments.
class Units : public ::testing::Test {
 protected:
  // Changing the environment is safe because no other thread uses it.
  void SetUp() override {
    std::string name = ::testing::TempDir() + "ratingd-units-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
    std::ofstream(folder_ / "systemctl") << "#!/bin/sh\n"
                                            "cd \"${0%/*}\"\n"
                                            "case $* in\n"
                                            "*is-*) test -e \"$2 $3\" ;;\n"
                                            "list-units*) cat workers ;;\n"
                                            "*) echo \"$*\" >>told\n"
                                            "  test ! -e \"interrupted $*\" || kill -INT $PPID\n"
                                            "  test ! -e \"$*\" ;;\n"
                                            "esac\n";
    fs::permissions(folder_ / "systemctl", fs::perms(0755));
    setenv("PATH", (name + ":" + path_).c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    fs::remove_all(folder_);
  }

  // Makes "systemctl is-active" or "systemctl is-enabled" succeed for the units in "units".
  void are(const std::string& state, const std::vector<std::string>& units) const {
    for (const std::string& unit : units) std::ofstream(folder_ / (state + " " + unit)) << "";
  }
  // Sets the workers that systemctl lists as running.
  void run(const std::vector<std::string>& workers) const {
    std::ofstream list(folder_ / "workers");
    for (const std::string& worker : workers) list << worker << " loaded active running Worker\n";
  }
  void fails(const std::string& words) const { std::ofstream(folder_ / words) << ""; }
  // Makes a systemctl command with the arguments "words" end as if an operator had interrupted it.
  void is_interrupted(const std::string& words) const { fails("interrupted " + words); }
  [[nodiscard]] static std::string error_of_replacing(const setup::Site& site) {
    try {
      static_cast<void>(setup::replace_workers(site));
      return {};
    } catch (const setup::Error& error) {
      return error.what();
    }
  }
  [[nodiscard]] std::string told() const {
    std::ifstream file(folder_ / "told");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(Units, AllAreEnabledAndStartedFirst) {
  const setup::Step step = setup::start_units(kSite, true);
  step.apply();
  EXPECT_EQ(told(),
            "enable --quiet ratingd.socket ratingd.target ratingd-maintain.timer\n"
            "start ratingd.socket ratingd.target ratingd-maintain.timer\n"
            "start ratingd@1.service ratingd@2.service\n");
  const std::string done = told();
  step.undo();
  EXPECT_EQ(told().substr(done.size()),
            "stop ratingd.socket ratingd.target ratingd-maintain.timer ratingd@1.service "
            "ratingd@2.service\n"
            "disable --quiet ratingd.socket ratingd.target ratingd-maintain.timer\n");
}

TEST_F(Units, ThatThePackageEnabledAreStartedWithTheTimer) {
  are("is-enabled", {kAll.begin(), kAll.begin() + 3});
  setup::start_units(kSite, true).apply();
  EXPECT_NE(told().find("start ratingd.socket ratingd.target ratingd-maintain.timer\n"),
            std::string::npos);
}

TEST_F(Units, NewSitesOfANetworkGetTablesByATimer) {
  are("is-enabled", {kAll.begin(), kAll.begin() + 3});
  are("is-active", kAll);
  const setup::Step step = setup::start_units(kSite, false, true);
  step.apply();
  EXPECT_NE(told().find("enable --quiet ratingd.socket ratingd.target ratingd-maintain.timer "
                        "ratingd-sites.timer\n"),
            std::string::npos)
      << told();
  const std::string done = told();
  step.undo();
  EXPECT_EQ(told().substr(done.size()),
            "stop ratingd-sites.timer\ndisable --quiet ratingd-sites.timer\n");
  are("is-enabled", {"ratingd-sites.timer"});
  are("is-active", {"ratingd-sites.timer"});
  EXPECT_TRUE(setup::start_units(kSite, false, true).actions.empty());
  EXPECT_NE(setup::stop_units(kSite).actions.front().find("ratingd-sites.timer"),
            std::string::npos);
}

TEST_F(Units, TimerThatWasDisabledStaysSo) {
  are("is-enabled", {"ratingd.socket", "ratingd.target"});
  are("is-active", {"ratingd.socket", "ratingd.target", "ratingd@1.service"});
  const setup::Step step = setup::start_units(kSite, false);
  step.apply();
  EXPECT_EQ(told().find("timer"), std::string::npos) << told();
  are("is-active", {"ratingd@2.service"});
  EXPECT_TRUE(setup::start_units(kSite, false).actions.empty());
}

TEST_F(Units, RunningWorkersAreReplacedForNewFilesAndThatRemains) {
  are("is-enabled", {kAll.begin(), kAll.begin() + 3});
  are("is-active", kAll);
  EXPECT_TRUE(setup::start_units(kSite, false).actions.empty());
  are("is-active", {"ratingd@reload.service"});
  run({"ratingd@1.service", "ratingd@2.service"});
  const setup::Step step = setup::start_units(kSite, true);
  step.apply();
  EXPECT_EQ(told(), kReplaced);
  EXPECT_NE(step.remains.find("ratingctl reload"), std::string::npos);
}

TEST_F(Units, ExtraWorkerOfABrokenReloadIsStartedAgain) {
  are("is-active", {"ratingd@reload.service", "ratingd@1.service", "ratingd@2.service"});
  run({"ratingd@1.service", "ratingd@2.service", "ratingd@reload.service"});
  const std::vector<std::string> expected = {"ratingd@1.service", "ratingd@2.service"};
  EXPECT_EQ(setup::replace_workers(kSite), expected);
  EXPECT_EQ(told(), kReplaced);
}

TEST_F(Units, NoWorkerIsReplacedIfTheFirstNewOneIsNotReady) {
  run({"ratingd@1.service", "ratingd@2.service"});
  fails("restart ratingd@reload.service");
  EXPECT_NE(error_of_replacing(kSite).find("ratingd@reload.service did not become ready"),
            std::string::npos);
  EXPECT_EQ(told(), "restart ratingd@reload.service\nstop ratingd@reload.service\n");
}

TEST_F(Units, NoWorkerIsReplacedIfTheFirstNewOneIsNotStarted) {
  run({"ratingd@1.service", "ratingd@2.service"});  // no worker is active, as if a condition failed
  EXPECT_NE(error_of_replacing(kSite), "");
  EXPECT_EQ(told(), "restart ratingd@reload.service\nstop ratingd@reload.service\n");
}

TEST_F(Units, ExtraWorkerStopsWhenTheOperatorInterrupts) {
  are("is-active", {"ratingd@reload.service", "ratingd@1.service", "ratingd@2.service"});
  run({"ratingd@1.service", "ratingd@2.service"});
  is_interrupted("restart ratingd@1.service");
  EXPECT_EQ(error_of_replacing(kSite), "interrupted\nNo further worker was replaced.");
  EXPECT_EQ(told(),
            "restart ratingd@reload.service\nrestart ratingd@1.service\n"
            "stop ratingd@reload.service\n");
}

TEST_F(Units, OthersAreKeptIfOneIsNotReady) {
  are("is-active", {"ratingd@reload.service", "ratingd@1.service", "ratingd@2.service"});
  run({"ratingd@1.service", "ratingd@2.service"});
  fails("restart ratingd@1.service");
  EXPECT_NE(error_of_replacing(kSite).find("ratingd@1.service did not become ready"),
            std::string::npos);
  EXPECT_EQ(told(),
            "restart ratingd@reload.service\nrestart ratingd@1.service\n"
            "stop ratingd@reload.service\n");
}

TEST_F(Units, WithoutWorkersThereIsNothingToReplace) {
  run({});
  EXPECT_NE(error_of_replacing(kSite).find("systemctl start ratingd.target"), std::string::npos);
  EXPECT_EQ(told(), "");
}

TEST_F(Units, RunningWorkersAreReplacedAlsoIfTheTimerWasStopped) {
  are("is-enabled", {kAll.begin(), kAll.begin() + 3});
  are("is-active", {"ratingd.socket", "ratingd.target", "ratingd@1.service", "ratingd@2.service",
                    "ratingd@reload.service"});
  run({"ratingd@1.service", "ratingd@2.service"});
  const setup::Step step = setup::start_units(kSite, true);
  step.apply();
  EXPECT_TRUE(told().ends_with(kReplaced)) << told();
  EXPECT_NE(told().find("start ratingd.socket ratingd.target ratingd-maintain.timer\n"),
            std::string::npos);
  step.undo();
  EXPECT_TRUE(told().ends_with("\nstop ratingd-maintain.timer\n")) << told();
}

TEST_F(Units, WebServerOfAnotherAccountMayConnect) {
  const setup::Site shop = setup::site_named("shop");
  const fs::path file = folder_ / "etc/systemd/system/ratingd-shop.socket.d/10-web-server.conf";
  EXPECT_TRUE(setup::let_connect(shop, "www-data", folder_).actions.empty());
  EXPECT_TRUE(setup::let_connect(shop, "no-such-account", folder_).actions.empty());
  const setup::Step step = setup::let_connect(shop, "daemon", folder_);
  ASSERT_EQ(step.actions.size(), 1U);
  EXPECT_NE(step.actions[0].find("the web server's account daemon"), std::string::npos);
  step.apply();
  EXPECT_EQ(setup::content_of(file),
            "# Made by \"ratingctl setup\"\n[Socket]\nSocketUser=daemon\n");
  EXPECT_TRUE(setup::let_connect(shop, "daemon", folder_).actions.empty());
  step.undo();
  EXPECT_FALSE(fs::exists(file.parent_path()));
  step.apply();
  setup::let_connect(shop, "www-data", folder_).apply();
  EXPECT_FALSE(fs::exists(file.parent_path()));
  step.apply();
  setup::remove_let_connect(shop, folder_).apply();
  EXPECT_FALSE(fs::exists(file.parent_path()));
  EXPECT_TRUE(setup::remove_let_connect(shop, folder_).actions.empty());
}

TEST_F(Units, SocketsAccountThatTheOperatorChoseIsKept) {
  const fs::path folder = folder_ / "etc/systemd/system/ratingd.socket.d";
  fs::create_directories(folder);
  std::ofstream(folder / "override.conf") << "[Socket]\nSocketUser=web\n";
  EXPECT_TRUE(setup::let_connect(kSite, "daemon", folder_).actions.empty());
}

TEST_F(Units, WorkersThatWereAddedAreFound) {
  const fs::path wants = folder_ / "etc/systemd/system/ratingd-shop.target.wants";
  fs::create_directories(wants);
  for (const char* name : {"ratingd-shop@4.service", "ratingd-shop@3.service", "other.service"}) {
    std::ofstream(wants / name) << "";
  }
  const std::vector<std::string> expected = {"ratingd-shop@3.service", "ratingd-shop@4.service"};
  EXPECT_EQ(setup::added_workers(setup::site_named("shop"), folder_), expected);
  EXPECT_TRUE(setup::added_workers(kSite, folder_).empty());
}

}  // namespace
