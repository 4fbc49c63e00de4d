#include "db/migrations.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/database.h"

namespace {

class Migrations : public ::testing::Test {
 protected:
  static std::vector<int> migrate(db::Connection& connection) {
    std::vector<int> applied;
    db::migrate(connection,
                [&](const db::Migration& migration) { applied.push_back(migration.version); });
    return applied;
  }
  std::vector<int> migrate() {
    db::Connection connection(database_.ratingctl());
    return migrate(connection);
  }

  // Leaves the views as some copies of a database do: as a table, and as a view that is missing.
  void replace_views() {
    connection_.execute("DROP VIEW wp_ratingd_post_stats, wp_ratingd_post_daily");
    connection_.execute("CREATE TABLE wp_ratingd_post_stats (post_id TINYINT NOT NULL)");
  }
  int version() { return db::schema_version(connection_); }
  void set_newest(int version) {
    connection_.execute("INSERT INTO wp_ratingd_schema VALUES (" + std::to_string(version) +
                        ", '2026-01-01')");
  }
  // Returns the definitions of all tables and views, and the rows of the migrations table.
  std::string schema() {
    std::string text;
    std::vector<std::string> names = db::table_names(support::kPrefix);
    for (const std::string& view : db::view_names(support::kPrefix)) names.push_back(view);
    for (const std::string& name : names) {
      db::Rows row = connection_.query("SHOW CREATE TABLE " + name);
      if (row.next()) text += row.text(2) + "\n";
    }
    db::Rows row =
        connection_.query("SELECT version, applied_at FROM wp_ratingd_schema ORDER BY 1");
    while (row.next()) text += row.text(1) + " " + row.text(2) + "\n";
    return text;
  }

  support::Database database_;
  db::Connection connection_{database_.owner()};
};

TEST_F(Migrations, SecondRunChangesNothing) {
  const std::string before = schema();
  EXPECT_EQ(version(), db::newest_version());
  EXPECT_EQ(migrate(), std::vector<int>{});
  EXPECT_EQ(schema(), before);
}

TEST_F(Migrations, InterruptedOneIsRepeated) {
  const std::string before = schema();
  connection_.execute("DROP TABLE wp_ratingd_reach");
  connection_.execute("DROP TABLE wp_ratingd_counters");
  connection_.execute("DELETE FROM wp_ratingd_schema");
  EXPECT_EQ(version(), 0);
  EXPECT_EQ(migrate().size(), static_cast<std::size_t>(db::newest_version()));
  EXPECT_EQ(version(), db::newest_version());
  // Compare everything except the timestamps of the migrations.
  EXPECT_EQ(schema().substr(0, schema().rfind("\n1 ")), before.substr(0, before.rfind("\n1 ")));
}

TEST_F(Migrations, ColumnsAndIndexesAreAddedOnce) {
  const std::string statement =
      "ALTER TABLE wp_ratingd_votes ADD COLUMN note INT, ADD KEY by_note (note)";
  db::execute_repeatably(connection_, statement);
  const std::string once = schema();
  db::execute_repeatably(connection_, statement);
  db::execute_repeatably(connection_, "ALTER TABLE wp_ratingd_votes ADD KEY by_note (note)");
  EXPECT_EQ(schema(), once);
  EXPECT_NE(once.find("KEY `by_note`"), std::string::npos);
  EXPECT_THROW(db::execute_repeatably(connection_, "ALTER TABLE wp_nothing ADD COLUMN note INT"),
               db::Failure);
}

TEST_F(Migrations, RepeatedOneKeepsTheRows) {
  connection_.execute("INSERT INTO wp_ratingd_state VALUES ('name', 'value')");
  connection_.execute("DELETE FROM wp_ratingd_schema");
  migrate();
  db::Rows row = connection_.query("SELECT value FROM wp_ratingd_state WHERE name = 'name'");
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.text(1), "value");
}

TEST_F(Migrations, TablesOfAnEarlierVersionGetWhatIsMissing) {
  connection_.execute("DELETE FROM wp_ratingd_schema WHERE version > 1");
  connection_.execute("DROP VIEW wp_ratingd_post_daily");
  connection_.execute(
      "INSERT INTO wp_ratingd_fingerprints VALUES ('0123456789abcdef', 1, '2026-01-01')");
  EXPECT_EQ(version(), 1);
  const std::vector<int> applied = migrate();
  ASSERT_FALSE(applied.empty());
  EXPECT_EQ(applied.front(), 2);
  EXPECT_EQ(applied.back(), db::newest_version());
  EXPECT_FALSE(connection_.query("SELECT 1 FROM wp_ratingd_fingerprints").next());
  EXPECT_FALSE(connection_.query("SELECT 1 FROM wp_ratingd_post_daily").next());
}

TEST_F(Migrations, FromVersion03LetsTheMaintenanceReadAllAddressesAgain) {
  connection_.execute("DELETE FROM wp_ratingd_schema WHERE version = 4");
  connection_.execute(
      "INSERT INTO wp_ratingd_state VALUES ('addresses_erased_before', '2026-11-01 00:00:00')");
  EXPECT_EQ(migrate(), std::vector<int>{4});
  EXPECT_FALSE(connection_.query("SELECT 1 FROM wp_ratingd_state WHERE name LIKE 'addr%'").next());
}

TEST_F(Migrations, DamagedViewsAreReplaced) {
  using Names = std::vector<std::string>;
  db::Connection connection(database_.ratingctl());
  const std::string before = schema();
  replace_views();
  EXPECT_EQ(db::damaged_views(connection), db::view_names(support::kPrefix));
  EXPECT_TRUE(db::needs_migration(connection));
  EXPECT_EQ(migrate(), std::vector<int>{});
  EXPECT_EQ(schema(), before);
  EXPECT_FALSE(db::needs_migration(connection));
  connection_.execute("CREATE TABLE gone (post_id INT)");
  connection_.execute("CREATE OR REPLACE VIEW wp_ratingd_post_daily AS SELECT * FROM gone");
  connection_.execute("DROP TABLE gone");
  EXPECT_EQ(db::damaged_views(connection), Names{"wp_ratingd_post_daily"});
  EXPECT_EQ(migrate(), std::vector<int>{});
  EXPECT_EQ(schema(), before);
}

TEST_F(Migrations, DamagedViewsAreReplacedByARestoreAndByAnUpgrade) {
  db::Connection connection(database_.ratingctl());
  const std::string before = schema();
  replace_views();
  db::restore_missing_tables(connection);
  EXPECT_EQ(schema(), before);
  replace_views();
  connection_.execute("DELETE FROM wp_ratingd_schema");
  EXPECT_FALSE(migrate().empty());
  EXPECT_FALSE(db::needs_migration(connection));
}

TEST_F(Migrations, NewerVersionIsLeftAsItIs) {
  const int newer = db::newest_version() + 2;
  set_newest(newer);
  const std::string before = schema();
  EXPECT_EQ(migrate(), std::vector<int>{});
  EXPECT_EQ(version(), newer);
  EXPECT_EQ(schema(), before);
  EXPECT_FALSE(db::can_run_on(newer));
  EXPECT_NE(db::advice_for(newer).text().find("Install the newer version of ratingd"),
            std::string::npos);
}

TEST_F(Migrations, TwoRunsAtOnceApplyEachOnce) {
  connection_.execute("DELETE FROM wp_ratingd_schema");
  db::Connection other(database_.ratingctl());
  std::vector<int> applied;
  std::thread second([&] { applied = migrate(other); });
  const std::vector<int> own = migrate();
  second.join();
  EXPECT_EQ(own.size() + applied.size(), static_cast<std::size_t>(db::newest_version()));
  EXPECT_TRUE(own.empty() || applied.empty());
}

TEST_F(Migrations, DatabaseWithoutTablesHasVersionZero) {
  connection_.execute("DROP TABLE wp_ratingd_schema");
  EXPECT_EQ(version(), 0);
  db::Endpoint of_other_site = database_.owner();
  of_other_site.table_prefix = "other_";
  db::Connection other(of_other_site);
  EXPECT_EQ(db::schema_version(other), 0);
}

TEST_F(Migrations, TablesAndViewsAreKnownByName) {
  std::set<std::string> there;
  db::Rows row = connection_.query(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND "
      "table_type = 'BASE TABLE' AND table_name LIKE 'wp!_ratingd!_%' ESCAPE '!'");
  while (row.next()) there.insert(row.text(1));
  const auto names = db::table_names(support::kPrefix);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), there);
  EXPECT_EQ(db::view_names(support::kPrefix),
            (std::vector<std::string>{"wp_ratingd_post_stats", "wp_ratingd_post_daily"}));
}

TEST(MigrationFiles, AreNumberedWithoutGaps) {
  int expected = 0;
  for (const db::Migration& migration : db::migrations()) {
    EXPECT_EQ(migration.version, ++expected);
  }
  EXPECT_GT(expected, 0);
}

// During an upgrade and after a downgrade, workers from the last release use the new tables.
// Workers accept tables that are at most one version newer than their own. After each release, set
// kLastRelease to the release's newest migration.
TEST(SchemaVersion, LastReleaseRunsOnTheNewTables) {
  constexpr int kLastRelease = 3;
  EXPECT_LE(db::newest_version(), kLastRelease + 1);
}

TEST(SchemaVersion, ProgramRunsOnItsOwnAndOneNewer) {
  const int own = db::newest_version();
  EXPECT_TRUE(db::can_run_on(own));
  EXPECT_TRUE(db::can_run_on(own + 1));
  EXPECT_FALSE(db::can_run_on(own + 2));
  EXPECT_FALSE(db::can_run_on(own - 1));
  EXPECT_FALSE(db::can_run_on(0));
  EXPECT_NE(db::advice_for(0).text().find("ratingctl migrate"), std::string::npos);
  EXPECT_NE(db::advice_for(own - 1).text().find("ratingctl migrate"), std::string::npos);
}

TEST(Statements, EndAtALinesEndAndLeaveCommentsOut) {
  EXPECT_EQ(db::statements_of("-- one;\nSELECT ';',\n  -- two;\n  1;\n\nSELECT 2;\n"),
            (std::vector<std::string>{"SELECT ';',\n  1", "\nSELECT 2"}));
  EXPECT_EQ(db::statements_of("-- nothing\n"), std::vector<std::string>{});
  EXPECT_THROW(static_cast<void>(db::statements_of("SELECT 1; SELECT 2")), db::Failure);
}

}  // namespace
