#include "rollups/writers.h"

#include <gtest/gtest.h>

#include <set>

#include "db/multi_statement.h"
#include "db/transaction.h"
#include "rollups/rollup_state.h"
#include "support/database.h"

namespace {

using rollups::Changed;

constexpr std::uint8_t kSlots = 16;

class WriterRows : public ::testing::Test {
 protected:
  static db::Endpoint for_many(db::Endpoint endpoint) {
    endpoint.takes_multi_statements = true;
    return endpoint;
  }

  std::int64_t raise(std::uint64_t writer, std::uint64_t sequence) {
    std::int64_t changed = -1;
    db::in_transaction(connection_, 1, [&] {
      db::MultiStatement statements(connection_);
      rollups::add_raise_sequence(connection_, writer, sequence);
      statements.add_changed_rows();
      auto results = statements.run();
      if (results.front().next()) changed = results.front().integer(1);
    });
    return changed;
  }

  std::int64_t number(const std::string& query) {
    db::Rows row = connection_.query(query);
    return row.next() ? row.integer(1) : -1;
  }

  support::Database database_;
  db::Connection connection_{for_many(database_.endpoint())};
};

TEST_F(WriterRows, BatchRaisesTheSequenceOnce) {
  const std::uint64_t writer = rollups::add_writer(connection_, kSlots);
  EXPECT_EQ(rollups::read_sequence(connection_, writer), 0U);
  EXPECT_EQ(raise(writer, 1), 1);
  EXPECT_EQ(raise(writer, 1), 0);
  EXPECT_EQ(raise(writer, 3), 1);  // batch 2 failed, but may still be committed before batch 3
  EXPECT_EQ(raise(writer, 2), 0);  // batch 2 must not be committed after batch 3
  EXPECT_EQ(rollups::read_sequence(connection_, writer), 3U);
}

TEST_F(WriterRows, UnknownWriterHasNone) {
  EXPECT_EQ(rollups::read_sequence(connection_, 42), std::nullopt);
  EXPECT_EQ(raise(42, 1), 0);
}

TEST_F(WriterRows, NewWritersUseDifferentSlots) {
  std::set<std::uint64_t> slots;
  for (int i = 0; i < kSlots; ++i) slots.insert(rollups::add_writer(connection_, kSlots) % kSlots);
  EXPECT_EQ(slots.size(), kSlots);
}

TEST_F(WriterRows, RowsThatAreNotUsedForAWeekAreDeleted) {
  const std::uint64_t old = rollups::add_writer(connection_, kSlots);
  const std::uint64_t recent = rollups::add_writer(connection_, kSlots);
  raise(old, 1);
  db::Connection owner(database_.cms());
  owner.execute(
      "UPDATE wp_ratingd_writers SET seen_on = UTC_DATE() - INTERVAL 8 DAY WHERE writer = ?", old);
  static_cast<void>(rollups::add_writer(connection_, kSlots));
  EXPECT_EQ(rollups::read_sequence(connection_, old), std::nullopt);
  EXPECT_EQ(rollups::read_sequence(connection_, recent), 0U);
  EXPECT_TRUE(rollups::read_sequence(connection_, 0));  // of all other writers
}

// Transactions on two nodes of a cluster conflict only if they change the same row.
TEST_F(WriterRows, FenceChangesEveryRow) {
  static_cast<void>(rollups::add_writer(connection_, kSlots));
  static_cast<void>(rollups::add_writer(connection_, kSlots));
  const auto fenced = [&] { return number("SELECT SUM(fence) FROM wp_ratingd_writers"); };
  db::in_transaction(connection_, 1, [&] { rollups::fence_writers(connection_); });
  EXPECT_EQ(fenced(), 3);
  db::in_transaction(connection_, 1,
                     [&] { static_cast<void>(rollups::lock_exclusive(connection_)); });
  EXPECT_EQ(fenced(), 6);
}

TEST_F(WriterRows, NewWriterAndOtherChangesConflictWithAFence) {
  const auto of_others = [&] {
    return number("SELECT sequence FROM wp_ratingd_writers WHERE writer = 0");
  };
  const std::int64_t before = of_others();
  static_cast<void>(rollups::add_writer(connection_, kSlots));
  EXPECT_EQ(of_others(), before + 1);
  db::in_transaction(connection_, 1,
                     [&] { static_cast<void>(rollups::lock_for_change(connection_)); });
  EXPECT_EQ(of_others(), before + 2);
}

constexpr std::uint64_t kWriter = 9;

class BatchLog : public ::testing::Test {
 protected:
  void add(std::uint64_t before, std::uint64_t after, const Changed& changed = {}) {
    rollups::log_batch(connection_, kWriter, {before, after}, changed);
  }
  std::optional<Changed> read(std::uint64_t before, std::uint64_t after) {
    return rollups::changed_by_batches(connection_, kWriter, {before, after});
  }

  support::Database database_;
  db::Connection connection_{database_.endpoint()};
};

TEST_F(BatchLog, HasWhatSeveralBatchesChanged) {
  add(0, 1, {{{1, "post"}}, {5}});
  add(1, 3, {{{2, "post:taste"}}, {6, 18446744073709551615U}});
  add(3, 4, {{{3, "page"}}, {7}});
  EXPECT_EQ(read(0, 3), (Changed{{{1, "post"}, {2, "post:taste"}}, {5, 6, 18446744073709551615U}}));
  EXPECT_EQ(read(3, 4), (Changed{{{3, "page"}}, {7}}));
}

TEST_F(BatchLog, SaysNothingIfABatchIsMissing) {
  add(1, 2);
  add(3, 4);
  EXPECT_FALSE(read(0, 2)) << "the first";
  EXPECT_FALSE(read(1, 4)) << "one between";
  EXPECT_FALSE(read(3, 5)) << "the last";
  EXPECT_TRUE(read(3, 4));
}

TEST_F(BatchLog, KeepsTheLastBatchesOfAWriter) {
  for (std::uint64_t batch = 0; batch <= rollups::kLoggedBatches; ++batch) add(batch, batch + 1);
  EXPECT_TRUE(read(1, rollups::kLoggedBatches + 1));
  EXPECT_FALSE(read(0, 1));
}

TEST_F(BatchLog, SaysNothingIfARowIsDamaged) {
  add(0, 1);
  connection_.execute("UPDATE wp_ratingd_batches SET changed = '1/post x'");
  EXPECT_FALSE(read(0, 1));
}

}  // namespace
