#include "db/lease.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "db/transaction.h"
#include "support/database.h"

namespace {

using namespace std::chrono_literals;

// Uses two database sessions to simulate two hosts.
class Lease : public ::testing::Test {
 protected:
  static db::Lease take(db::Connection& connection, std::chrono::seconds max_wait = 0s) {
    return {connection, "work", max_wait, "Somebody works."};
  }

  void expire() {
    owner_.execute(
        "UPDATE wp_ratingd_leases SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND");
  }

  std::int64_t number(const std::string& query) {
    db::Rows row = owner_.query(query);
    return row.next() ? row.integer(1) : -1;
  }

  support::Database database_;
  db::Connection owner_{database_.cms()};
  db::Connection here_{database_.endpoint()};
  db::Connection there_{database_.endpoint()};
};

TEST_F(Lease, ExcludesOthersUntilItEnds) {
  {
    const db::Lease lease = take(here_);
    EXPECT_THROW(take(there_), db::Busy);
  }
  take(there_);
  take(here_);
}

TEST_F(Lease, LeasesWithOtherNamesAreFree) {
  const db::Lease lease = take(here_);
  EXPECT_NO_THROW(db::Lease(there_, "other work", 0s, "Somebody works."));
}

TEST_F(Lease, IsWaitedFor) {
  std::optional<db::Lease> lease;
  lease.emplace(here_, "work", 0s, "Somebody works.");
  std::atomic<bool> is_released = false;
  std::thread waiting([&] {
    EXPECT_NO_THROW(take(there_, 30s));
    EXPECT_TRUE(is_released);
  });
  is_released = true;
  lease.reset();
  waiting.join();
}

TEST_F(Lease, OfADeadHolderIsTakenOver) {
  owner_.execute(
      "INSERT INTO wp_ratingd_leases VALUES ('work', 42, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR, 7)");
  EXPECT_THROW(take(here_), db::Busy);
  expire();
  const db::Lease lease = take(here_);
  EXPECT_THROW(take(there_), db::Busy);
}

TEST_F(Lease, OfALostSessionIsReleased) {
  {
    const db::Lease lease = take(here_);
    db::Rows row = here_.query("SELECT CONNECTION_ID()");
    ASSERT_TRUE(row.next());
    owner_.execute("KILL " + row.text(1));
    EXPECT_THROW(here_.execute("SELECT 1"), db::ConnectionLost);
  }
  EXPECT_NO_THROW(take(there_));
}

TEST_F(Lease, OneOfManyTakesIt) {
  std::atomic<int> taken = 0;
  std::atomic<int> tried = 0;
  constexpr int kThreads = 8;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      db::Connection connection(database_.endpoint());
      std::optional<db::Lease> lease;
      try {
        lease.emplace(connection, "work", 0s, "Somebody works.");
        ++taken;
      } catch (const db::Busy&) {
      }
      ++tried;
      while (tried < kThreads) std::this_thread::yield();  // nobody returns the lease before
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, 1);
}

TEST_F(Lease, HolderThatWasReplacedCommitsNothing) {
  db::Lease stopped = take(here_);
  expire();
  const db::Lease lease = take(there_);
  EXPECT_THROW(stopped.confirm(), db::LeaseLost);
  EXPECT_THROW(
      db::in_transaction(
          here_, 3, [&] { here_.execute("INSERT INTO wp_ratingd_state VALUES ('stopped', '1')"); }),
      db::LeaseLost);
  EXPECT_EQ(number("SELECT COUNT(*) FROM wp_ratingd_state WHERE name = 'stopped'"), 0);
  EXPECT_NO_THROW(db::in_transaction(there_, 1, [] {}));
}

// A transaction locks the row of the lease, so nobody can take over the lease before the
// transaction ends.
TEST_F(Lease, NobodyTakesOverDuringATransaction) {
  const db::Lease lease = take(here_);
  expire();
  const db::Transaction transaction(here_);
  EXPECT_THROW(take(there_), db::Busy);
}

TEST_F(Lease, OfASilentHolderIsWaitedFor) {
  owner_.execute(
      "INSERT INTO wp_ratingd_leases VALUES ('work', 42, UTC_TIMESTAMP(6) + INTERVAL 3 SECOND, 7)");
  EXPECT_NO_THROW(take(here_, 1s));
}

TEST_F(Lease, OfABusyHolderIsWaitedForAsLongAsAsked) {
  const db::Lease lease = take(here_);
  EXPECT_THROW(take(there_, 1s), db::Busy);
}

TEST_F(Lease, EachTransactionRaisesTheGenerationAndRenews) {
  const db::Lease lease = take(here_);
  expire();
  const std::int64_t before =
      number("SELECT generation FROM wp_ratingd_leases WHERE name = 'work'");
  db::in_transaction(here_, 1, [] {});
  EXPECT_GT(number("SELECT generation FROM wp_ratingd_leases WHERE name = 'work'"), before);
  EXPECT_THROW(take(there_), db::Busy);
}

TEST_F(Lease, IsRenewedDuringLongStatements) {
  const db::Lease lease = take(here_);
  owner_.execute("UPDATE wp_ratingd_leases SET expires_at = UTC_TIMESTAMP(6) + INTERVAL 5 SECOND");
  db::Rows row = here_.query("SELECT SLEEP(4)");
  EXPECT_TRUE(row.next());
  const auto is_renewed = [&] {
    return number(
               "SELECT expires_at > UTC_TIMESTAMP(6) + INTERVAL 8 SECOND"
               " FROM wp_ratingd_leases WHERE name = 'work'") == 1;
  };
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (!is_renewed() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_TRUE(is_renewed());
}

TEST_F(Lease, TransactionsThatOnlyReadDoNotNeedIt) {
  const db::Lease lease = take(here_);
  expire();
  const db::Lease other = take(there_);
  EXPECT_NO_THROW(static_cast<void>(db::one_snapshot(here_)));
}

}  // namespace
