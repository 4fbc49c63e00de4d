// Tests how lib/imports/plugin_import.h handles plugin tables that the server cannot read.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "imports/damaged_table.h"
#include "support/plugin_votes.h"

namespace {

class DamagedTables : public support::PluginVotes {
 protected:
  DamagedTables() {
    load_with_privileges(imports::yasr::kPlugin);
    load_with_privileges(imports::ratepress::kPlugin);
  }
  // Returns the reported damage, in the form "yasr_log: ...". Also checks that votes from another
  // plugin can be imported.
  std::string damage() {
    db::Connection connection(ratingctl());
    std::string damage;
    for (const auto& [plugin, tables] : imports::find_plugins(connection)) {
      EXPECT_EQ(tables.is_enough, plugin->name == "ratepress") << plugin->name;
      for (const auto& [table, error] : tables.damaged) {
        damage += std::string(table) + ": " + error;
      }
    }
    EXPECT_GT(import(imports::ratepress::kPlugin).ratings.added, 0U);
    return damage;
  }
  // Damages the row that contains "text" in a MyISAM table by overwriting the row's header, which
  // precedes the fixed-length columns.
  static void overwrite(const std::filesystem::path& path, const std::string& text) {
    std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(stream), {}};
    const std::size_t at = content.find(text);
    constexpr std::size_t kBytesBefore = 36;
    ASSERT_NE(at, std::string::npos);
    stream.seekp(static_cast<std::streamoff>(at - kBytesBefore));
    stream << std::string(12, '\xff');
  }
  // Returns the path of a table's file in the test database. The file need not exist.
  std::filesystem::path file(const std::string& name) {
    const std::string folder = lines("SELECT @@datadir").front();
    return std::filesystem::path(folder) / database_.names().database / name;
  }
};

TEST_F(DamagedTables, CrashedMyIsamTableIsNamed) {
  owner_.execute("ALTER TABLE wp_yasr_log ENGINE = MyISAM");
  owner_.execute("FLUSH TABLES");
  if (!std::filesystem::exists(file("wp_yasr_log.MYI"))) GTEST_SKIP() << "no file of the table";
  std::ofstream(file("wp_yasr_log.MYI"), std::ios::trunc) << "damaged";
  const std::string found = damage();
  EXPECT_TRUE(found.starts_with("yasr_log: ")) << found;
  EXPECT_NE(found.find("wp_yasr_log"), std::string::npos) << found;
}

TEST_F(DamagedTables, MyIsamTableWithDamagedRowsIsNamed) {
  owner_.execute("ALTER TABLE wp_yasr_log ENGINE = MyISAM");
  owner_.execute("FLUSH TABLES");
  if (!std::filesystem::exists(file("wp_yasr_log.MYD"))) GTEST_SKIP() << "no file of the table";
  std::filesystem::resize_file(file("wp_yasr_log.MYD"), 3);
  const std::string found = damage();
  EXPECT_TRUE(found.starts_with("yasr_log: ")) << found;
}

// The import stores either all of an object's votes or none. After the table has been repaired,
// another import adds the missing votes.
TEST_F(DamagedTables, ImportNamesTheFirstDamagedRowAndCanBeRepeated) {
  owner_.execute("ALTER TABLE wp_yasr_log ENGINE = MyISAM, ADD KEY (post_id)");
  owner_.execute("DELETE FROM wp_yasr_log");
  constexpr int kObjects = 600;  // more than a range has
  for (int object = 1; object <= kObjects; ++object) {
    owner_.execute("INSERT IGNORE INTO wp_posts (ID) VALUES (?)", object);
    for (const int user : {7, 8}) {
      const int row = 2 * object + user;
      owner_.execute("INSERT INTO wp_yasr_log VALUES (?, ?, ?, 4, '2026-01-10 12:00:00', ?)", row,
                     object, user, "row " + std::to_string(row));
    }
  }
  owner_.execute("FLUSH TABLES");
  if (!std::filesystem::exists(file("wp_yasr_log.MYD"))) GTEST_SKIP() << "no file of the table";
  overwrite(file("wp_yasr_log.MYD"), "row 1101");
  for (const bool is_dry : {true, false}) {
    try {
      import(imports::yasr::kPlugin, is_dry);
      FAIL() << "the table is not damaged";
    } catch (const imports::DamagedTable& error) {
      const std::string said = error.what();
      EXPECT_TRUE(said.starts_with("Row 1101 of the wp_yasr_log table cannot be read: ")) << said;
    }
  }
  EXPECT_EQ(lines("SELECT object_id FROM wp_ratingd_votes GROUP BY object_id HAVING COUNT(*) < 2"),
            support::Lines());
  EXPECT_FALSE(lines("REPAIR TABLE wp_yasr_log").empty());
  import(imports::yasr::kPlugin);
  EXPECT_EQ(lines("SELECT COUNT(*) FROM wp_ratingd_votes"), support::Lines{"1199"});
  expect_verified();
}

// A Galera node reports an error if a transaction conflicts with a write on another node, but this
// error does not mean that a table is damaged.
TEST_F(DamagedTables, ConflictInAnImportIsNoDamage) {
  owner_.execute("RENAME TABLE wp_yasr_log TO wp_yasr_log_of_old");
  owner_.execute(
      "CREATE FUNCTION wp_conflict() RETURNS INT READS SQL DATA BEGIN"
      " SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213; RETURN 0; END");
  owner_.execute(
      "CREATE VIEW wp_yasr_log AS SELECT id, IF(id = 2, wp_conflict(), post_id) AS post_id,"
      " user_id, vote, date, ip FROM wp_yasr_log_of_old");
  EXPECT_THROW(import(imports::yasr::kPlugin), db::Conflict);
}

TEST_F(DamagedTables, MissingTablespaceIsNamed) {
  owner_.execute("ALTER TABLE wp_yasr_log DISCARD TABLESPACE");
  const std::string found = damage();
  EXPECT_TRUE(found.starts_with("yasr_log: ")) << found;
  EXPECT_NE(found.find("ablespace"), std::string::npos) << found;
}

// In this test, the files of the database have been copied without InnoDB's own files.
TEST_F(DamagedTables, TableThatItsEngineDoesNotKnowIsNamed) {
  owner_.execute("FLUSH TABLES");
  if (!std::filesystem::exists(file("wp_yasr_log.frm"))) GTEST_SKIP() << "no file of the table";
  std::filesystem::copy_file(file("wp_yasr_log.frm"), file("wp_copy.frm"));
  owner_.execute("DROP TABLE wp_yasr_log");
  std::filesystem::rename(file("wp_copy.frm"), file("wp_yasr_log.frm"));
  const std::string found = damage();
  EXPECT_TRUE(found.starts_with("yasr_log: ")) << found;
  EXPECT_NE(found.find("engine"), std::string::npos) << found;
  std::filesystem::remove(file("wp_yasr_log.frm"));
}

TEST_F(DamagedTables, ViewWithoutItsDefinerIsNamed) {
  const std::string account = "'gone'@'localhost'";
  owner_.execute("CREATE USER " + account);
  owner_.execute("RENAME TABLE wp_yasr_log TO wp_yasr_log_of_old");
  owner_.execute("CREATE DEFINER = " + account +
                 " VIEW wp_yasr_log AS SELECT * FROM wp_yasr_log_of_old");
  owner_.execute("DROP USER " + account);
  const std::string found = damage();
  EXPECT_TRUE(found.starts_with("yasr_log: ")) << found;
  EXPECT_NE(found.find("definer"), std::string::npos) << found;
}

TEST_F(DamagedTables, ViewOfAMissingTableIsNamed) {
  owner_.execute("RENAME TABLE wp_yasr_log TO wp_yasr_log_of_old");
  owner_.execute("CREATE VIEW wp_yasr_log AS SELECT * FROM wp_yasr_log_of_old");
  owner_.execute("DROP TABLE wp_yasr_log_of_old");
  const std::string found = damage();
  EXPECT_TRUE(found.starts_with("yasr_log: ")) << found;
  EXPECT_NE(found.find("wp_yasr_log"), std::string::npos) << found;
}

TEST_F(DamagedTables, MissingColumnIsNoDamage) {
  owner_.execute("ALTER TABLE wp_yasr_log DROP COLUMN vote");
  try {
    import(imports::yasr::kPlugin);
    FAIL() << "the column is not missing";
  } catch (const imports::DamagedTable& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("lacks a column"), std::string::npos) << said;
    EXPECT_NE(said.find("wp_yasr_log"), std::string::npos) << said;
    EXPECT_NE(said.find("'vote'"), std::string::npos) << said;
  }
}

TEST(IsOfTable, ErrorsOfStatementsAndFullDisksAreNoDamage) {
  EXPECT_TRUE(imports::is_of_table(db::Failure(145, "the table is marked as crashed")));
  for (const int code : {1054, 1104, 1267, 1305}) {
    EXPECT_FALSE(imports::is_of_table(db::Failure(code, "wrong statement"))) << code;
  }
  EXPECT_FALSE(imports::is_of_table(db::NoRoom(1021, "the disk is full")));
}

}  // namespace
