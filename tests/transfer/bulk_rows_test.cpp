#include "transfer/bulk_rows.h"

#include <gtest/gtest.h>

#include "support/database.h"

namespace {

using namespace std::chrono_literals;
using transfer::Slices;

TEST(Slices, GrowWhileTheyAreFastUpToTheMost) {
  Slices slices;
  EXPECT_EQ(slices.rows(), Slices::kFirst);
  slices.adapt(slices.rows(), 1ms);
  EXPECT_EQ(slices.rows(), 2 * Slices::kFirst);
  for (int i = 0; i < 10; ++i) slices.adapt(slices.rows(), 1ms);
  EXPECT_EQ(slices.rows(), Slices::kMost);
}

TEST(Slices, ShrinkAtOnceWhenTheyAreSlow) {
  Slices slices;
  slices.adapt(slices.rows(), 2 * Slices::kTargetTime);
  EXPECT_EQ(slices.rows(), Slices::kFirst / 2);
  slices.adapt(slices.rows(), 1h);
  EXPECT_EQ(slices.rows(), Slices::kLeast);
}

TEST(Slices, FitTheTargetTime) {
  Slices slices;
  slices.adapt(200, Slices::kTargetTime / 2);
  EXPECT_EQ(slices.rows(), 400U);
}

TEST(SlicesOfRatings, AreLongWhileNobodyVotes) {
  const support::Database database;
  db::Connection connection(database.endpoint());
  const std::uint64_t writer = rollups::add_writer(connection, 8);
  Slices slices = Slices::of_ratings(connection);
  for (int i = 0; i < 10; ++i) slices.adapt(1000, Slices::kTargetTimeAlone);
  EXPECT_EQ(slices.rows(), 1000U);
  connection.execute("UPDATE {prefix}ratingd_writers SET sequence = 1 WHERE writer = ?", writer);
  slices.adapt(1000, Slices::kTargetTimeAlone);
  EXPECT_EQ(slices.rows(), 1000 * Slices::kTargetTimeOfRatings / Slices::kTargetTimeAlone);
  rollups::note_change(connection);  // the operation itself does the same
  for (int i = 0; i < 10; ++i) slices.adapt(1000, Slices::kTargetTimeAlone);
  EXPECT_EQ(slices.rows(), 1000U);
}

}  // namespace
