#include "transfer/backup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "db/migrations.h"
#include "rollups/repair.h"
#include "rollups/rollup_state.h"
#include "store/site.h"
#include "support/voting.h"

namespace {

using support::at;
using support::kNoon;
using support::newcomer;
using support::on;
using support::vote;
using transfer::BackupHeader;
using transfer::BackupLines;
using transfer::RowCounts;
using namespace std::chrono_literals;

void ignore_progress(std::int64_t, std::int64_t) {}
void do_nothing() {}

class BackupTest : public support::Voting {
 protected:
  void cast(const votes::VoteRequest& request) { ASSERT_TRUE(writer_.write(request)); }

  // Adds rows to each table that a backup contains.
  void fill_tables() {
    for (std::uint64_t voter = 1; voter <= 600; ++voter) cast(newcomer(voter, 1000));
    cast(vote(7, 0));
    cast(at(kNoon + 24h, on(1, vote(7, 800, model::Category::scale))));
    votes::VoteRequest request = vote(model::kAnonymousBit | 1000, 1000);
    request.visitor = model::FrontEndVisitor{"shop", "=1\n\\\"é\x01"};
    cast(request);
    owner().execute(
        "INSERT INTO wp_ratingd_settings VALUES ('revote', '\"once\"'), ('unknown', 'damaged {')");
    owner().execute(
        "INSERT INTO wp_ratingd_templates VALUES"
        " ('own', 'Grüße 😀', 'a\tb', 1, 3, CONCAT('<p>', CHAR(10), '\\\\\"</p>'), 'p {}')");
    owner().execute("INSERT INTO wp_ratingd_state VALUES ('mark', '2026/1')");
    owner().execute("UPDATE wp_ratingd_votes SET address = X'6800FF0A22', agent = 9 LIMIT 3");
    owner().execute(
        "INSERT INTO wp_ratingd_held SELECT object_id, object_type, category, voter, 3, rated_at"
        " FROM wp_ratingd_votes WHERE voter = 7 AND object_id = 1");
    owner().execute(
        "INSERT INTO wp_ratingd_balances VALUES (5, 'post', 2, '2020-02-29', 'yasr', -2, 0, 0, 0, "
        "0,"
        " 0, 0, 0, 0, 0, 0, 4, '2020-02-29 01:02:03.000004')");
  }

  std::string backup(const std::function<void()>& first = do_nothing) {
    std::string file;
    db::Connection connection(account_);
    bool is_first = true;
    counts_ = transfer::write_backup(
                  connection, {.program = "test"},
                  [&](std::string_view line) {
                    if (is_first) first();
                    is_first = false;
                    file += line;
                  },
                  ignore_progress)
                  .rows;
    return file;
  }

  RowCounts restore(const std::string& text, bool replaces_votes = false) {
    std::istringstream file(text);
    db::Connection connection(account_);
    return transfer::restore_backup(connection, file, {.replaces_votes = replaces_votes},
                                    ignore_progress);
  }

  // Returns the error message for a backup that cannot be restored. Expects the database to remain
  // unchanged.
  std::string refusal(const std::string& text, bool replaces_votes = true) {
    const std::string before = content();
    try {
      static_cast<void>(restore(text, replaces_votes));
    } catch (const std::exception& exception) {
      EXPECT_EQ(content(), before);
      return exception.what();
    }
    return "(it was taken)";
  }

  // Returns all rows of the tables that a backup contains.
  std::string content() {
    std::string text;
    for (const char* table :
         {"state", "settings", "templates", "votes", "held", "balances", "rollup_state", "daily",
          "site_daily", "voters", "users", "user_daily", "reach", "visitors"}) {
      text += table + std::string("\n");
      std::string columns;
      for (db::Rows row = owner().query(
               "SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE()"
               " AND table_name = 'wp_ratingd_" +
               std::string(table) + "' ORDER BY ordinal_position");
           row.next();) {
        columns += (columns.empty() ? "HEX(" : "), HEX(") + row.text(1);
      }
      for (db::Rows row = owner().query("SELECT CONCAT_WS(' ', " + columns + ")) FROM wp_ratingd_" +
                                        table + " ORDER BY 1");
           row.next();) {
        text += row.text(1) + "\n";
      }
    }
    return text + support::counted(owner());
  }

  void empty_tables() {
    for (const char* table :
         {"settings", "templates", "state", "votes", "held", "balances", "totals", "daily",
          "site_daily", "voters", "users", "user_daily", "reach", "visitors"}) {
      owner().execute("DELETE FROM wp_ratingd_" + std::string(table));
    }
  }

  db::Connection& owner() { return owner_; }

  db::Endpoint account_ = database_.cms();
  db::Connection owner_{account_};
  RowCounts counts_;
};

// Returns a backup file with one line for each JSON object in "objects", including correct
// checksums.
std::string file_of(const std::vector<std::string>& objects) {
  BackupLines lines;
  std::string file;
  for (const std::string& object : objects) file += lines.line_of(object);
  return file;
}

std::string header_of(int schema = db::newest_version(), const std::string& zone = "Asia/Tokyo") {
  return text_of(BackupHeader{"test", schema, kNoon, zone, "other_"});
}

const std::string kState =
    R"({"table":"rollup_state","columns":["id","zone"],"rows":[[1,"Asia/Tokyo"]]})";
const std::string kEnd = R"({"end":true})";

TEST_F(BackupTest, RestoresAllTablesAsTheyWereWithTheRightsOfRatingctl) {
  account_ = database_.ratingctl();
  fill_tables();
  const std::string before = content();
  const std::string file = backup();
  EXPECT_EQ(counts_["votes"], 603U);
  empty_tables();
  EXPECT_EQ(restore(file)["votes"], 603U);
  EXPECT_EQ(content(), before);
}

TEST_F(BackupTest, HasNoSaltAndARestoreMakesANewOne) {
  const auto salt = [&] { return store::current_salt(owner(), 24h); };
  const std::string before = salt();
  const std::string file = backup();
  EXPECT_EQ(file.find(before), std::string::npos);
  EXPECT_EQ(file.find(store::kNetworkSalt), std::string::npos);
  restore(file, true);
  EXPECT_NE(salt(), before);
}

TEST_F(BackupTest, SumsOfARestoredSiteMatchItsVotes) {
  for (std::uint64_t voter = 1; voter <= 600; ++voter) cast(newcomer(voter, 1000));
  cast(at(kNoon + 24h, vote(7, 0)));
  const std::string file = backup();
  empty_tables();
  static_cast<void>(restore(file));
  expect_verified();
  cast(at(kNoon + 48h, vote(7, 1000)));
  expect_verified();
}

TEST_F(BackupTest, EveryTableOfTheMigrationsIsInItOrMadeAgain) {
  static_cast<void>(backup());
  const std::vector<std::string> others = {"schema",     "leases",       "writers",
                                           "batches",    "counters",     "fingerprints",
                                           "kept_lists", "kept_periods", "swap"};
  for (const std::string& full_name : db::table_names(support::kPrefix)) {
    const std::string name = full_name.substr(std::string("wp_ratingd_").size());
    const bool is_other = name.ends_with("_new") || std::ranges::count(others, name) > 0;
    EXPECT_EQ(counts_.contains(name), !is_other) << name;
  }
  EXPECT_EQ(counts_.size(), 18U);
}

// The JSON format of backups has no null values.
TEST_F(BackupTest, NoColumnMayBeNull) {
  db::Rows row = owner().query(
      "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema ="
      " DATABASE() AND table_name IN (SELECT table_name FROM information_schema.tables"
      " WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE')"
      " AND table_name LIKE 'wp\\_ratingd\\_%' AND is_nullable = 'YES'");
  EXPECT_FALSE(row.next());
}

TEST_F(BackupTest, IsOneSnapshotWhileVotesArrive) {
  cast(vote(1, 1000));
  const std::string before = content();
  const std::string file = backup([&] { cast(vote(2, 0)); });
  EXPECT_NE(content(), before);
  static_cast<void>(restore(file, true));
  EXPECT_EQ(content(), before);
  expect_verified();
}

TEST_F(BackupTest, ExcludesARepair) {
  db::Connection other(account_);
  const db::Lease lease = rollups::lock_repairs(other, 0s, "");
  EXPECT_THROW(static_cast<void>(backup()), db::Busy);
}

TEST_F(BackupTest, VotesAreReplacedOnlyIfAsked) {
  cast(vote(1, 1000));
  const std::string file = backup();
  EXPECT_TRUE(refusal(file, false).starts_with("The tables hold votes. Nothing was changed."));
  cast(vote(2, 1000));
  EXPECT_EQ(restore(file, true)["votes"], 1U);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes"), 1);
}

TEST_F(BackupTest, VersionsOfTotalsGrow) {
  cast(vote(1, 1000));
  const std::string file = backup();
  for (const int value : {0, 1000, 0}) cast(vote(1, value));
  const auto before = number("SELECT MAX(version) FROM wp_ratingd_totals");
  static_cast<void>(restore(file, true));
  EXPECT_GT(number("SELECT MIN(version) FROM wp_ratingd_totals"), before);
}

TEST_F(BackupTest, ARebuildByVersion03ThatWasRunningIsOver) {
  owner().execute(
      "UPDATE wp_ratingd_rollup_state SET next_zone = 'UTC', phase = 3, object_id = 9, done = 4");
  const std::string file = backup();
  owner().execute("INSERT INTO wp_ratingd_voters_new (voter, last_day) VALUES (1, '2026-11-21')");
  static_cast<void>(restore(file));
  EXPECT_EQ(number("SELECT phase + object_id + done FROM wp_ratingd_rollup_state"), 0);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_voters_new"), 0);
}

TEST_F(BackupTest, MaterializedListsAreDiscarded) {
  const std::string file = backup();
  owner().execute(
      "INSERT INTO wp_ratingd_kept_periods VALUES (1, '2026-11-21', '2026-11-21', 'UTC',"
      " '2026-11-21', '', 1, 1)");
  const auto changes = number("SELECT SUM(sequence) FROM wp_ratingd_writers");
  static_cast<void>(restore(file));
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_kept_periods"), 0);
  EXPECT_GT(number("SELECT SUM(sequence) FROM wp_ratingd_writers"), changes);
}

TEST_F(BackupTest, EachDamageIsFoundBeforeAnythingChanges) {
  fill_tables();
  const std::string file = backup();
  std::string flipped = file;
  flipped[file.find('[', file.size() / 2)] = '(';
  EXPECT_NE(refusal(flipped).find("The checksum is wrong"), std::string::npos);

  const std::size_t second = file.find('\n') + 1;
  const std::size_t third = file.find('\n', second) + 1;
  EXPECT_TRUE(refusal(file.substr(0, second) + file.substr(third))
                  .starts_with("line 2: The checksum is wrong"));
  EXPECT_TRUE(refusal(file.substr(0, third)).ends_with("Use another backup."));
  EXPECT_TRUE(refusal(file.substr(0, file.size() / 2)).starts_with("line "));
  EXPECT_TRUE(refusal(file + file).ends_with("The file has more lines after its end."));
  EXPECT_EQ(refusal(""),
            "line 1: The file ends here, so the backup is incomplete. Use another backup.");
  const std::string export_line = R"({"kind":"rating"})";
  for (const std::string& other :
       {export_line, file_of({export_line}), std::string("\x1f\x8b (gzip)")}) {
    EXPECT_EQ(refusal(other),
              "line 1: This is not a backup of ratingd. If the file is compressed, decompress it "
              "first.");
  }
  EXPECT_EQ(refusal(std::string(2 * transfer::kMaxBackupLine, 'x')),
            "line 1: The line is longer than 1048576 bytes.");
  EXPECT_EQ(refusal(file.substr(0, file.size() - 1)), "(it was taken)");
}

TEST_F(BackupTest, RefusesWhatItDoesNotKnow) {
  const std::string header = header_of();
  EXPECT_EQ(refusal(file_of({R"({"ratingd_backup":2})"})),
            "line 1: A newer version of ratingctl has written this backup. Use that version.");
  EXPECT_EQ(refusal(file_of({R"({"ratingd_backup":1})"})),
            "line 1: The header of the backup is not valid.");
  EXPECT_TRUE(refusal(file_of({header_of(99), kState, kEnd}))
                  .ends_with("Install the newer version of ratingd."));
  EXPECT_EQ(refusal(file_of({header_of(2, "Nowhere/\x1b[1m"), kState, kEnd})),
            "line 1: Days are counted in Nowhere/\\x1b[1m, which is unknown on this host."
            " Install tzdata.");
  for (const char* rows : {
           R"({"table":"users; DROP TABLE x","columns":["id"],"rows":[]})",
           R"({"table":"schema","columns":["version"],"rows":[[9]]})",
           R"({"table":"kept_lists","columns":["part"],"rows":[]})",
           R"({"table":"votes","columns":["voter","1) --"],"rows":[]})",
       }) {
    EXPECT_TRUE(refusal(file_of({header, rows, kEnd})).ends_with("or its columns.")) << rows;
  }
  for (const char* rows : {
           R"([])",
           R"({})",
           R"({"table":"state","columns":["name"],"rows":[["a","b"]]})",
           R"({"table":"state","columns":["name"],"rows":[[null]]})",
           R"({"table":"state","columns":[["name"]],"rows":[]})",
           R"({"table":"state","columns":["name"]})",
       }) {
    EXPECT_EQ(refusal(file_of({header, rows, kEnd})),
              "line 2: The line has neither rows of a table nor the end of the backup.")
        << rows;
  }
}

// Returns the lines of a file without their checksums.
std::vector<std::string> objects_of(const std::string& file) {
  std::vector<std::string> objects;
  std::istringstream lines(file);
  for (std::string line; std::getline(lines, line);) objects.push_back(line.substr(65));
  return objects;
}

std::vector<std::string> without(const std::string& table, std::vector<std::string> objects) {
  std::erase_if(objects, [&](const std::string& object) {
    return object.starts_with(R"({"table":")" + table + R"(",)");
  });
  return objects;
}

TEST_F(BackupTest, EachTableIsRequired) {
  cast(vote(1, 1000));  // most tables are empty
  const std::vector<std::string> objects = objects_of(backup());
  ASSERT_EQ(objects.size(), counts_.size() + 2);
  for (const auto& [table, rows] : counts_) {
    const auto others = without(table, objects);
    ASSERT_EQ(others.size(), objects.size() - 1) << table;
    EXPECT_EQ(refusal(file_of(others)), "line 19: The backup has no table " + table + ".");
  }
}

TEST_F(BackupTest, TablesOfNewerVersionsAreNotRequired) {
  BackupHeader header{"test", 2, kNoon, "UTC", "other_"};
  header.has_all_tables = true;
  std::vector<std::string> objects = objects_of(backup());
  objects.front() = text_of(header);
  objects = without("imports", without("zones", without("reasons", objects)));  // newer tables
  EXPECT_EQ(refusal(file_of(without("visitors", objects))),
            "line 16: The backup has no table visitors.");
  EXPECT_EQ(refusal(file_of(objects)), "(it was taken)");
}

// Backups from versions before 0.4 contain no empty tables.
TEST_F(BackupTest, TheStateOfTheRollupsIsRequiredInOlderBackupsToo) {
  cast(vote(1, 1000));
  const std::string votes = R"({"table":"votes","columns":["object_id"],"rows":[]})";
  EXPECT_EQ(refusal(file_of({header_of(), votes, kEnd})),
            "line 3: The backup has no table rollup_state.");
  EXPECT_EQ(refusal(file_of({header_of(), kEnd})), "line 2: The backup has no table rollup_state.");
  EXPECT_EQ(refusal(file_of({header_of(), kState, kState, kEnd})),
            "line 4: The backup must have one row of rollup_state, and has 2.");
  EXPECT_EQ(
      refusal(file_of(
          {header_of(), R"({"table":"rollup_state","columns":["id","zone"],"rows":[]})", kEnd})),
      "line 3: The backup must have one row of rollup_state, and has 0.");
  for (const char* row :
       {R"("columns":["id","zone"],"rows":[[2,"Asia/Tokyo"]])",
        R"("columns":["id","zone"],"rows":[[1,"Nowhere"]])", R"("columns":["id"],"rows":[[1]])",
        R"("columns":["zone"],"rows":[["Asia/Tokyo"]])"}) {
    EXPECT_EQ(refusal(file_of(
                  {header_of(), R"({"table":"rollup_state",)" + std::string(row) + "}", kEnd})),
              "line 2: The row of rollup_state is invalid, or its time zone is unknown.")
        << row;
  }
}

TEST_F(BackupTest, AZoneThatIsUnknownHereIsRefused) {
  const auto with_zone = [](const std::string& zone) {
    return file_of({header_of(), kState,
                    R"({"table":"zones","columns":["rebuilds","since","zone"],"rows":)"
                    R"([[0,"1000-01-01 00:00:00.000000",")" +
                        zone + R"("]]})",
                    kEnd});
  };
  EXPECT_EQ(refusal(with_zone("Nowhere/Else")),
            "line 3: The table zones has a time zone that is unknown on this host.");
  EXPECT_EQ(restore(with_zone("Europe/Berlin"))["zones"], 1U);
}

// A restore preserves the site's former time zones, in which earlier votes were counted.
TEST_F(BackupTest, ZonesAreRestored) {
  const auto zone = [](const char* name) { return base::Zone::named(name).value(); };
  db::Connection connection(database_.endpoint());
  const std::string first = rollups::read_state(connection).zone.name();
  ASSERT_TRUE(rollups::follow_zone(connection, zone("America/New_York"), kNoon));
  cast(vote(1, 1000));
  const std::string file = backup();
  ASSERT_TRUE(rollups::follow_zone(connection, zone("Asia/Kolkata"), kNoon));
  cast(vote(2, 1000));
  static_cast<void>(restore(file, true));
  cast(at(kNoon + 26h, vote(3, 1000)));  // already tomorrow in Kolkata, but not yet in New York
  const base::ZoneHistory zones = rollups::stored_zones(connection);
  EXPECT_EQ(zones.at(kNoon).name(), first);
  EXPECT_EQ(zones.last().name(), "America/New_York");
  expect_verified();
}

TEST_F(BackupTest, RepairsDamagedTables) {
  account_ = database_.ratingctl();
  fill_tables();
  const std::string before = content();
  const std::string file = backup();
  for (const char* damage : {
           "DELETE FROM wp_ratingd_rollup_state",
           "UPDATE wp_ratingd_rollup_state SET zone = 'Nowhere/Else'",
           "UPDATE wp_ratingd_rollup_state SET phase = 9, next_zone = 'Nowhere/Else'",
           "INSERT INTO wp_ratingd_rollup_state (id, zone) VALUES (2, 'UTC')",
           "UPDATE wp_ratingd_rollup_state SET id = 2",
           "DELETE FROM wp_ratingd_totals",
           "DELETE FROM wp_ratingd_writers",
       }) {
    owner().execute(damage);
    static_cast<void>(restore(file, true));
    EXPECT_EQ(content(), before) << damage;
    EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_writers WHERE writer = 0"), 1) << damage;
  }
}

TEST_F(BackupTest, CreatesTablesThatAreLost) {
  account_ = database_.ratingctl();
  cast(vote(1, 1000));
  const std::string before = content();
  const std::string file = backup();
  for (const std::string& table : db::table_names(support::kPrefix)) {
    if (table == "wp_ratingd_schema") continue;  // without it, ratingctl needs migrate first
    db::Connection(database_.owner()).execute("DROP TABLE " + table);
    static_cast<void>(restore(file, true));
    EXPECT_EQ(content(), before) << table;
  }
}

TEST_F(BackupTest, ValuesThatATableRefusesUndoAll) {
  for (const char* value : {R"("x")", "99999999999999999999999", "-1", "1e400"}) {
    const std::string rows =
        R"({"table":"votes","columns":["object_id"],"rows":[[)" + std::string(value) + "]]}";
    EXPECT_NE(refusal(file_of({header_of(), kState, rows, kEnd})), "(it was taken)") << value;
  }
  const std::string rows = R"({"table":"state","columns":["name","value"],"rows":[["a",")" +
                           std::string(300, 'x') + R"("]]})";
  EXPECT_TRUE(refusal(file_of({header_of(), kState, rows, kEnd}))
                  .starts_with("line 3: The table state refuses it: "));
}

TEST_F(BackupTest, TablesOfAnOlderVersionAreTaken) {
  const std::string votes =
      R"({"table":"votes","columns":["object_id","object_type","category","voter","value",)"
      R"("created_at","rated_at"],"rows":[[42,"post",0,9223372036854775809,1000,)"
      R"("2026-11-21 12:00:00.000000","2026-11-21 12:00:00.000000"]]})";
  static_cast<void>(restore(file_of({header_of(1), kState, votes, kEnd})));
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_votes WHERE voter = 9223372036854775809"), 1);
  db::Connection connection(account_);
  EXPECT_EQ(rollups::read_state(connection).zone.name(), "Asia/Tokyo");
}

}  // namespace
