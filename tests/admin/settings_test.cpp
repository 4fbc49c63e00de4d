#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/settings_store.h"
#include "support/ratingctl.h"

namespace {

using support::has;
using support::Outcome;

class Settings : public ::testing::Test {
 protected:
  Outcome run(const std::vector<std::string>& words, const config::CommandFlags& flags = {}) {
    return support::run_ratingctl(config_, words, flags);
  }
  void damage() {
    db::Connection(database_.endpoint())
        .execute("REPLACE INTO wp_ratingd_settings VALUES ('cooldown_seconds', 'oops')");
  }

  support::Database database_;
  config::Config config_ = support::config_for(database_.endpoint());
};

TEST_F(Settings, GetShowsAllOrOne) {
  const Outcome all = run({"settings", "get"});
  EXPECT_EQ(all.status, 0);
  EXPECT_TRUE(all.out.starts_with("enabled=true\nenabled_categories=binary,bipolar,scale\n"))
      << all.out;
  const Outcome one = run({"settings", "get", "voter_cookie_days"});
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(one.out, "365\n");
}

TEST_F(Settings, SetChangesWhatItNames) {
  const Outcome set =
      run({"settings", "set", "enabled=0", "blocked_agents=bot=1, x y", "revote=never"});
  EXPECT_EQ(set.status, 0) << set.err;
  EXPECT_EQ(set.out, "blocked_agents=bot=1,x y\nenabled=false\nrevote=never\n");
  EXPECT_EQ(run({"settings", "get", "blocked_agents"}).out, "bot=1,x y\n");
}

TEST_F(Settings, WhatGetShowsSetTakes) {
  std::vector<std::string> words = {"settings", "set"};
  const std::string shown = run({"settings", "get"}).out;
  for (std::size_t line = 0; line < shown.size(); line = shown.find('\n', line) + 1) {
    words.push_back(shown.substr(line, shown.find('\n', line) - line));
  }
  EXPECT_EQ(run(words).status, 0);
  EXPECT_EQ(run({"settings", "get"}).out, shown);
}

TEST_F(Settings, TemplateHasToExist) {
  const Outcome set = run({"settings", "set", "default_template_binary=simple/nothere"});
  EXPECT_EQ(set.status, 2);
  EXPECT_EQ(set.err, "default_template_binary must be one of simple/heart.\n");
  EXPECT_EQ(run({"settings", "get", "default_template_binary"}).out, "simple/heart\n");
}

TEST_F(Settings, OneWrongWordChangesNothing) {
  const Outcome set = run({"settings", "set", "enabled=false", "cooldown_seconds=3601", "revote",
                           "require_logins=1", "require_login=1", "require_login=0"});
  EXPECT_EQ(set.status, 2);
  EXPECT_EQ(set.out, "");
  EXPECT_TRUE(
      set.err.starts_with("cooldown_seconds must be a whole number from 0 to 3600.\n"
                          "revote is not name=value.\n"
                          "There is no require_logins setting. The most similar setting names "
                          "are require_login,"))
      << set.err;
  EXPECT_TRUE(set.err.ends_with("require_login is given twice.\n")) << set.err;
  EXPECT_EQ(run({"settings", "get", "enabled"}).out, "true\n");
}

TEST_F(Settings, ResetRestoresDefaultsAndRemovesDamagedRows) {
  run({"settings", "set", "enabled=false"});
  damage();
  const Outcome reset = run({"settings", "reset", "enabled", "cooldown_seconds"});
  EXPECT_EQ(reset.status, 0);
  EXPECT_EQ(reset.out, "enabled=true\ncooldown_seconds=0\n");
  EXPECT_EQ(run({"settings", "get"}).status, 0);
}

TEST_F(Settings, SetReplacesADamagedRow) {
  damage();
  const Outcome set = run({"settings", "set", "cooldown_seconds=0"});
  EXPECT_EQ(set.status, 0) << set.err;
  EXPECT_EQ(set.out, "cooldown_seconds=0\n");
  EXPECT_EQ(run({"settings", "get"}).status, 0);
}

TEST_F(Settings, ResetOfAllRemovesEveryRow) {
  const std::string defaults = run({"settings", "get"}).out;
  run({"settings", "set", "enabled=false", "blocked_agents=bot"});
  damage();
  db::Connection(database_.endpoint())
      .execute("INSERT INTO wp_ratingd_settings VALUES ('unknown_setting', '1')");
  const Outcome reset = run({"settings", "reset"}, {{"all", "yes"}});
  EXPECT_EQ(reset.status, 0) << reset.err;
  EXPECT_EQ(reset.out, defaults);
  const Outcome get = run({"settings", "get"});
  EXPECT_EQ(get.status, 0) << get.err;
  EXPECT_EQ(get.out, defaults);
}

TEST_F(Settings, ResetTakesEitherNamesOrAll) {
  run({"settings", "set", "enabled=false"});
  const Outcome neither = run({"settings", "reset"});
  const Outcome both = run({"settings", "reset", "enabled"}, {{"all", "yes"}});
  for (const Outcome& outcome : {neither, both}) {
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err, "ratingctl: settings reset takes either names of settings or --all.\n");
  }
  EXPECT_EQ(run({"settings", "get", "enabled"}).out, "false\n");
}

TEST_F(Settings, GetTellsOfDamagedRows) {
  damage();
  const Outcome get = run({"settings", "get"});
  EXPECT_EQ(get.status, 1);
  EXPECT_TRUE(has(get.err, "ratingctl settings reset cooldown_seconds"));
}

TEST_F(Settings, UnknownNamesAreToldWithTheNearest) {
  for (const char* command : {"get", "reset"}) {
    const Outcome outcome = run({"settings", command, "enable"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(outcome.err.starts_with(
        "There is no enable setting. The most similar setting names are enabled,"))
        << outcome.err;
  }
}

TEST_F(Settings, OtherWordsGetTheHelp) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"settings"}, {"settings", "put"}, {}}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(has(outcome.err, "settings set"));
  }
}

TEST_F(Settings, TooFewOrTooManyArgumentsGetTheUsageOfTheCommand) {
  EXPECT_EQ(run({"settings", "set"}).err,
            "ratingctl: settings set requires an argument.\n"
            "Usage: ratingctl settings set [OPTION ...] NAME=VALUE ...\n"
            "Help: ratingctl settings set --help\n");
  EXPECT_EQ(run({"settings", "get", "a", "b"}).err,
            "ratingctl: settings get has too many arguments.\n"
            "Usage: ratingctl settings get [NAME]\n"
            "       ratingctl settings get --all-sites\n"
            "Help: ratingctl settings get --help\n");
  EXPECT_EQ(run({"migrate", "now"}).status, 2);
}

}  // namespace
