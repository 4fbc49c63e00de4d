#include "admin/network.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "db/migrations.h"
#include "runtime/blocked_signals.h"
#include "support/memory_folder.h"
#include "support/ratingctl.h"

namespace {

using support::has;

const config::CommandFlags kAll = {{"all-sites", ""}};
const config::CommandFlags kNew = {{"all-sites", ""}, {"new", ""}};

// Creates a network with three sites and one archived site. Only the first site has ratingd's
// tables. The database accounts have the same privileges as after "ratingctl setup".
class Network : public ::testing::Test {
 protected:
  Network() {
    sql("CREATE TABLE wp_blogs (blog_id INT PRIMARY KEY, site_id INT, domain VARCHAR(200), "
        "path VARCHAR(100), archived INT DEFAULT 0, spam INT DEFAULT 0, deleted INT DEFAULT 0)");
    sql("CREATE TABLE wp_sitemeta (meta_id INT)");
    sql("INSERT INTO wp_blogs VALUES (1, 1, 'example.org', '/', 0, 0, 0), "
        "(2, 1, 'example.org', '/two/', 0, 0, 0), (3, 1, 'three.example.org:8080', '/', 0, 0, 0), "
        "(4, 1, 'example.org', '/four/', 1, 0, 0), (7, 2, 'other.example.org', '/', 0, 0, 0)");
    for (const int site : {2, 3}) create_tables_of_wordpress(site);
    sql("INSERT INTO wp_2_options (option_name, option_value) VALUES ('timezone_string', "
        "'Asia/Tokyo')");
    for (const char* account : {"ratingd", "ratingctl"}) {
      sql(std::string("CREATE USER IF NOT EXISTS ") + account + "@localhost");
    }
    config_.runtime_dir = folder_.path();
    config_.database.user = "ratingctl";
    config_.network.exists = true;
    config_.network.serves_all = true;
    give_rights({});
  }

  void sql(const std::string& statement) {
    db::Connection owner(database_.owner());
    owner.execute("SET sql_mode = ''");  // otherwise LIKE could not copy the table of posts
    owner.execute(statement);
  }
  void create_tables_of_wordpress(int site) {
    for (const char* table : {"options", "posts", "comments", "terms", "term_taxonomy"}) {
      sql("CREATE TABLE wp_" + std::to_string(site) + "_" + table + " LIKE wp_" + table);
    }
  }
  // Grants the database privileges for the first site, or for all sites if "flags" contains
  // "all-sites".
  void give_rights(const config::CommandFlags& flags) {
    ASSERT_EQ(run({"grants"}, flags), 0) << complained_;
    for (const std::string& statement : db::statements_of(output_)) sql(statement);
  }
  // Creates the tables of all sites. If the test does not run as root, first grants the database
  // privileges required for the migration.
  void migrate_all() {
    if (geteuid() != 0) give_rights(kAll);
    ASSERT_EQ(run({"migrate"}, kNew), 0) << complained_;
  }
  int run(const std::vector<std::string>& words, const config::CommandFlags& flags = kAll) {
    const support::Outcome outcome = support::run_ratingctl(config_, words, flags);
    output_ = outcome.out;
    complained_ = outcome.err;
    return outcome.status;
  }
  std::string first_of(const std::string& statement) {
    return db::Connection(database_.owner()).query(statement).first(db::text_in).value_or("none");
  }

  const support::MemoryFolder folder_;
  support::Database database_;
  config::Config config_ = support::config_for(database_.ratingctl());
  std::string output_, complained_;
};

TEST_F(Network, FlagRequiresWorkersOfAllSites) {
  config_.network.serves_all = false;
  EXPECT_EQ(run({"verify"}), 1);
  EXPECT_TRUE(has(complained_, "(all-sites = yes in the configuration)"));
}

TEST_F(Network, SitesWithoutTablesAreLeftOut) {
  EXPECT_EQ(run({"verify"}), 0) << complained_;
  EXPECT_EQ(output_,
            "site 1, example.org:\nall sums match the votes\n"
            "site 2, example.org/two:\nskipped: it has no tables of ratingd, or no privileges on "
            "them. Run: ratingctl migrate --all-sites\n"
            "site 3, three.example.org:\nskipped: it has no tables of ratingd, or no privileges "
            "on them. Run: ratingctl migrate --all-sites\n");
}

TEST_F(Network, DoctorNamesSitesWithoutTables) {
  static_cast<void>(run({"doctor"}, {}));
  EXPECT_TRUE(has(output_,
                  "warn  network        2 of 3 sites have no tables of ratingd, or the "
                  "workers have no privileges on them: 2, 3. Run: ratingctl migrate --all-sites"));
  migrate_all();
  static_cast<void>(run({"doctor"}, {}));
  EXPECT_TRUE(has(output_, "ok    network        3 sites have tables"));
}

TEST_F(Network, DoctorOfAllSitesPrintsWhatIsNotOkAndASummary) {
  static_cast<void>(run({"doctor"}));
  EXPECT_TRUE(has(output_,
                  "warn  schema         ratingd has no tables here, or no privileges on them. Run: "
                  "ratingctl migrate --all-sites\n"))
      << output_;
  EXPECT_TRUE(has(output_, "sites 2, 3:\n"));
  EXPECT_TRUE(has(output_, "3 sites: 0 ok, 0 with warnings only, 3 with failures\n")) << output_;
  migrate_all();
  static_cast<void>(run({"doctor"}));
  EXPECT_FALSE(has(output_, "ok    ")) << output_;
  EXPECT_TRUE(has(output_, "all sites:\nfail  secret  ")) << output_;
  EXPECT_TRUE(has(output_, "3 sites: 0 ok, 0 with warnings only, 3 with failures\n")) << output_;
}

// In a large network, a database account has privileges for thousands of tables.
TEST_F(Network, DoctorOfAllSitesReadsTheAccountsPrivilegesOnce) {
  migrate_all();
  const auto times_read = [&] {
    db::Connection owner(database_.owner());
    db::Rows row = owner.query("SHOW GLOBAL STATUS LIKE 'Com_show_grants'");
    return row.next() ? std::stoi(row.text(2)) : -1;
  };
  const int before = times_read();
  static_cast<void>(run({"doctor"}));
  EXPECT_EQ(times_read() - before, 1);
  EXPECT_TRUE(has(output_, "all sites:\nfail  secret  ")) << output_;
}

TEST_F(Network, DoctorOfManySitesPrintsFewLines) {
  for (int site = 10; site < 19; ++site) {
    create_tables_of_wordpress(site);
    const std::string number = std::to_string(site);
    sql("INSERT INTO wp_blogs VALUES (" + number + ", 1, 'example.org', '/" + number +
        "/', 0, 0, 0)");
  }
  config_.secret_file = folder_.path() / "secret";
  ASSERT_EQ(run({"init-secret"}, {}), 0) << complained_;
  migrate_all();
  sql("DROP TABLE wp_15_ratingd_votes");
  static_cast<void>(run({"doctor"}));
  EXPECT_LE(std::ranges::count(output_, '\n'), 20) << output_;
  EXPECT_TRUE(has(output_, "\nsite 15, example.org/15:\n")) << output_;
  EXPECT_TRUE(has(output_, "12 sites: ")) << output_;
}

TEST_F(Network, FirstSitesTimeOfTheMaintenanceStaysIfAnotherSiteFails) {
  migrate_all();
  ASSERT_EQ(run({"maintain"}, {}), 0) << complained_;
  const std::string stored = "SELECT value FROM wp_ratingd_state WHERE name = 'maintained_at'";
  sql("UPDATE wp_ratingd_state SET value = '2026-11-01 00:00:00.000000'"
      " WHERE name = 'maintained_at'");
  sql("DROP TABLE wp_3_ratingd_votes");
  EXPECT_EQ(run({"maintain"}, {}), 1);
  EXPECT_EQ(first_of(stored), "2026-11-01 00:00:00.000000");
  sql("DELETE FROM wp_ratingd_state WHERE name = 'maintained_at'");
  EXPECT_EQ(run({"maintain"}, {}), 1);
  EXPECT_EQ(first_of(stored), "none");
}

TEST_F(Network, MigrationWithoutRightsNamesTheCommandThatGivesThem) {
  config_.table_prefix = "wp_9_";
  EXPECT_EQ(run({"migrate"}, {}), 1);
  EXPECT_TRUE(has(complained_, "denied")) << complained_;
  EXPECT_TRUE(has(complained_, "First run: ratingctl grants --all-sites | mariadb")) << complained_;
}

TEST_F(Network, NewSitesGetRightsAndTablesOnce) {
  migrate_all();
  EXPECT_FALSE(has(output_, "site 1,"));
  EXPECT_TRUE(has(output_, "site 2, example.org/two:\napplied 0001_initial\n"));
  EXPECT_TRUE(has(output_, "days counted in Asia/Tokyo\nsite 3, three.example.org:\n"));
  EXPECT_FALSE(has(output_, "site 4"));
  EXPECT_EQ(run({"migrate"}, kNew), 0);
  EXPECT_EQ(output_, "");
  EXPECT_EQ(run({"migrate"}), 0);
  EXPECT_EQ(output_, "nothing to do: all sites have the tables of this version\n");
  EXPECT_EQ(run({"verify"}), 0);
  EXPECT_TRUE(has(output_, "site 2, example.org/two:\nall sums match the votes\n"));
  EXPECT_EQ(first_of("SELECT table_priv FROM mysql.tables_priv WHERE user = 'ratingd' AND db = '" +
                     database_.names().database + "' AND table_name = 'wp_3_ratingd_votes'"),
            "Select,Insert,Update,Delete");
}

TEST_F(Network, OldTablesAreUpdatedIfNotOnlyNewSitesAreWanted) {
  migrate_all();
  sql("DELETE FROM wp_2_ratingd_schema WHERE version = " + std::to_string(db::newest_version()));
  EXPECT_EQ(run({"migrate"}, kNew), 0);
  EXPECT_EQ(output_, "");
  EXPECT_EQ(run({"migrate"}), 0) << complained_;
  EXPECT_TRUE(output_.starts_with("site 2, example.org/two:\napplied ")) << output_;
  EXPECT_FALSE(has(output_, "site 3"));
}

TEST_F(Network, TablesOfClosedSitesAreMaintained) {
  migrate_all();
  sql("UPDATE wp_blogs SET archived = 1 WHERE blog_id = 2");
  sql("DELETE FROM wp_2_ratingd_schema WHERE version = " + std::to_string(db::newest_version()));
  EXPECT_EQ(run({"migrate"}), 0) << complained_;
  EXPECT_TRUE(has(output_, "site 2, example.org/two:\napplied ")) << output_;
  EXPECT_EQ(run({"maintain"}, {}), 0) << complained_;
  EXPECT_TRUE(has(output_, "site 2, example.org/two:\nerased 0 addresses")) << output_;
  EXPECT_FALSE(has(output_, "site 4"));
}

TEST_F(Network, SiteThatFailsDoesNotStopTheOthers) {
  migrate_all();
  sql("DROP TABLE wp_2_ratingd_settings");
  EXPECT_EQ(run({"maintain"}, {}), 1);  // without the flag, as well
  EXPECT_TRUE(complained_.starts_with("ratingctl: site 2, example.org/two: ")) << complained_;
  EXPECT_TRUE(has(output_, "site 3, three.example.org:\nerased 0 addresses"));
  sql("DROP TABLE wp_3_options");
  sql("DROP TABLE wp_3_ratingd_schema");
  EXPECT_EQ(run({"migrate"}), 1);
  EXPECT_TRUE(has(complained_, "ratingctl: site 3, "));
  EXPECT_EQ(has(complained_, "ratingctl grants --all-sites | mariadb"), geteuid() != 0);
}

TEST_F(Network, OneSiteIsChosenByItsNumber) {
  migrate_all();
  config_.network.blog_id = 2;
  config_.table_prefix = "wp_2_";
  EXPECT_EQ(run({"settings", "set", "stats_days=7"}, {}), 2);  // this setting does not exist
  EXPECT_EQ(run({"settings", "set", "retention_months=30"}, {}), 0) << complained_;
  EXPECT_EQ(first_of("SELECT COUNT(*) FROM wp_ratingd_settings"), "0");
  EXPECT_EQ(first_of("SELECT COUNT(*) FROM wp_2_ratingd_settings"), "1");
  EXPECT_EQ(admin::config_of_site(config_).base_path, "/two/wp-json/ratingd/v1");
  EXPECT_EQ(run({"verify"}), 2);
  config_.network.blog_id = 4;
  EXPECT_EQ(run({"verify"}, {}), 1);
  EXPECT_TRUE(has(complained_, "the network has no site 4, or the site is archived"));
}

TEST_F(Network, OneSiteIsChosenByItsAddress) {
  migrate_all();
  const auto key_of = [&](const std::string& url) {
    return admin::config_of_site(config_, url).table_prefix;
  };
  EXPECT_EQ(key_of("example.org"), "wp_");
  EXPECT_EQ(key_of("https://Example.org/two/"), "wp_2_");
  EXPECT_EQ(key_of("www.example.org/two"), "wp_2_");
  EXPECT_EQ(key_of("http://three.example.org:8080"), "wp_3_");
  EXPECT_EQ(run({"settings", "set", "retention_months=30"}, {{"url", "example.org/two"}}), 0)
      << complained_;
  EXPECT_EQ(first_of("SELECT COUNT(*) FROM wp_ratingd_settings"), "0");
  EXPECT_EQ(first_of("SELECT COUNT(*) FROM wp_2_ratingd_settings"), "1");
  for (const char* const url : {"example.org/four", "example.org/five", "other.example.org"}) {
    EXPECT_EQ(run({"verify"}, {{"url", url}}), 1);
    EXPECT_TRUE(has(complained_, std::string("the network has no site at this address, or the "
                                             "site is archived, spam or deleted: ") +
                                     url));
  }
  EXPECT_EQ(run({"verify"}, {{"url", "ftp://example.org"}}), 1);
  EXPECT_EQ(run({"verify"}, {{"url", "example.org"}, {"all-sites", ""}}), 2);
  EXPECT_EQ(run({"rotate-secret"}, {{"url", "example.org"}}), 2);
  config_.network.serves_all = false;
  EXPECT_EQ(run({"verify"}, {{"url", "example.org"}}), 1);
  EXPECT_TRUE(has(complained_, "--url requires a network whose workers serve all sites"));
}

TEST_F(Network, SettingsAreFixedForAllSites) {
  migrate_all();
  const config::CommandFlags second = {{"url", "example.org/two"}};
  EXPECT_EQ(run({"settings", "set", "cooldown_seconds=9"}, second), 0) << complained_;
  EXPECT_EQ(run({"settings", "set", "cooldown_seconds=7", "revote=never"}), 0) << complained_;
  EXPECT_EQ(output_, "cooldown_seconds=7\nrevote=never\n");
  EXPECT_EQ(run({"settings", "get"}), 0);
  EXPECT_EQ(output_, "revote=never\ncooldown_seconds=7\n");
  EXPECT_EQ(run({"settings", "get", "cooldown_seconds"}, second), 0);
  EXPECT_EQ(output_, "7\n");
  for (const config::CommandFlags& one : {second, config::CommandFlags{}}) {
    EXPECT_EQ(run({"settings", "set", "cooldown_seconds=8"}, one), 2);
    EXPECT_TRUE(has(complained_, "cooldown_seconds is enforced for all sites in the network."));
    EXPECT_EQ(run({"settings", "reset"}, {{"all", ""}, {"url", "example.org"}}), 0);
  }
  EXPECT_EQ(run({"settings", "set", "no=1"}), 2);
  EXPECT_EQ(run({"settings", "reset"}, {{"all", ""}, {"all-sites", ""}}), 2);
  EXPECT_EQ(run({"settings", "reset", "cooldown_seconds"}), 0);
  EXPECT_EQ(run({"settings", "get"}), 0);
  EXPECT_EQ(output_, "revote=never\n");
  EXPECT_EQ(run({"settings", "get", "cooldown_seconds"}, second), 0);
  EXPECT_EQ(output_, "9\n");  // the site's own value
}

TEST_F(Network, CleanDeletesAUsersRatingsOnAllSites) {
  migrate_all();
  for (const char* const prefix : {"wp_", "wp_2_"}) {
    for (const char* const voter : {"7", "8"}) {
      sql(std::string("INSERT INTO ") + prefix +
          "ratingd_votes (object_id, object_type, category, voter, value, held, created_at,"
          " rated_at) VALUES (1, 'post', 0, " +
          voter + ", 1000, 1, '2026-11-21', '2026-11-21')");
    }
  }
  const std::string stored =
      "SELECT CONCAT((SELECT COUNT(*) FROM wp_ratingd_votes), ' ',"
      " (SELECT COUNT(*) FROM wp_2_ratingd_votes))";
  const config::CommandFlags of_user = {{"user", "7"}, {"confirm", ""}};
  EXPECT_EQ(run({"clean", "ratings"}, {{"user", "7"}, {"all-sites", ""}}), 2);
  EXPECT_EQ(first_of(stored), "2 2");
  EXPECT_EQ(run({"clean", "ratings"}, of_user), 0) << complained_;
  EXPECT_EQ(output_, "deleted 1 rating\n");
  EXPECT_TRUE(has(complained_,
                  "The other sites of the network were not changed. "
                  "For all sites, use --all-sites.\n"))
      << complained_;
  EXPECT_EQ(first_of(stored), "1 2");
  EXPECT_EQ(run({"clean", "ratings"}, {{"user", "7"}, {"confirm", ""}, {"all-sites", ""}}), 0)
      << complained_;
  EXPECT_TRUE(has(output_, "site 2, example.org/two:\ndeleted 1 rating\n")) << output_;
  EXPECT_FALSE(has(complained_, "other sites"));
  EXPECT_EQ(first_of(stored), "1 1");
}

TEST_F(Network, ExportOfOneSiteSaysThatTheOthersAreMissing) {
  migrate_all();
  EXPECT_EQ(run({"export"}, {}), 0) << complained_;
  EXPECT_TRUE(has(complained_, "The other sites of the network were not exported. "))
      << complained_;
}

class NetworkBackup : public Network {
 protected:
  NetworkBackup() {
    config_.secret_file = folder_.path() / "secret";
    EXPECT_EQ(run({"init-secret"}, {}), 0) << complained_;
    migrate_all();
    for (const std::string site : {"", "2_", "3_"}) {
      sql("INSERT INTO wp_" + site + "ratingd_settings VALUES ('voter_cookie_days', '7" +
          site.substr(0, 1) + "')");
    }
    std::filesystem::create_directory(backups_);
  }

  std::string setting_of(const std::string& site) {
    return first_of("SELECT value FROM wp_" + site +
                    "ratingd_settings WHERE name = 'voter_cookie_days'");
  }
  void vote_on(const std::string& site) {
    sql("INSERT INTO wp_" + site +
        "ratingd_votes (object_id, object_type, category, voter, value, created_at, rated_at)"
        " VALUES (1, 'post', 0, 7, 1000, '2026-11-21', '2026-11-21')");
  }

  const std::filesystem::path backups_ = folder_.path() / "backups";
};

TEST_F(NetworkBackup, HasAFileForEachSite) {
  ASSERT_EQ(run({"backup", backups_}), 0) << complained_;
  for (const char* const site : {"1", "2", "3"}) {
    EXPECT_TRUE(
        has(complained_, "/site-" + std::string(site) + ".backup has 0 votes, 0 aggregates, "));
  }
  EXPECT_TRUE(has(complained_, "It does not contain:\n  the secret "));
  EXPECT_FALSE(has(complained_, "the other sites"));
  EXPECT_EQ(run({"drop"}), 0) << complained_;
  EXPECT_TRUE(has(output_, "wp_3_ratingd_votes"));
  EXPECT_EQ(run({"drop"}, {{"all-sites", ""}, {"confirm", ""}}), 0) << complained_;
  EXPECT_EQ(
      first_of("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()"
               " AND table_name LIKE '%ratingd%'"),
      "0");
  ASSERT_EQ(run({"migrate"}), 0) << complained_;
  ASSERT_EQ(run({"restore", backups_}), 0) << complained_;
  EXPECT_EQ(setting_of(""), "7");
  EXPECT_EQ(setting_of("2_"), "72");
  EXPECT_EQ(setting_of("3_"), "73");
  EXPECT_EQ(run({"backup", backups_}), 1);
  EXPECT_TRUE(has(complained_, "site-3.backup exists already"));
}

// In this test, the signal is already pending when the first site's backup starts.
TEST_F(NetworkBackup, EndsAtTheSiteThatASignalInterrupts) {
  for (const char* const command : {"backup", "export"}) {
    const runtime::BlockedSignals signals;
    std::raise(SIGTERM);
    EXPECT_EQ(run({command, backups_}), 1);
    EXPECT_EQ(complained_, "interrupted");
    EXPECT_FALSE(signals.take());
    EXPECT_TRUE(std::filesystem::is_empty(backups_));
  }
}

TEST_F(NetworkBackup, OfOneSiteSaysThatTheOthersAreMissing) {
  const std::string file = backups_ / "one";
  ASSERT_EQ(run({"backup", file}, {}), 0) << complained_;
  EXPECT_EQ(output_, "");
  EXPECT_TRUE(has(complained_, "the other sites of the network: --all-sites"));
  sql("DELETE FROM wp_ratingd_settings");
  sql("DELETE FROM wp_2_ratingd_settings");
  ASSERT_EQ(run({"restore", file}, {}), 0) << complained_;
  EXPECT_TRUE(has(output_, "The other sites of the network were not changed."));
  EXPECT_EQ(setting_of(""), "7");
  EXPECT_EQ(setting_of("2_"), "none");
  ASSERT_EQ(run({"drop"}, {{"confirm", ""}}), 0) << complained_;
  EXPECT_TRUE(has(output_, "ratingctl drop --all-sites"));
  EXPECT_EQ(setting_of("3_"), "73");
}

TEST_F(NetworkBackup, EachSiteThatIsNotRestoredIsNamed) {
  EXPECT_EQ(run({"backup", "/no/folder"}), 2);
  EXPECT_EQ(run({"restore", "/no/folder"}), 1);
  EXPECT_EQ(run({"restore", backups_}), 1);
  EXPECT_TRUE(has(complained_, "has no backups, such as site-1.backup"));
  ASSERT_EQ(run({"backup", backups_}, {{"all-sites", ""}, {"with-secret", ""}}), 0) << complained_;
  vote_on("2_");
  std::filesystem::rename(backups_ / "site-3.backup", backups_ / "site-9.backup");
  std::filesystem::rename(config_.secret_file, folder_.path() / "old");
  ASSERT_EQ(run({"init-secret"}, {}), 0);
  EXPECT_EQ(run({"restore", backups_}), 1);
  EXPECT_TRUE(has(complained_, "Repeat the command with --with-secret to install"));
  EXPECT_EQ(run({"restore", backups_}, {{"all-sites", ""}, {"with-secret", ""}}), 1);
  EXPECT_TRUE(has(output_, "site 1, example.org:\nrestored "));
  EXPECT_TRUE(has(complained_, "site 2, example.org/two: The tables hold votes."));
  EXPECT_TRUE(
      has(complained_, "site-3.backup is missing; the ratings of this site were not changed"));
  EXPECT_TRUE(has(complained_, "site-9.backup was not restored"));
  EXPECT_TRUE(has(complained_, "The secret of the backups was not installed."));
  EXPECT_EQ(run({"backup", backups_ / "with-other-secret"}, {{"with-secret", ""}}), 0);
  std::filesystem::rename(backups_ / "with-other-secret", backups_ / "site-1.backup");
  EXPECT_EQ(run({"restore", backups_}, {{"all-sites", ""}, {"keep-secret", ""}}), 1);
  EXPECT_TRUE(has(complained_, "have different secrets"));
}

TEST_F(NetworkBackup, BringsItsSecretOnce) {
  ASSERT_EQ(run({"backup", backups_}, {{"all-sites", ""}, {"with-secret", ""}}), 0) << complained_;
  EXPECT_FALSE(has(complained_, "the secret " + config_.secret_file.string() + ", which"));
  std::filesystem::remove(config_.secret_file);
  ASSERT_EQ(run({"restore", backups_}), 0) << complained_;
  const std::string installed = "installed the secret of the backup";
  EXPECT_TRUE(has(output_, installed));
  EXPECT_EQ(output_.find(installed), output_.rfind(installed));
  EXPECT_TRUE(std::filesystem::exists(config_.secret_file));
}

TEST_F(Network, GrantsHaveNoTextOfASite) {
  sql("UPDATE wp_blogs SET domain = 'x\nDROP DATABASE mysql;' WHERE blog_id = 2");
  ASSERT_EQ(run({"grants"}), 0);
  EXPECT_TRUE(has(output_, "-- Site 2\n"));
  EXPECT_TRUE(has(output_, "`wp_2_ratingd_votes`"));
  EXPECT_FALSE(has(output_, "DROP DATABASE"));
}

TEST_F(Network, SitesWithoutAFileMakeABackupAndAnExportFail) {
  config_.secret_file = folder_.path() / "secret";
  ASSERT_EQ(run({"init-secret"}, {}), 0) << complained_;
  for (const std::string command : {"backup", "export"}) {
    const std::filesystem::path files = folder_.path() / command;
    std::filesystem::create_directory(files);
    EXPECT_EQ(run({command, files}), 1);
    EXPECT_TRUE(has(complained_,
                    "ratingctl: site 3, three.example.org: skipped: it has no "
                    "tables of ratingd, or no privileges on them. Run: "));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(files), {}), 1);
  }
}

TEST_F(Network, ExportWritesAFileForEachSite) {
  migrate_all();
  const std::filesystem::path folder = testing::TempDir() + database_.names().database;
  std::filesystem::create_directory(folder);
  EXPECT_EQ(run({"export"}), 2);
  EXPECT_EQ(run({"export", folder.string()}), 0) << complained_;
  for (const char* name : {"site-1.ndjson", "site-2.ndjson", "site-3.ndjson"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  }
  EXPECT_EQ(run({"export", folder.string()}), 1);  // no existing file is replaced
  std::filesystem::remove_all(folder);
}

}  // namespace
