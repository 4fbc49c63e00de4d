// Tests the checks in lib/checks/checks.h and lib/checks/health_checks.h that workers run
// repeatedly for the `/health` endpoint.

#include "checks/health_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "config/config.h"
#include "support/clock.h"
#include "support/database.h"
#include "support/metrics_memory.h"

namespace {

using cms::Finding;
using cms::Health;

class HealthChecks : public ::testing::Test {
 protected:
  HealthChecks() {
    const db::Endpoint endpoint = database_.endpoint();
    config_.database.server = endpoint.server;
    config_.database.name = endpoint.schema;
    config_.database.user = endpoint.user;
    execute(
        "INSERT INTO wp_options (option_name, option_value) VALUES ('home', 'https://example.org'),"
        " ('siteurl', 'https://example.org'), ('timezone_string', 'Europe/Berlin'),"
        " ('using_application_passwords', '1')");
  }

  void execute(const std::string& statement) {
    db::Connection(database_.owner()).execute(statement);
  }
  std::vector<Finding> all(bool database_answers = true) {
    return checks_.findings(database_answers).value();
  }
  // Returns each warning and failure as text, for example "warn zone".
  std::vector<std::string> complaints(bool database_answers = true) {
    std::vector<std::string> found;
    for (const Finding& finding : all(database_answers)) {
      if (finding.health == Health::ok || finding.subject == "clock") continue;
      found.push_back(std::string(name_of(finding.health)) + " " + finding.subject);
    }
    return found;
  }
  void damage_a_setting() {
    execute("INSERT INTO wp_ratingd_settings VALUES ('cooldown_seconds', 'oops')");
  }

  support::FixedClock clock_{base::SystemClock().now()};
  const std::vector<std::string> none_;
  support::Database database_;
  support::MetricsMemory metrics_;
  config::Config config_;
  wordpress::WordPress cms_{config_};
  db::Pool sessions_{database_.endpoint(), 1};
  checks::HealthChecks checks_{{config_.database, cms_}, sessions_, metrics_.table(), clock_};
};

TEST_F(HealthChecks, CoverWhatNeedsNoRoot) {
  EXPECT_EQ(complaints(), none_);
  std::vector<std::string> subjects;
  for (const Finding& finding : all()) {
    subjects.push_back(finding.subject);
  }
  for (const char* subject :
       {"proxies", "browsers", "database", "schema", "address", "clock", "durability", "writes",
        "encryption", "rights", "engine", "zone", "settings"}) {
    EXPECT_GT(std::ranges::count(subjects, subject), 0) << subject;
  }
  EXPECT_EQ(std::ranges::count(subjects, "secret"), 0);
}

TEST_F(HealthChecks, WarnForADayIfAProgramVotesForSeveralPeople) {
  metrics_.metrics().record_network_changes(clock_.now());
  EXPECT_EQ(complaints(), std::vector<std::string>{"warn shared_votes"});
  clock_.advance(std::chrono::hours(25));
  EXPECT_EQ(complaints(), none_);
}

TEST_F(HealthChecks, WarnOfMissingHeadersAfterTwentyVotesInARow) {
  const auto vote = [&](bool shows_browser, int times) {
    for (int i = 0; i < times; ++i)
      metrics_.metrics().record_vote_time(shows_browser, clock_.now());
    clock_.advance(std::chrono::seconds(10));  // findings are cached for this long
  };
  vote(false, 1);  // the first vote in the guide, with curl
  EXPECT_EQ(complaints(), none_);
  vote(false, 18);
  EXPECT_EQ(complaints(), none_);
  vote(false, 1);
  EXPECT_EQ(complaints(), std::vector<std::string>{"warn browsers"});
  clock_.advance(std::chrono::hours(25));
  EXPECT_EQ(complaints(), none_);
  vote(false, 1);
  EXPECT_EQ(complaints(), std::vector<std::string>{"warn browsers"});
  vote(true, 1);
  vote(false, 19);
  EXPECT_EQ(complaints(), none_);
}

// For example, after a failover this server may be a replica of the new primary server.
TEST_F(HealthChecks, NameAServerThatDoesNotAcceptWrites) {
  execute("SET GLOBAL read_only = ON");
  const auto found = complaints();
  execute("SET GLOBAL read_only = OFF");
  EXPECT_EQ(found, std::vector<std::string>{"fail writes"}) << "the privileges are not known";
  clock_.advance(std::chrono::seconds(10));
  EXPECT_EQ(complaints(), none_);
}

TEST_F(HealthChecks, AreKeptForTenSeconds) {
  EXPECT_EQ(complaints(), none_);
  damage_a_setting();
  clock_.advance(std::chrono::seconds(9));
  EXPECT_EQ(complaints(), none_);
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ(complaints(), std::vector<std::string>{"warn settings"});
}

TEST_F(HealthChecks, WithoutTheDatabaseSayThatAndWhatNeedsNone) {
  EXPECT_EQ(complaints(), none_);
  EXPECT_EQ(complaints(false), std::vector<std::string>{"fail database"});
  EXPECT_EQ(complaints(), none_) << "the failure is not kept";
}

TEST_F(HealthChecks, UseANewSessionAfterTheirsWasClosed) {
  EXPECT_EQ(complaints(), none_);
  db::Connection owner(database_.owner());
  db::Rows sessions = owner.query("SELECT id FROM information_schema.processlist WHERE user = ?",
                                  database_.endpoint().user);
  while (sessions.next()) owner.execute("KILL " + std::to_string(sessions.integer(1)));
  damage_a_setting();
  clock_.advance(std::chrono::seconds(10));
  EXPECT_EQ(complaints(), std::vector<std::string>{"warn settings"});
}

TEST_F(HealthChecks, WithoutASessionAreOneFinding) {
  db::Endpoint endpoint = database_.endpoint();
  endpoint.server.socket = "/nowhere";
  db::Pool sessions(endpoint, 1);
  checks::HealthChecks checks({config_.database, cms_}, sessions, metrics_.table(), clock_);
  const auto found = checks.findings(true).value();
  EXPECT_EQ(found.back().subject, "database");
  EXPECT_EQ(found.back().health, Health::fail);
}

TEST_F(HealthChecks, LetOthersNotWait) {
  db::Connection owner(database_.owner());
  owner.execute("LOCK TABLES wp_options WRITE");
  std::thread first([&] { static_cast<void>(checks_.findings(true)); });
  const auto checks_run = [&] {
    db::Rows waiting = owner.query(
        "SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE 'Waiting for "
        "table%'");
    return waiting.next() && waiting.integer(1) > 0;
  };
  while (!checks_run()) std::this_thread::yield();
  EXPECT_FALSE(checks_.findings(true).has_value());
  owner.execute("UNLOCK TABLES");
  first.join();
  clock_.advance(std::chrono::seconds(10));
  EXPECT_EQ(complaints(), none_);
}

TEST_F(HealthChecks, EndAtTheTimeLimit) {
  db::Connection connection(database_.endpoint());
  std::vector<Finding> report;
  checks::check_database({config_.database, cms_}, connection, clock_.now(),
                         std::chrono::milliseconds(-1), report);
  const auto late = std::ranges::count_if(report, [](const Finding& finding) {
    return finding.health == Health::warn && finding.advice.pattern.empty() &&
           finding.message.text().starts_with("this check was skipped");
  });
  EXPECT_EQ(late, 10);
}

}  // namespace
