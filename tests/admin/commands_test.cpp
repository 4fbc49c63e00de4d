#include "admin/commands.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "db/migrations.h"
#include "runtime/blocked_signals.h"
#include "runtime/metrics.h"
#include "support/memory_folder.h"
#include "support/ratingctl.h"
#include "support/wordpress_site.h"
#include "votes/vote.h"

namespace {

using support::has;

// Runs ratingctl with ratingctl's own database account. The CMS's time zone is Europe/Berlin.
class Commands : public ::testing::Test {
 protected:
  Commands() {
    config_.runtime_dir = folder_.path();
    set_zone("Europe/Berlin");
  }
  void set_zone(const std::string& name) {
    db::Connection owner(database_.owner());
    owner.execute("DELETE FROM wp_options WHERE option_name = 'timezone_string'");
    owner.execute(
        "INSERT INTO wp_options (option_name, option_value) VALUES ('timezone_string', '" + name +
        "')");
  }
  // Runs a command and returns its exit status. Stores the command's standard output in "output_".
  int run(const std::vector<std::string>& words, const config::CommandFlags& flags = {}) {
    const support::Outcome outcome = support::run_ratingctl(config_, words, flags);
    output_ = outcome.out;
    complained_ = outcome.err;
    return outcome.status;
  }

  const support::MemoryFolder folder_;
  support::Database database_;
  config::Config config_ = support::config_for(database_.ratingctl());
  std::string output_, complained_;
};

TEST_F(Commands, DemoDataIsSummedUpAndRepaired) {
  ASSERT_EQ(run({"demo-data"},
                {{"invent-posts", "yes"}, {"votes", "3000"}, {"objects", "50"}, {"days", "30"}}),
            0);
  EXPECT_EQ(output_, "stored 3000 votes on 50 objects\n");
  EXPECT_TRUE(complained_.starts_with("votes: ")) << complained_;
  EXPECT_EQ(run({"verify"}), 0) << output_;
  db::Connection(database_.owner()).execute("UPDATE wp_ratingd_totals SET sum = sum + 1 LIMIT 3");
  EXPECT_EQ(run({"verify"}), 1);
  EXPECT_EQ(run({"rebuild"}), 0);
  EXPECT_EQ(output_, "repaired 3 rows of sums\n");
  EXPECT_EQ(run({"verify"}), 0) << output_;
}

TEST_F(Commands, DemoDataFollowsACleanUpOfEverything) {
  const config::CommandFlags few = {
      {"invent-posts", "yes"}, {"votes", "300"}, {"objects", "5"}, {"days", "3"}};
  ASSERT_EQ(run({"demo-data"}, few), 0);
  EXPECT_EQ(run({"demo-data"}, few), 2);
  ASSERT_EQ(run({"clean", "ratings"}, {{"all", "yes"}, {"confirm", "yes"}}), 0) << complained_;
  ASSERT_EQ(run({"demo-data"}, few), 0) << complained_;
  EXPECT_EQ(output_, "stored 300 votes on 5 objects\n");
  EXPECT_EQ(run({"verify"}), 0) << output_;
}

TEST_F(Commands, DemoDataIsForANumberThatMakesSense) {
  for (const char* wrong : {"", "0", "-1", "1e6", "10000000000"}) {
    EXPECT_EQ(run({"demo-data"}, {{"votes", wrong}}), 2) << wrong;
  }
  EXPECT_EQ(run({"demo-data"}, {{"invent-posts", "yes"}, {"votes", "100000"}, {"objects", "2"}}),
            2);
  EXPECT_TRUE(has(complained_, "at most 20000 votes on 2 objects")) << complained_;
}

TEST_F(Commands, DemoDataRatesOnlyPublishedContentOfPublicTypes) {
  EXPECT_EQ(run({"demo-data"}), 2);
  EXPECT_TRUE(has(complained_, "Publish a post or a page first")) << complained_;
  support::WordPressSite site(database_);
  site.connection().execute(
      "INSERT INTO wp_posts (ID, post_type, post_status) VALUES (1, 'wp_navigation', 'publish'),"
      " (2, 'post', 'draft'), (3, 'page', 'publish'), (4, 'post', 'publish')");
  EXPECT_EQ(run({"demo-data"}, {{"votes", "20001"}}), 2);
  ASSERT_EQ(run({"demo-data"}, {{"objects", "9"}}), 0) << complained_;
  EXPECT_EQ(output_, "stored 20000 votes on 2 objects\n");
  db::Rows row = site.connection().query(
      "SELECT GROUP_CONCAT(DISTINCT object_id ORDER BY object_id) FROM wp_ratingd_votes");
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.text(1), "3,4");
  EXPECT_EQ(run({"verify"}), 0) << output_;
}

TEST_F(Commands, UnknownCommandIsRefusedWithAdvice) {
  EXPECT_EQ(run({"nope", "now"}), 2);
  EXPECT_EQ(complained_,
            "ratingctl: there is no command \"nope now\".\nRun \"ratingctl --help\" for a list.\n");
  EXPECT_EQ(run({"statsu"}), 2);
  EXPECT_TRUE(complained_.ends_with("\nDid you mean \"status\"?\n")) << complained_;
  EXPECT_EQ(run({"settings", "show"}), 2);
  EXPECT_TRUE(
      complained_.ends_with("\nUse one of these: settings get, settings set, settings reset.\n"))
      << complained_;
}

TEST_F(Commands, WrongNumberOfArgumentsShowsTheUsage) {
  EXPECT_EQ(run({"verify", "now"}), 2);
  EXPECT_EQ(complained_,
            "ratingctl: verify takes no argument.\nUsage: ratingctl verify [OPTION ...]\n"
            "Help: ratingctl verify --help\n");
  EXPECT_EQ(run({"backup"}), 2);
  EXPECT_TRUE(complained_.starts_with("ratingctl: backup requires an argument.\n")) << complained_;
}

TEST_F(Commands, UnknownSiteIsNamed) {
  try {
    static_cast<void>(admin::default_file({"status"}, {{"site", "nope"}}));
    FAIL();
  } catch (const config::Error& error) {
    EXPECT_TRUE(has(error.what(), "this host has no site \"nope\". ")) << error.what();
  }
}

TEST_F(Commands, FlagOfAnotherCommandIsRefused) {
  EXPECT_EQ(run({"maintain"}, {{"votes", "5"}}), 2);
  EXPECT_EQ(complained_,
            "ratingctl: maintain has no option --votes.\nHelp: ratingctl maintain --help\n");
}

TEST_F(Commands, OrphansAreCountedAndRemovedOnlyWhenTold) {
  ASSERT_EQ(run({"maintain"}, {{"orphans", "report"}}), 0);
  EXPECT_EQ(output_, "all rated posts and comments exist\n");
  ASSERT_EQ(run({"demo-data"},
                {{"invent-posts", "yes"}, {"votes", "300"}, {"objects", "5"}, {"days", "3"}}),
            0);
  ASSERT_EQ(run({"maintain"}, {{"orphans", "report"}}), 0);
  EXPECT_EQ(output_, "post: 5 are deleted, with 300 ratings\n");
  EXPECT_EQ(run({"maintain"}, {{"orphans", "all"}}), 2);
  ASSERT_EQ(run({"maintain"}, {{"orphans", "remove"}}), 0);
  EXPECT_EQ(output_, "post: 5 are deleted, with 300 ratings\nremoved 300 ratings\n");
  ASSERT_EQ(run({"maintain"}, {{"orphans", "report"}}), 0);
  EXPECT_EQ(output_, "all rated posts and comments exist\n");
  EXPECT_EQ(run({"verify"}), 0) << output_;
}

TEST_F(Commands, MaintainAloneErasesAddresses) {
  EXPECT_EQ(run({"maintain"}), 0);
  EXPECT_TRUE(output_.starts_with("erased 0 addresses")) << output_;
  EXPECT_TRUE(has(output_, "votes are kept: retention_months is 0"));
}

TEST_F(Commands, VisitorsOfOtherFrontEndsAreExportedAndCleanedByName) {
  const std::string file = ::testing::TempDir() + database_.names().database + ".visitors";
  std::ofstream(file)
      << R"({"kind":"rating","object_id":3,"category":"binary","visitor":"v8000000000000001",)"
      << R"("issuer":"shop","subject":"an na","value":1,"rated_at":"2026-01-02T03:04:05Z"})"
      << "\n{\"kind\":\"end\",\"rows\":1}\n";
  ASSERT_EQ(run({"import", file}), 0) << output_;
  ASSERT_EQ(run({"export"}, {{"issuer", "shop"}, {"subject", "an na"}}), 0) << complained_;
  EXPECT_TRUE(has(output_, R"("issuer":"shop","subject":"an na")"));
  EXPECT_EQ(run({"export"}, {{"issuer", "shop"}}), 2);
  EXPECT_EQ(complained_, "--subject must be 1 to 255 bytes of UTF-8; it goes with --issuer.\n");
  EXPECT_EQ(run({"export"}, {{"issuer", "shop"}, {"subject", "an na"}, {"user", "7"}}), 2);
  EXPECT_EQ(run({"export"}, {{"issuer", "the shop"}, {"subject", "an na"}}), 2);
  const config::CommandFlags nobody = {
      {"issuer", "shop"}, {"subject", "nobody"}, {"confirm", "yes"}};
  ASSERT_EQ(run({"clean", "ratings"}, nobody), 0) << complained_;
  EXPECT_EQ(output_, "there was nothing to delete\n");
  const config::CommandFlags anna = {{"issuer", "shop"}, {"subject", "an na"}, {"confirm", "yes"}};
  ASSERT_EQ(run({"clean", "ratings"}, anna), 0) << complained_;
  EXPECT_EQ(output_, "deleted 1 rating\n");
  EXPECT_EQ(run({"verify"}), 0) << output_;
}

TEST_F(Commands, TypesOfTheCmsSelectTheirPosts) {
  db::Connection(database_.owner())
      .execute(
          "INSERT INTO wp_posts (ID, post_type, post_title, post_content, post_excerpt, to_ping,"
          " pinged, post_content_filtered, post_date, post_date_gmt, post_modified,"
          " post_modified_gmt) VALUES (1, 'book', '', '', '', '', '', '', NOW(), NOW(), NOW(), "
          "NOW())");
  const std::string file = ::testing::TempDir() + database_.names().database + ".types";
  std::ofstream rows(file);
  for (const char* id : {"1", "2"}) {
    rows << R"({"kind":"rating","object_id":)" << id << R"(,"category":"binary","user_id":7,)"
         << R"("value":1,"rated_at":"2026-01-02T03:04:05Z"})"
         << "\n";
  }
  rows << R"({"kind":"end","rows":2})"
       << "\n";
  rows.close();
  ASSERT_EQ(run({"import", file}), 0) << output_;
  ASSERT_EQ(run({"export"}, {{"type", "book"}}), 0) << complained_;
  EXPECT_TRUE(has(output_, R"("object_id":1,)"));
  EXPECT_FALSE(has(output_, R"("object_id":2,)"));
  ASSERT_EQ(run({"clean", "ratings"}, {{"type", "book"}, {"confirm", "yes"}}), 0) << complained_;
  EXPECT_EQ(output_, "deleted 1 rating\n");
  ASSERT_EQ(run({"clean", "ratings"}, {{"type", "book"}, {"confirm", "yes"}}), 0) << complained_;
  EXPECT_EQ(output_, "there was nothing to delete\n");
  EXPECT_EQ(run({"verify"}), 0) << output_;
}

TEST_F(Commands, MergeMovesRatingsAndFirstOnlyShowsWhat) {
  const std::string file = ::testing::TempDir() + database_.names().database + ".pairs";
  std::ofstream(file) << "from,into\n1,2\n";
  ASSERT_EQ(run({"demo-data"},
                {{"invent-posts", "yes"}, {"votes", "300"}, {"objects", "3"}, {"days", "3"}}),
            0);
  ASSERT_EQ(run({"merge", file}, {{"dry-run", "yes"}}), 0) << complained_;
  const std::string preview = output_;
  EXPECT_FALSE(preview.starts_with("moved       0\n"));
  ASSERT_EQ(run({"merge", file}), 0) << complained_;
  EXPECT_EQ(output_, preview);
  ASSERT_EQ(run({"merge", file}), 0);
  EXPECT_TRUE(output_.starts_with("moved       0\nreplaced    0 ")) << output_;
  EXPECT_EQ(run({"verify"}), 0) << output_;
  std::ofstream(file) << "1,1\n";
  EXPECT_EQ(run({"merge", file}), 1);
  EXPECT_TRUE(has(complained_, "line 1: an object cannot both receive"));
}

TEST_F(Commands, MergeTakesFacetsAlong) {
  const std::string file = ::testing::TempDir() + database_.names().database + ".facets";
  std::ofstream rows(file);
  for (const char* type : {"post", "post:taste", "post:chapter"}) {
    rows << R"({"kind":"rating","object_id":1,"object_type":")" << type
         << R"(","category":"binary","user_id":7,"value":1,"created_at":"2026-01-02T03:04:05Z",)"
         << R"("rated_at":"2026-01-02T03:04:05Z"})"
         << "\n";
  }
  rows << R"({"kind":"end","rows":3})"
       << "\n";
  rows.close();
  ASSERT_EQ(run({"import", file}), 0) << output_;
  ASSERT_EQ(run({"settings", "set", "facets=taste"}), 0) << complained_;
  std::ofstream(file) << "1,2\n";
  ASSERT_EQ(run({"merge", file}, {{"dry-run", "yes"}}), 0) << complained_;
  EXPECT_TRUE(output_.starts_with("moved       2\n")) << output_;
  ASSERT_EQ(run({"merge", file}), 0) << complained_;
  EXPECT_TRUE(output_.starts_with("moved       2\n")) << output_;
  EXPECT_EQ(run({"verify"}), 0) << output_;
}

TEST_F(Commands, MaintainDeletesTheNamesAndReasonsOfVisitorsWithoutVotes) {
  db::Connection owner(database_.owner());
  owner.execute(
      "INSERT INTO wp_ratingd_visitors VALUES (9223372036854775809, 'shop', 'anna', '2026-01-02')");
  owner.execute(
      "INSERT INTO wp_ratingd_reasons VALUES"
      " (42, 'post', 0, 9223372036854775809, '2026-01-02', 'Too short')");
  owner.execute("INSERT INTO wp_ratingd_batches VALUES (1, 0, 0, 1, '42/post 7 ')");
  ASSERT_EQ(run({"maintain"}), 0);
  EXPECT_FALSE(owner.query("SELECT 1 FROM wp_ratingd_batches").next()) << "it names voters";
  EXPECT_TRUE(has(output_, "deleted 1 name of visitors without votes\n"));
  EXPECT_TRUE(has(output_, "deleted 1 reason without votes\n"));
}

TEST_F(Commands, MaintainAggregatesOldVotes) {
  ASSERT_EQ(run({"demo-data"},
                {{"invent-posts", "yes"}, {"votes", "300"}, {"objects", "5"}, {"days", "300"}}),
            0);
  ASSERT_EQ(run({"settings", "set", "retention_months=2"}), 0);
  ASSERT_EQ(run({"maintain"}), 0);
  EXPECT_TRUE(has(output_, "votes older than 2 months with sums"));
  EXPECT_FALSE(has(output_, "replaced 0 "));
  EXPECT_EQ(run({"verify"}), 0) << output_;
}

TEST_F(Commands, WhatIsExportedAndCleanedComesBack) {
  const std::string file = ::testing::TempDir() + database_.names().database + ".csv";
  ASSERT_EQ(run({"demo-data"},
                {{"invent-posts", "yes"}, {"votes", "300"}, {"objects", "5"}, {"days", "3"}}),
            0);
  ASSERT_EQ(run({"export", file}), 0) << complained_;
  EXPECT_EQ(run({"export", file}), 1);  // the file is not overwritten
  EXPECT_EQ(complained_, file + ": File exists");
  EXPECT_EQ(run({"clean", "ratings"}, {{"all", "yes"}}), 2);
  EXPECT_EQ(run({"clean", "ratings"}, {{"confirm", "yes"}}), 2);
  ASSERT_EQ(run({"clean", "ratings"}, {{"all", "yes"}, {"confirm", "yes"}}), 0);
  EXPECT_EQ(output_, "deleted 300 ratings\n");
  EXPECT_EQ(run({"import", file}, {{"dry-run", "yes"}}), 0) << output_;
  EXPECT_TRUE(has(output_, "new      300\n"));
  EXPECT_TRUE(has(output_, "rows of 5 objects:\n"));
  EXPECT_TRUE(has(complained_, "dry run: nothing is stored\n"));
  EXPECT_EQ(run({"import", file}), 0) << output_;
  EXPECT_TRUE(has(output_, "new      300\n"));
  EXPECT_EQ(run({"verify"}), 0) << output_;
  std::remove(file.c_str());
}

TEST_F(Commands, NameOfACsvFileMayBeInCapitals) {
  const std::string file = ::testing::TempDir() + database_.names().database + ".CSV";
  ASSERT_EQ(run({"demo-data"},
                {{"invent-posts", "yes"}, {"votes", "30"}, {"objects", "5"}, {"days", "3"}}),
            0);
  ASSERT_EQ(run({"export", file}, {{"format", "csv"}}), 0) << complained_;
  EXPECT_EQ(run({"import", file}), 0) << output_;
  EXPECT_TRUE(has(output_, "refused  0\n")) << output_;
  std::remove(file.c_str());
}

TEST_F(Commands, ImportTakesAFileOrAPlugin) {
  EXPECT_EQ(run({"import", "votes.csv"}, {{"from", "yasr"}}), 2);
  EXPECT_EQ(complained_, "ratingctl: import takes either a file or --from.\n");
}

TEST_F(Commands, DropSaysWhatItWouldRemove) {
  ASSERT_EQ(run({"demo-data"},
                {{"invent-posts", "yes"}, {"votes", "300"}, {"objects", "5"}, {"days", "3"}}),
            0);
  ASSERT_EQ(run({"drop"}), 0);
  EXPECT_TRUE(has(output_, "wp_ratingd_votes                              300 rows\n"));
  for (const std::string view : {"wp_ratingd_post_stats", "wp_ratingd_post_daily"}) {
    EXPECT_TRUE(has(output_, view + std::string(25, ' ') + "view\n"));
  }
  EXPECT_TRUE(has(output_, "Nothing was removed."));
  EXPECT_EQ(run({"verify"}), 0) << output_;
}

TEST_F(Commands, DropLeavesNothingOfRatingdAndAllElse) {
  db::Connection owner(database_.owner());
  owner.execute("CREATE TABLE wp_ratingd_notes (id INT PRIMARY KEY)");  // another program's table
  const auto tables = [&] {
    std::vector<std::string> names;
    db::Rows row = owner.query("SHOW TABLES");
    while (row.next()) names.push_back(row.text(1));
    return names;
  };
  std::vector<std::string> others = tables();
  std::erase_if(others, [](const std::string& name) {
    return name.starts_with("wp_ratingd_") && name != "wp_ratingd_notes";
  });
  ASSERT_GT(others.size(), 3U);
  ASSERT_EQ(run({"drop"}, {{"confirm", "yes"}}), 0);
  EXPECT_TRUE(output_.starts_with("Removed all data of ratingd from ")) << output_;
  EXPECT_EQ(tables(), others);
  ASSERT_EQ(run({"drop"}, {{"confirm", "yes"}}), 0);
  EXPECT_TRUE(output_.starts_with("There are no tables of ratingd")) << output_;
  EXPECT_EQ(run({"status"}), 1);
  EXPECT_EQ(run({"migrate"}), 0);
  EXPECT_EQ(run({"verify"}), 0);
}

// In this test, a file size limit simulates a full disk.
TEST_F(Commands, ExportThatFailsLeavesNoFile) {
  ASSERT_EQ(run({"demo-data"},
                {{"invent-posts", "yes"}, {"votes", "1000"}, {"objects", "10"}, {"days", "30"}}),
            0);
  const std::string file = std::filesystem::path(folder_.path()) / "export.ndjson";
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 10000, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_EQ(run({"export", file}), 1);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(has(complained_, file)) << complained_;
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(run({"export", file}), 0) << complained_;
  EXPECT_TRUE(std::filesystem::exists(file));
}

// In this test, the signal is already pending when the command starts.
TEST_F(Commands, InterruptedExportLeavesNoFile) {
  ASSERT_EQ(run({"settings", "set", "cooldown_seconds=60"}), 0);
  const std::string file = std::filesystem::path(folder_.path()) / "export.ndjson";
  const runtime::BlockedSignals signals;
  std::raise(SIGINT);
  EXPECT_EQ(run({"export", file}), 1);
  EXPECT_EQ(complained_, "interrupted");
  EXPECT_FALSE(signals.take());
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(Commands, DropLeavesTablesThatANewerProgramMade) {
  db::Connection(database_.owner())
      .execute(
          "INSERT INTO wp_ratingd_schema SELECT MAX(version) + 1, UTC_TIMESTAMP()"
          " FROM wp_ratingd_schema");
  EXPECT_EQ(run({"drop"}, {{"confirm", "yes"}}), 1);
  EXPECT_TRUE(has(output_, "Use the version of ratingctl that created them."));
  EXPECT_EQ(run({"verify"}), 0) << output_;
}

TEST_F(Commands, WithoutTablesEachCommandSaysHowToCreateThem) {
  ASSERT_EQ(run({"drop"}, {{"confirm", "yes"}}), 0) << complained_;
  const std::string file = std::filesystem::path(folder_.path()) / "votes.ndjson";
  std::ofstream(file) << "1,2\n";
  const std::vector<std::pair<std::vector<std::string>, config::CommandFlags>> commands = {
      {{"settings", "get"}, {}},
      {{"settings", "set", "cooldown_seconds=60"}, {}},
      {{"settings", "reset", "cooldown_seconds"}, {}},
      {{"maintain"}, {}},
      {{"export"}, {}},
      {{"import", file}, {}},
      {{"import"}, {{"from", "wp-postratings"}}},
      {{"clean", "ratings"}, {{"all", "yes"}, {"confirm", "yes"}}},
      {{"merge", file}, {}},
      {{"demo-data"}, {{"invent-posts", "yes"}}},
      {{"status"}, {}},
      {{"verify"}, {}},
      {{"rebuild"}, {}},
  };
  for (const auto& [words, flags] : commands) {
    EXPECT_EQ(run(words, flags), 1) << words.front();
    EXPECT_TRUE(has(complained_, "ratingd's tables do not exist.")) << words.front();
    EXPECT_TRUE(has(complained_, "ratingctl migrate")) << words.front();
  }
}

TEST_F(Commands, RetiredSettingIsAcceptedAndSaysThatItHasNoEffect) {
  EXPECT_EQ(run({"settings", "set", "max_program_voters_per_address_per_object=3"}), 0);
  EXPECT_TRUE(has(complained_, "so its stored value was ignored.")) << complained_;
}

TEST_F(Commands, StatusShowsTheWorkersOfThisHostAndTheDatabase) {
  EXPECT_EQ(run({"status"}), 0);
  EXPECT_TRUE(output_.starts_with("workers   unknown: no worker of this site has run")) << output_;

  const runtime::SharedMemory memory(config::metrics_segment_path(config_),
                                     sizeof(runtime::MetricsTable));
  auto& table = memory.as<runtime::MetricsTable>();
  runtime::Metrics metrics(table, std::vector<std::string>{"GET /"});
  metrics.add_request(0, 200, std::chrono::microseconds(80));
  metrics.add_request(0, 429, std::chrono::microseconds(80));
  metrics.add_request(0, 503, std::chrono::seconds(9));
  using Outcome = votes::VoteResult::Outcome;
  const auto add_votes = [&](Outcome outcome, model::IdentifiedBy identified_by, int number) {
    for (int i = 0; i < number; ++i) {
      metrics.add_vote(static_cast<std::size_t>(outcome), static_cast<std::size_t>(identified_by),
                       votes::is_refusal(outcome));
    }
  };
  add_votes(Outcome::stored, model::IdentifiedBy::cookie, 4);
  add_votes(Outcome::stored, model::IdentifiedBy::network, 3);
  add_votes(Outcome::already_rated, model::IdentifiedBy::user, 2);
  add_votes(Outcome::too_many_new_voters, model::IdentifiedBy::new_, 3);
  runtime::Workers worker(memory, table);
  EXPECT_TRUE(worker.join());
  worker.show(runtime::Gauge::started_at, 1'795'000'000);
  worker.show(runtime::Gauge::processes, 7);
  worker.show(runtime::Gauge::sessions_idle, 1);
  EXPECT_EQ(run({"status"}), 0);
  EXPECT_TRUE(
      output_.starts_with("workers   1 of 7, the last one started at "
                          "2026-11-18T11:06:40Z\n"))
      << output_;
  EXPECT_TRUE(has(output_, "\nsessions  1 open, 0 busy\n"));
  EXPECT_TRUE(has(output_,
                  "\nrequests  3, 1 refused, 1 failed; half within 0.1 ms, 99 % within over "
                  "5000 ms\n"));
  EXPECT_TRUE(
      has(output_, "\nvotes     7 stored, 0 unchanged, 0 withdrawn, 5 refused, 0 failed\n"));
  const std::string version = std::to_string(db::newest_version());
  EXPECT_TRUE(
      has(output_, "\nschema    version " + version + ", this program supports " + version + "\n"));
}

TEST_F(Commands, MemoryIsFreedAfterTheLastWorkerHasStopped) {
  const std::string segment = config::metrics_segment_path(config_);
  {
    const runtime::SharedMemory memory(segment, sizeof(runtime::MetricsTable));
    runtime::Workers worker(memory, memory.as<runtime::MetricsTable>());
    EXPECT_TRUE(worker.join());
    EXPECT_EQ(run({"free-memory"}), 1);
    EXPECT_TRUE(has(complained_, "1 worker still runs. Stop")) << complained_;
    EXPECT_TRUE(has(complained_, "systemctl stop ratingd.target")) << complained_;
    EXPECT_TRUE(std::filesystem::exists(segment));
  }
  EXPECT_EQ(run({"free-memory"}), 0);
  EXPECT_FALSE(std::filesystem::exists(segment));
}

TEST_F(Commands, HelpIsForTheCommandThatIsNamed) {
  const std::string all = admin::help({});
  EXPECT_TRUE(has(all, "\n  settings set ")) << all;
  EXPECT_TRUE(has(admin::help({"setup"}), "\nUsage: ratingctl setup [OPTION ...]\n"));
  EXPECT_TRUE(has(admin::help({"clean", "ratings"}), "\nUsage: ratingctl clean WHAT "));
  const std::string settings = admin::help({"settings"});
  EXPECT_TRUE(has(settings, "\n  settings set ")) << settings;
  EXPECT_FALSE(has(settings, "setup")) << settings;
  EXPECT_EQ(admin::help({"options"}), config::options_help());
  EXPECT_EQ(admin::help({"no", "such"}), all);
}

TEST_F(Commands, FileThatSetupMakesNamesTheNextCommand) {
  EXPECT_EQ(admin::advice_for_missing("/etc/ratingd/wp-config.php"),
            "The site is not set up yet. Run: ratingctl setup");
  EXPECT_EQ(admin::advice_for_missing("/srv/wp-config.php"), "");
}

TEST_F(Commands, DatabaseErrorsHaveAdvice) {
  const auto advice = [](int code) { return admin::advice_for_database(db::Failure(code, "")); };
  for (const int refusal : {1044, 1045, 1049, 1130, 1698})
    EXPECT_TRUE(has(advice(refusal), "password")) << refusal;
  EXPECT_TRUE(has(advice(1142), "ratingctl grants"));
  EXPECT_TRUE(has(advice(2002), "is running"));
  EXPECT_EQ(advice(1146), "");
}

TEST_F(Commands, FlagsAreThoseInTheHelp) {
  std::map<std::string, config::CommandFlag::Value> values;
  for (const config::CommandFlag& flag : admin::command_flags()) {
    EXPECT_TRUE(values.emplace(flag.name, flag.value).second) << flag.name;
  }
  EXPECT_EQ(values.at("votes"), config::CommandFlag::Value::required);    // [--votes N]
  EXPECT_EQ(values.at("subject"), config::CommandFlag::Value::required);  // --subject S]
  EXPECT_EQ(values.at("orphans"), config::CommandFlag::Value::optional);  // [--orphans[=remove]]
  EXPECT_EQ(values.at("yes"), config::CommandFlag::Value::none);          // [--yes]
  EXPECT_EQ(values.at("with-secret"), config::CommandFlag::Value::none);  // [--with-secret | ...
  EXPECT_EQ(values.at("all"), config::CommandFlag::Value::none);          // name ... | --all
  EXPECT_EQ(values.size(), 47U);
}

}  // namespace
