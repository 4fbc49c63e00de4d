#include "rollups/batch_log.h"

#include <gtest/gtest.h>

#include "support/database.h"

namespace {

using rollups::Changed;

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
