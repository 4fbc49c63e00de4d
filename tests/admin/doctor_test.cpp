#include "admin/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "config/command_line.h"
#include "config/config.h"
#include "identity/secrets.h"
#include "rollups/rollup_state.h"
#include "runtime/metrics.h"
#include "support/clock.h"
#include "support/ratingctl.h"

namespace {

using cms::Finding;
using cms::Health;
using support::FixedClock;
using support::has;

// Sets up a ratingd installation without problems. Each test then damages part of this
// installation.
class Doctor : public ::testing::Test {
 protected:
  Doctor() {
    config_.runtime_dir = ::testing::TempDir() + "ratingd_" + base::to_hex(base::random_bytes(6));
    config_.secret_file = ::testing::TempDir() + "secret_" + base::to_hex(base::random_bytes(6));
    identity::make_secret(config_.secret_file);
    execute(
        "INSERT INTO wp_options (option_name, option_value) VALUES ('home', "
        "'https://example.org:1'),"
        " ('siteurl', 'https://example.org/wp'), ('timezone_string', 'Europe/Berlin'),"
        " ('using_application_passwords', '1')");
  }
  ~Doctor() override {
    std::filesystem::remove(config_.secret_file);
    std::filesystem::remove_all(config_.runtime_dir);
  }

  void execute(const std::string& statement) {
    db::Connection(database_.owner()).execute(statement);
  }
  // Returns each warning and failure as text, for example "warn zone ...".
  std::vector<std::string> complaints(const base::Clock& clock = base::SystemClock()) {
    std::vector<std::string> texts;
    for (const Finding& finding : admin::examine(config_, clock)) {
      if (finding.health == Health::ok) continue;
      const std::string health = finding.health == Health::warn ? "warn " : "fail ";
      texts.push_back(health + finding.subject + ": " + finding.message.text());
    }
    return texts;
  }
  // Expects exactly one finding. The finding must begin with "beginning" and contain "part".
  void expect_only(const std::string& beginning, const std::string& part = "",
                   const base::Clock& clock = base::SystemClock()) {
    const auto texts = complaints(clock);
    ASSERT_EQ(texts.size(), 1U) << ::testing::PrintToString(texts);
    EXPECT_TRUE(texts[0].starts_with(beginning)) << texts[0];
    EXPECT_TRUE(has(texts[0], part));
  }

  std::string run(int expected_status) {
    const support::Outcome outcome = support::run_ratingctl(config_, {"doctor"});
    EXPECT_EQ(outcome.status, expected_status) << outcome.err;
    return outcome.out;
  }
  void expect_line(const std::string& line, int expected_status = 0) {
    EXPECT_TRUE(has("\n" + run(expected_status), "\n" + line));
  }

  // Occupies a worker's slot in shared memory, so that a worker seems to be running until the test
  // ends.
  void run_worker() {
    config_.processes = 1;
    memory_ = std::make_unique<runtime::SharedMemory>(config::metrics_segment_path(config_),
                                                      sizeof(runtime::MetricsTable));
    worker_ = std::make_unique<runtime::Workers>(*memory_, memory_->as<runtime::MetricsTable>());
    ASSERT_TRUE(worker_->join());
  }

  support::Database database_;
  config::Config config_ = support::config_for(database_.endpoint());
  std::unique_ptr<runtime::SharedMemory> memory_;
  std::unique_ptr<runtime::Workers> worker_;
};

TEST_F(Doctor, InstallationAsDescribedIsWell) {
  EXPECT_EQ(complaints(), std::vector<std::string>{});
}

TEST_F(Doctor, UnreachableDatabaseFailsAndEndsTheExamination) {
  config_.database.user = "nobody";
  expect_only("fail database: Access denied");
  config_.database.server.socket = "/nowhere";
  expect_only("fail database: ");
}

TEST_F(Doctor, MissingSecretFailsAndTheRestIsExamined) {
  std::filesystem::remove(config_.secret_file);
  expect_only("fail secret: ", "copy the file from a backup or from another host");
}

TEST_F(Doctor, SecretThatOthersMayUseFails) {
  using std::filesystem::perms;
  for (const perms more : {perms::others_read, perms::group_write, perms::owner_exec}) {
    std::filesystem::permissions(config_.secret_file, perms::owner_read | perms::group_read | more);
    expect_only("fail secret: ", "chmod 0640");
  }
  std::filesystem::permissions(config_.secret_file, perms::owner_read);
  EXPECT_EQ(complaints(), std::vector<std::string>{});
}

TEST_F(Doctor, OldTicketKeyIsShown) {
  identity::TicketKey key;
  key.name = "shop";
  key.key = identity::new_shared_secret();
  identity::add_ticket_key(config_.secret_file, key);
  expect_only("warn ticket keys: shop (HS256), added 1970-01-01T00:00:00Z, ", "Rotate it");
}

TEST_F(Doctor, TablesOfAnotherVersionFail) {
  execute("DELETE FROM wp_ratingd_schema");
  expect_only("fail schema: ", "ratingctl migrate");
  execute("INSERT INTO wp_ratingd_schema VALUES (1000, '2026-01-01')");
  expect_only("fail schema: ", "Install the newer version of ratingd");
}

TEST_F(Doctor, MissingRightsFail) {
  execute("REVOKE INSERT ON wp_ratingd_votes FROM " + database_.names().workers);
  expect_only("fail rights: the account lacks the privilege INSERT on ", "ratingctl grants");
}

TEST_F(Doctor, MissingColumnOfUsersFails) {
  execute("REVOKE SELECT (user_pass) ON wp_users FROM " + database_.names().workers);
  expect_only(
      "fail rights: the account lacks the privilege SELECT (ID, display_name, user_email, ");
}

TEST_F(Doctor, RightsBeyondTheNeededAreWarnings) {
  execute("GRANT UPDATE, DELETE ON wp_posts TO " + database_.names().workers);
  expect_only(
      "warn excess: the account has more privileges than the workers require: UPDATE, DELETE on ",
      ".wp_posts. Revoke these privileges");
}

TEST_F(Doctor, RightsToManyTablesAreOneWarning) {
  db::Connection cms(database_.owner());
  for (int i = 0; i < 9; ++i) {
    const std::string table = "other_" + std::to_string(i);
    cms.execute("CREATE TABLE " + table + " (id INT)");
    execute("GRANT SELECT ON " + table + " TO " + database_.names().workers);
  }
  expect_only("warn excess: the account has more privileges than the workers require: SELECT on ",
              "; \u2026. Revoke these privileges, or use ");
}

TEST_F(Doctor, RightsToTheSameTablesOfOtherSitesAreNeededByAPoolOfANetwork) {
  const auto has_excess = [&] {
    return std::ranges::any_of(
        complaints(), [](const std::string& text) { return text.starts_with("warn excess"); });
  };
  db::Connection cms(database_.owner());
  cms.execute("SET SESSION sql_mode = ''");  // as WordPress does
  for (const std::string table : {"posts", "ratingd_votes"}) {
    cms.execute("CREATE TABLE wp_7_" + table + " LIKE wp_" + table);
  }
  execute("GRANT SELECT ON wp_7_posts TO " + database_.names().workers);
  execute("GRANT UPDATE, DELETE ON wp_7_ratingd_votes TO " + database_.names().workers);
  EXPECT_TRUE(has_excess());
  config_.network.exists = config_.network.serves_all = true;
  EXPECT_FALSE(has_excess());
  execute("GRANT UPDATE ON wp_7_posts TO " + database_.names().workers);
  EXPECT_TRUE(has_excess());
}

TEST_F(Doctor, AccountOfTheCmsHasTooManyRights) {
  execute("GRANT ALL ON " + database_.names().database + ".* TO " + database_.names().workers);
  expect_only(
      "warn excess: the account has more privileges than the workers require: ALL PRIVILEGES on ");
}

TEST_F(Doctor, ASiteOfANetworkNeedsItsSettingsToo) {
  config_.network.exists = true;
  execute("CREATE TABLE wp_sitemeta (meta_id INT, site_id INT, meta_key TEXT, meta_value TEXT)");
  const auto lacks_right = [](const std::string& text) {
    return text.starts_with("fail rights: the account lacks the privilege SELECT on ");
  };
  EXPECT_EQ(std::ranges::count_if(complaints(), lacks_right), 1);
  execute("GRANT SELECT ON wp_sitemeta TO " + database_.names().workers);
  EXPECT_EQ(complaints(), std::vector<std::string>{});
  run_worker();
  expect_line("ok    app passwords  no application password exists", 0);
  execute("INSERT INTO wp_sitemeta VALUES (1, 1, 'using_application_passwords', '1')");
  expect_line("ok    app passwords  application passwords are in use", 0);
}

TEST_F(Doctor, LoginKeysThatOnlyWordPressKnowsAreNamed) {
  EXPECT_EQ(complaints(), std::vector<std::string>{});
  execute(
      "INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (1, 'session_tokens', 'a')");
  expect_only("warn logins: all users count as visitors", "docs/install.md");
  config_.keys.logged_in_key = "a";
  config_.keys.logged_in_salt = "b";
  expect_only("warn logins: all users count as visitors");
  execute(
      "INSERT INTO wp_options (option_name, option_value) VALUES ('nonce_key', 'c'),"
      " ('nonce_salt', 'd')");
  EXPECT_EQ(complaints(), std::vector<std::string>{});
}

TEST_F(Doctor, CharacterSetThatGarblesTitlesIsNamed) {
  execute(
      "ALTER TABLE wp_posts MODIFY post_date DATETIME NULL, MODIFY post_date_gmt DATETIME NULL,"
      " MODIFY post_modified DATETIME NULL, MODIFY post_modified_gmt DATETIME NULL,"
      " MODIFY post_title TEXT CHARACTER SET latin1");
  const auto names_charset = [](const std::string& text) {
    return text.starts_with("warn titles: post titles are stored in the latin1 character set");
  };
  EXPECT_EQ(std::ranges::count_if(complaints(), names_charset), 1);
}

TEST_F(Doctor, TimeZoneThatTheSystemDoesNotKnowIsNamed) {
  execute("DELETE FROM wp_options WHERE option_name = 'timezone_string'");
  execute(
      "INSERT INTO wp_options (option_name, option_value) VALUES ('timezone_string',"
      " 'Mars/Olympus')");
  const auto names_zone = [](const std::string& text) {
    return text.starts_with(
        "warn site zone: this system does not support the site's time zone "
        "Mars/Olympus, so +00:00 is used. Install the tzdata-legacy package");
  };
  EXPECT_EQ(std::ranges::count_if(complaints(), names_zone), 1);
}

TEST_F(Doctor, ClocksApartAreAWarning) {
  const base::Time now = base::SystemClock().now();
  expect_only("warn clock: ", " behind this host's", FixedClock(now + std::chrono::minutes(1)));
  expect_only("warn clock: ", " ahead of this host's", FixedClock(now - std::chrono::minutes(1)));
}

TEST_F(Doctor, MissingAddressFailsUnlessItIsGiven) {
  execute("DELETE FROM wp_options WHERE option_name = 'home'");
  expect_only("fail address: WordPress has no home option");
  config_.home = "https://example.org";
  EXPECT_EQ(complaints(), std::vector<std::string>{});
}

TEST_F(Doctor, BasePathOfAnotherSiteIsAWarning) {
  config_.home = "https://example.org/blog/";
  expect_only("warn address: base-path is /wp-json/ratingd/v1, but pages at /blog/ send",
              "requests to /blog/wp-json/ratingd/v1. Set base-path");
  config_.base_path = "/blog/wp-json/ratingd/v1";
  EXPECT_EQ(complaints(), std::vector<std::string>{});
  config_.base_path = "/blog/votes";
  EXPECT_EQ(complaints(), std::vector<std::string>{});
  config_.base_path = "/blog/two/wp-json/ratingd/v1";
  expect_only("warn address: base-path is /blog/two/wp-json/ratingd/v1, but pages at /blog/ send");
  config_.home = "https://example.org";
  expect_only("warn address: base-path is /blog/two/wp-json/ratingd/v1, but pages at / send");
}

TEST_F(Doctor, AddressThatIsNoOriginFails) {
  execute("UPDATE wp_options SET option_value = 'example.org' WHERE option_name = 'siteurl'");
  expect_only("fail address: siteurl is example.org, which is not a valid origin", "--wp-siteurl");
}

// A site does not need application passwords, because only programs use them.
TEST_F(Doctor, SiteWithoutApplicationPasswordsIsFine) {
  execute("UPDATE wp_options SET option_value = '0' WHERE option_name LIKE 'using%'");
  EXPECT_EQ(complaints(), std::vector<std::string>{});
}

TEST_F(Doctor, ChangedZoneIsAWarning) {
  execute("UPDATE wp_options SET option_value = 'Asia/Tokyo' WHERE option_name LIKE 'timezone%'");
  expect_only("warn zone: the site's time zone is now Asia/Tokyo",
              "statistics still use the Europe/Berlin time zone");
  db::Connection connection(database_.endpoint());
  rollups::follow_zone(connection, base::Zone::named("Asia/Tokyo").value(),
                       base::SystemClock().now());
  EXPECT_EQ(complaints(), std::vector<std::string>{});
}

TEST_F(Doctor, MissingZoneFails) {
  execute("DELETE FROM wp_ratingd_rollup_state");
  expect_only("fail zone: ", "ratingctl migrate");
}

TEST_F(Doctor, MaintenanceThatDoesNotRunIsAWarning) {
  execute("UPDATE wp_ratingd_schema SET applied_at = '2026-01-02 03:04:05'");
  expect_only("warn maintenance: maintenance has not been completed since 2026-01-02T03:04:05Z",
              "list-timers");
  EXPECT_EQ(support::run_ratingctl(config_, {"maintain"}).status, 0);
  EXPECT_EQ(complaints(), std::vector<std::string>{});
  execute(
      "UPDATE wp_ratingd_state SET value = '2026-02-03 04:05:06.000000'"
      " WHERE name = 'maintained_at'");
  expect_only("warn maintenance: maintenance has not been completed since 2026-02-03T04:05:06Z");
}

TEST_F(Doctor, PlacedRatingThatTheSettingsRefuseIsAWarning) {
  const auto place = [&](const std::string& type, const std::string& more) {
    const std::string size = std::to_string(type.size());
    execute("REPLACE INTO wp_options (option_name, option_value) VALUES ('ratingd_placement', '" +
            ("a:1:{s:" + size + ":\"" + type + "\";a:3:{s:5:\"where\";s:5:\"after\";" + more) +
            "}}')");
  };
  const auto set = [&](const std::string& name, const std::string& value) {
    execute("REPLACE INTO wp_ratingd_settings VALUES ('" + name + "', '" + value + "')");
  };
  const std::string stars = R"(s:5:"group";s:0:"";s:8:"template";s:12:"simple/stars";)";
  place("page", stars);
  EXPECT_EQ(complaints(), std::vector<std::string>());
  set("enabled_object_types", R"(["post:page"])");
  EXPECT_EQ(complaints(), std::vector<std::string>());
  set("enabled_object_types", R"(["book"])");
  expect_only("warn placement: a rating is placed on content of the type page, which the setting");
  set("enabled_object_types", "[]");
  set("enabled_categories", R"(["binary"])");
  expect_only("warn placement: ", "enabled_categories does not have scale");
  set("enabled_categories", R"(["scale"])");
  place("page", R"(s:5:"group";s:0:"";s:8:"template";s:9:"mine/gone";)");
  expect_only("warn placement: ", "its template mine/gone does not exist");
  place("post", R"(s:5:"group";s:8:"criteria";s:6:"facets";s:11:"taste, gone";)");
  set("facets", R"(["taste"])");
  expect_only("warn placement: ", "the setting facets does not have: gone");
  set("facets", R"(["taste","gone"])");
  set("enabled", "false");
  expect_only("warn placement: ", "nobody can rate");
  set("enabled", "true");
  set("require_login", "true");
  expect_only("warn placement: ", "nobody can register");
  execute("INSERT INTO wp_options (option_name, option_value) VALUES ('users_can_register', '1')");
  EXPECT_EQ(complaints(), std::vector<std::string>());
}

TEST_F(Doctor, DamagedSettingIsAWarning) {
  execute("INSERT INTO wp_ratingd_settings VALUES ('cooldown_seconds', 'oops')");
  expect_only("warn settings: ", "ratingctl settings reset cooldown_seconds");
}

TEST_F(Doctor, TableWithoutTransactionsFails) {
  execute("ALTER TABLE wp_ratingd_reach ENGINE=MyISAM");
  expect_only("fail engine: the wp_ratingd_reach table ");
}

// On most database servers, table names are case-sensitive, so WP_ratingd_reach belongs to a
// different site.
TEST_F(Doctor, TablesOfASiteWhosePrefixDiffersInCaseAreIgnored) {
  execute("CREATE TABLE WP_ratingd_reach (voter INT) ENGINE=MyISAM");
  EXPECT_EQ(complaints(), std::vector<std::string>{});
}

TEST_F(Doctor, CommitsThatAreNotOnDiskAreAWarning) {
  execute("SET GLOBAL innodb_flush_log_at_trx_commit = 2");
  expect_only("warn durability: ");
  execute("SET GLOBAL innodb_flush_log_at_trx_commit = 1");
}

TEST_F(Doctor, CommandPrintsALineForEachAndSaysWhetherOneFailed) {
  run_worker();
  execute("INSERT INTO wp_ratingd_settings VALUES ('cooldown_seconds', 'oops')");
  const std::string warned = run(0);
  EXPECT_TRUE(warned.starts_with("ok    secret         ")) << warned;
  EXPECT_TRUE(has(warned, "\nwarn  settings       "));
  execute("DELETE FROM wp_ratingd_rollup_state");
  expect_line("fail  zone           no time zone is stored", 1);
}

// The finding is only a warning, because the web server may be on another host. In this test, the
// web server's port is port 1, which is closed.
TEST_F(Doctor, WebServerThatIsNotOnThisHostIsAWarning) {
  run_worker();
  expect_line(
      "warn  web server     nothing on this host accepts connections for https://example.org:1 "
      "(port 1)");
}

TEST_F(Doctor, WebServerIsNotAskedWithoutWhatIsAskedFor) {
  std::filesystem::remove(config_.secret_file);
  EXPECT_FALSE(has(run(1), "web server"));
}

TEST_F(Doctor, NoWorkerIsAFailure) {
  expect_line(
      "fail  workers        no worker runs on this host. Run: systemctl start ratingd.target", 1);
  const runtime::SharedMemory memory(config::metrics_segment_path(config_),
                                     sizeof(runtime::MetricsTable));
  expect_line("fail  workers        no worker runs on this host", 1);
}

TEST_F(Doctor, FewerWorkersThanConfiguredAreAWarning) {
  const runtime::SharedMemory memory(config::metrics_segment_path(config_),
                                     sizeof(runtime::MetricsTable));
  runtime::Workers worker(memory, memory.as<runtime::MetricsTable>());
  ASSERT_TRUE(worker.join());
  config_.processes = 2;
  expect_line(
      "warn  workers        1 of 2 workers run on this host (option processes). To see why, run: "
      "systemctl "
      "status 'ratingd@*'");
  EXPECT_FALSE(has(run(0), "ok    workers"));
}

TEST_F(Doctor, FindingsAreWrittenAsMetrics) {
  run_worker();
  const std::string file = config_.runtime_dir.string() + "-doctor.prom";
  const support::Outcome outcome = support::run_ratingctl(config_, {"doctor"}, {{"metrics", file}});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  std::ifstream stream(file);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  std::filesystem::remove(file);
  EXPECT_TRUE(has(text, "\nratingd_doctor_status{site=\"\",check=\"secret\"} 0\n"));
  EXPECT_TRUE(has(text, "\nratingd_doctor_status{site=\"\",check=\"web server\"} 1\n"));
  EXPECT_TRUE(has(text, "\nratingd_doctor_timestamp_seconds{site=\"\"} "));
  const support::Outcome refused =
      support::run_ratingctl(config_, {"doctor"}, {{"metrics", "/nowhere/ratingd.prom"}});
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(has(refused.err, "/nowhere/ratingd.prom"));
}

TEST_F(Doctor, WorkersThatHaveNotReadAChangeAreAWarning) {
  const runtime::SharedMemory memory(config::metrics_segment_path(config_),
                                     sizeof(runtime::MetricsTable));
  runtime::Workers worker(memory, memory.as<runtime::MetricsTable>());
  ASSERT_TRUE(worker.join());
  config_.processes = 1;
  expect_line("ok    workers        1 run on this host");  // its version may be the previous one
  worker.show(runtime::Gauge::configuration, config::configuration_hash_of(config_));
  expect_line("ok    workers        1 run on this host");
  identity::rotate_secret(config_.secret_file);
  expect_line(
      "warn  workers        1 of 1 workers started before the latest change of the configuration");
  worker.show(runtime::Gauge::configuration, config::configuration_hash_of(config_));
  expect_line("ok    workers        1 run on this host");
  const std::string wp_config = config_.secret_file.string() + ".php";
  config_.files.push_back(wp_config);
  std::ofstream(wp_config) << "<?php // changed";
  expect_line("warn  workers        1 of 1 workers started before");
  std::filesystem::remove(wp_config);
}

TEST_F(Doctor, DatabaseWithoutRoomForVotesFails) {
  const runtime::SharedMemory memory(config::metrics_segment_path(config_),
                                     sizeof(runtime::MetricsTable));
  runtime::Workers worker(memory, memory.as<runtime::MetricsTable>());
  ASSERT_TRUE(worker.join());
  worker.show(runtime::Gauge::disk_full, 1);
  expect_only("fail disks: the database had no disk space for the latest votes");
}

TEST_F(Doctor, GrantsArePrintedForTheNamedAccounts) {
  const std::string text = support::run_ratingctl(config_, {"grants", "votes", "admin@%"}).out;
  EXPECT_TRUE(has(text, "`.`wp_options` TO `votes`@`localhost`;\n"));
  EXPECT_TRUE(has(text, "`.`wp_ratingd_votes` TO `admin`@`%`;\n"));
}

}  // namespace
