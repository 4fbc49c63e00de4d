#include "transfer/retention.h"

#include <gtest/gtest.h>

#include <string>

#include "support/clock.h"
#include "support/database.h"

namespace {

using support::kNow;
using namespace std::chrono_literals;

class AddressRetention : public ::testing::Test {
 protected:
  void add_votes(int count, base::Time rated_at) {
    for (int i = 0; i < count; ++i) {
      connection_.execute(
          "INSERT INTO wp_ratingd_votes (object_id, object_type, category, voter, value,"
          " created_at, rated_at, address) VALUES (1, 'post', 0, ?, 1000, ?, ?, 'h')",
          std::int64_t{++voter_}, rated_at, rated_at);
    }
  }
  std::int64_t erase(base::Time before) {
    return transfer::erase_old_addresses(connection_, before);
  }
  std::int64_t addresses() {
    db::Rows row = connection_.query("SELECT COUNT(*) FROM wp_ratingd_votes WHERE address <> ''");
    return row.next() ? row.integer(1) : -1;
  }

  support::Database database_;
  db::Connection connection_{database_.endpoint()};
  std::int64_t voter_ = 0;
};

TEST_F(AddressRetention, AddressesOfOldVotesAreErasedAndOthersStay) {
  add_votes(3, kNow - 1h);
  add_votes(2, kNow);
  EXPECT_EQ(erase(kNow), 3);
  EXPECT_EQ(addresses(), 2);
  EXPECT_EQ(erase(kNow), 0);
}

TEST_F(AddressRetention, ManyVotesOfOneMomentAreOneSlice) {
  add_votes(1203, kNow - 1h);
  add_votes(601, kNow - 59min);
  EXPECT_EQ(erase(kNow), 1804);
  EXPECT_EQ(addresses(), 0);
}

TEST_F(AddressRetention, TheNextCallReadsNewerVotesOnly) {
  EXPECT_EQ(erase(kNow), 0);
  add_votes(1, kNow - 1h);  // not read, because no vote is cast in the past
  add_votes(1, kNow + 1h);
  EXPECT_EQ(erase(kNow + 2h), 1);
}

TEST_F(AddressRetention, AnEarlierLimitErasesNothing) {
  add_votes(1, kNow);
  EXPECT_EQ(erase(kNow + 1h), 1);
  EXPECT_EQ(erase(kNow), 0);
}

TEST_F(AddressRetention, AClockThatWasAheadDoesNotEndIt) {
  add_votes(1, kNow - 1h);
  EXPECT_EQ(erase(kNow + std::chrono::years(1)), 1);
  EXPECT_EQ(erase(kNow), 0);
  add_votes(1, kNow + 1h);
  EXPECT_EQ(erase(kNow + 2h), 1);
}

}  // namespace
