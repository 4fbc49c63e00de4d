#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "store/rollup_store.h"
#include "store/verification.h"
#include "store/vote_writer.h"
#include "support/database.h"
#include "support/stats_memory.h"

namespace support {

inline const model::Object kPost{42, "post"};
inline const base::Time kNoon =
    base::Day(std::chrono::year(2026) / 11 / 21) + std::chrono::hours(12);

// What "voter" sends at noon.
inline store::Ballot vote(model::VoterId voter, model::Thousandths value,
                          model::Category category = model::Category::binary) {
  store::Ballot ballot;
  ballot.key = {kPost, category, voter};
  ballot.value = value;
  ballot.received_at = kNoon;
  return ballot;
}

inline store::Ballot withdrawal(model::VoterId voter,
                                model::Category category = model::Category::binary) {
  store::Ballot ballot = vote(voter, 0, category);
  ballot.value.reset();
  return ballot;
}

// A writer on a database of the test's own, and what the tables then say.
class Voting : public ::testing::Test {
 protected:
  static const model::Totals& totals(const store::Receipt& receipt, model::Category category) {
    return receipt.stats[static_cast<std::size_t>(category)];
  }
  model::Stats stored_stats() {
    db::Connection connection(database_.endpoint());
    return store::RollupStore(kPrefix).read_stats(connection, {&kPost, 1}).at(kPost);
  }
  std::int64_t number(const std::string& query) {
    db::Connection connection(database_.endpoint());
    db::Rows row = connection.query(query);
    return row.next() ? row.integer(1) : -1;
  }
  void expect_verified() {
    db::Connection connection(database_.endpoint());
    for (const auto& difference : store::find_differences(connection, kPrefix)) {
      ADD_FAILURE() << difference.rollup << " " << difference.row;
    }
  }

  Database database_;
  base::Log log_{base::LogLevel::error};
  StatsMemory memory_;
  const store::StatsStore stats_{kPrefix, memory_.cache()};
  store::VoteWriter writer_{database_.endpoint(), kPrefix, stats_, log_, {}};
};

}  // namespace support
