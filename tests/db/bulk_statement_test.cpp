#include "db/bulk_statement.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "support/database.h"

namespace {

using Numbers = std::vector<std::int64_t>;

class BulkStatement : public ::testing::Test {
 protected:
  void SetUp() override {
    connection_.execute(
        "CREATE TEMPORARY TABLE numbers (number BIGINT NOT NULL PRIMARY KEY, times INT NOT NULL)");
  }

  static Numbers up_to(std::size_t count) {
    Numbers numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1);
    return numbers;
  }
  // Inserts each number in "numbers". If a number already exists, adds 1 to its count.
  std::uint64_t insert(const Numbers& numbers) {
    return insert_.execute(connection_, numbers,
                           [&](db::Statement& statement, std::int64_t number, bool is_repetition) {
                             statement.bind(number).bind(std::int64_t{is_repetition ? 0 : 1});
                             (is_repetition ? repeated_ : bound_).push_back(number);
                           });
  }
  std::int64_t value(const std::string& query) {
    db::Rows row = connection_.query(query);
    return row.next() ? row.integer(1) : -1;
  }
  std::int64_t prepared() {
    db::Rows row = connection_.query("SHOW SESSION STATUS LIKE 'Com_stmt_prepare'");
    return row.next() ? row.integer(2) : -1;
  }

  support::Database database_;
  db::Connection connection_{database_.cms()};
  const db::BulkStatement insert_{{"INSERT INTO numbers VALUES ", "(?, ?)", ", ",
                                   " ON DUPLICATE KEY UPDATE times = times + VALUES(times)"}};
  Numbers bound_, repeated_;
};

TEST_F(BulkStatement, AnyNumberOfRowsHasItsEffectOnce) {
  for (const std::size_t count :
       {1U, 2U, 8U, 9U, 33U, 63U, 64U, 65U, 130U, 511U, 512U, 513U, 1100U}) {
    connection_.execute("DELETE FROM numbers");
    EXPECT_EQ(insert(up_to(count)), count);
    EXPECT_EQ(value("SELECT COUNT(*) FROM numbers"), static_cast<std::int64_t>(count));
    EXPECT_EQ(value("SELECT SUM(times) FROM numbers"), static_cast<std::int64_t>(count));
  }
}

TEST_F(BulkStatement, RowsAreBoundInTheirOrder) {
  insert(up_to(130));
  EXPECT_EQ(bound_, up_to(130));
}

TEST_F(BulkStatement, LastRowIsRepeatedUpToTheNextPreparedNumber) {
  insert(up_to(9));  // prepares 10 rows
  EXPECT_EQ(repeated_, Numbers{9});
  repeated_.clear();
  insert(up_to(33));  // 40
  EXPECT_EQ(repeated_, Numbers(7, 33));
  repeated_.clear();
  insert(up_to(64));
  EXPECT_EQ(repeated_, Numbers{});
}

TEST_F(BulkStatement, ManyRowsTakeFewStatements) {
  const auto executed = [&] {
    db::Rows row = connection_.query("SHOW SESSION STATUS LIKE 'Com_stmt_execute'");
    return row.next() ? row.integer(2) : -1;
  };
  const std::int64_t before = executed();
  insert(up_to(2 * db::BulkStatement::kManyRows + db::BulkStatement::kMaxRows));
  EXPECT_EQ(executed() - before, 3);
}

TEST_F(BulkStatement, ChangedRowCountsTwice) {
  EXPECT_EQ(insert({1, 2}), 2U);
  EXPECT_EQ(insert({2, 3}), 3U);
}

TEST_F(BulkStatement, NoRowsSendNothing) {
  const std::int64_t before = prepared();
  EXPECT_EQ(insert({}), 0U);
  EXPECT_EQ(prepared(), before);
}

TEST_F(BulkStatement, SessionKeepsFewStatements) {
  const std::int64_t before = prepared();
  for (int round = 0; round < 2; ++round) {
    for (std::size_t count = 1; count <= db::BulkStatement::kMaxRows; ++count) insert(up_to(count));
  }
  EXPECT_EQ(prepared() - before, 20);
}

TEST_F(BulkStatement, QueryReadsTheRowsOfAllItsParts) {
  insert(up_to(100));
  const db::BulkStatement select(
      {"SELECT number FROM numbers WHERE number IN (", "?", ", ", ") ORDER BY number"});
  const Numbers asked = up_to(130);
  Numbers found;
  select.query(
      connection_, asked,
      [](db::Statement& statement, std::int64_t number, bool) { statement.bind(number); },
      [&](const db::Rows& row) { found.push_back(row.integer(1)); });
  EXPECT_EQ(found, up_to(100));
}

}  // namespace
