#include "db/multi_statement.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/text.h"
#include "db/bulk_statement.h"
#include "support/database.h"
#include "support/server.h"

namespace {

db::Endpoint with_multi_statements(db::Endpoint endpoint) {
  endpoint.takes_multi_statements = true;
  return endpoint;
}

class MultiStatement : public ::testing::Test {
 protected:
  void SetUp() override {
    connection_.execute(
        "CREATE TEMPORARY TABLE things (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, number BIGINT,"
        " word VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin, bytes VARBINARY(300),"
        " at DATETIME(6), day DATE)");
  }
  void insert(std::uint64_t id) {
    connection_.prepare("INSERT INTO things (id) VALUES (?)").bind(id).execute();
  }
  std::string text(const std::string& query) {
    db::Rows row = connection_.query(query);
    return row.next() ? row.text(1) : "none";
  }

  support::Database database_;
  db::Connection connection_{with_multi_statements(database_.cms())};
};

TEST_F(MultiStatement, TextsNameTheTablesOfTheSiteAndValuesStay) {
  connection_.execute("CREATE TEMPORARY TABLE {prefix}words (word VARCHAR(64))");
  db::MultiStatement all(connection_);
  connection_.execute("INSERT INTO {prefix}words VALUES (?)", "{prefix}words");
  connection_.execute("SELECT word FROM {prefix}words WHERE word = ?", "{prefix}words");
  EXPECT_EQ(all.run().at(0).first(db::text_in), "{prefix}words");
}

TEST_F(MultiStatement, ValuesOfAllTypesArriveAsTheyAre) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  const std::string word = R"(it's "a"; -- \' ? DROP)";
  const base::Day day = std::chrono::year(2026) / 11 / 22;
  {
    db::MultiStatement all(connection_);
    connection_.prepare("INSERT INTO things VALUES (?, ?, ?, ?, ?, ?)")
        .bind(~std::uint64_t{0})
        .bind(std::int64_t{-7})
        .bind(word)
        .bind(bytes)
        .bind(base::Time(day) + std::chrono::microseconds(1))
        .bind(day)
        .execute();
    all.run();
  }
  EXPECT_EQ(text("SELECT CONCAT_WS(' ', id, number, word, HEX(bytes) = '" + base::to_hex(bytes) +
                 "', at, day) FROM things"),
            "18446744073709551615 -7 " + word + " 1 2026-11-22 00:00:00.000001 2026-11-22");
}

TEST_F(MultiStatement, StatementsAreRunInTheirOrderAndTogether) {
  db::MultiStatement all(connection_);
  insert(1);
  EXPECT_TRUE(connection_.collects());
  EXPECT_THROW(static_cast<void>(connection_.query("SELECT 1")), std::logic_error);
  EXPECT_THROW(static_cast<void>(connection_.prepare("SELECT 1").query()), std::logic_error);
  connection_.prepare("UPDATE things SET number = ?").bind(std::int64_t{5}).execute();
  insert(2);
  all.run();
  EXPECT_FALSE(connection_.collects());
  EXPECT_EQ(text("SELECT GROUP_CONCAT(id, ':', COALESCE(number, 0) ORDER BY id) FROM things"),
            "1:5,2:0");
}

TEST_F(MultiStatement, RowsComeInTheOrderOfTheStatementsThatReturnSome) {
  db::MultiStatement all(connection_);
  connection_.execute("START TRANSACTION");
  insert(1);
  insert(2);
  all.add_changed_rows();
  connection_.prepare("UPDATE things SET number = 7 WHERE id > ?").bind(std::int64_t{0}).execute();
  all.add_changed_rows();
  connection_.prepare("SELECT id FROM things WHERE id > ? ORDER BY id")
      .bind(std::int64_t{0})
      .execute();
  auto results = all.run();
  connection_.execute("ROLLBACK");
  ASSERT_EQ(results.size(), 3U);
  ASSERT_TRUE(results[0].next());
  EXPECT_EQ(results[0].integer(1), 1);
  ASSERT_TRUE(results[1].next());
  EXPECT_EQ(results[1].integer(1), 2);
  EXPECT_FALSE(results[1].next());
  ASSERT_TRUE(results[2].next());
  ASSERT_TRUE(results[2].next());
  EXPECT_EQ(results[2].integer(1), 2);
}

TEST_F(MultiStatement, AWordFindsTheIndexOfItsColumn) {
  connection_.execute("ALTER TABLE things ADD INDEX by_word (word)");
  for (std::uint64_t id = 1; id <= 50; ++id) {
    connection_.prepare("INSERT INTO things (id, word) VALUES (?, ?)")
        .bind(id)
        .bind("word." + std::to_string(id))
        .execute();
  }
  const unsigned index_column = support::is_mariadb(connection_) ? 6 : 7;
  db::MultiStatement all(connection_);
  connection_.prepare("EXPLAIN FORMAT=TRADITIONAL SELECT id FROM things WHERE word = ?")
      .bind("word.7")
      .execute();
  auto results = all.run();
  ASSERT_TRUE(results.at(0).next());
  EXPECT_EQ(results[0].text(index_column), "by_word");
}

TEST_F(MultiStatement, NothingIsRunBehindAnError) {
  {
    db::MultiStatement all(connection_);
    insert(1);
    insert(1);
    insert(2);
    EXPECT_THROW(all.run(), db::BadData);
  }
  EXPECT_EQ(text("SELECT GROUP_CONCAT(id) FROM things"), "1");
  insert(3);  // the session can be used
  EXPECT_EQ(text("SELECT GROUP_CONCAT(id ORDER BY id) FROM things"), "1,3");
}

TEST_F(MultiStatement, WhatIsNotRunIsDiscarded) {
  {
    const db::MultiStatement all(connection_);
    insert(1);
  }
  EXPECT_EQ(text("SELECT COUNT(*) FROM things"), "0");
  db::MultiStatement none(connection_);
  none.run();
  insert(2);
  EXPECT_EQ(text("SELECT COUNT(*) FROM things"), "1");
}

TEST_F(MultiStatement, RowsAreNotRepeated) {
  const db::BulkStatement bulk{{"INSERT INTO things (id) VALUES ", "(?)", ", ", ""}};
  std::vector<std::uint64_t> ids;
  for (std::uint64_t id = 1; id <= 137; ++id) ids.push_back(id);
  db::MultiStatement all(connection_);
  bulk.execute(connection_, ids,
               [](db::Statement& statement, std::uint64_t id, bool) { statement.bind(id); });
  all.run();
  EXPECT_EQ(text("SELECT COUNT(*) FROM things"), "137");
}

}  // namespace
