#include "db/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/database.h"

namespace {

using namespace std::chrono_literals;

std::string id_of(db::Connection& session) {
  db::Rows row = session.query("SELECT CONNECTION_ID()");
  return row.next() ? row.text(1) : "";
}

class Pool : public ::testing::Test {
 protected:
  void kill(const std::string& session) {
    db::Connection(database_.cms()).execute("KILL " + session);
  }

  support::Database database_;
};

TEST_F(Pool, OpensSessionsOnFirstUse) {
  const db::Pool pool(database_.endpoint(), 2);
  EXPECT_EQ(pool.sessions().busy, 0U);
  EXPECT_EQ(pool.sessions().idle, 0U);
}

TEST_F(Pool, SessionIsUsedAgain) {
  db::Pool pool(database_.endpoint(), 2);
  const std::string first = pool.with_session(id_of);
  EXPECT_EQ(pool.with_session(id_of), first);
  EXPECT_EQ(pool.sessions().idle, 1U);
}

TEST_F(Pool, SitesShareASession) {
  db::Connection(database_.owner())
      .execute("CREATE TABLE wp_2_ratingd_schema AS SELECT 99 AS version");
  const auto version = [](db::Connection& session) {
    return session.prepare("SELECT MAX(version) FROM {prefix}ratingd_schema").query().number();
  };
  db::Pool first(database_.owner(), 1);
  db::Pool second = first.for_tables("wp_2_", 1, 9);
  const std::string session = first.with_session(id_of);
  EXPECT_EQ(second.with_session(id_of), session);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NE(first.with_session(version), 99);
    EXPECT_EQ(second.with_session(version), 99);
  }
  EXPECT_EQ(first.sessions().idle, 1U);
}

TEST_F(Pool, UnusedSessionsAndStatementsAreClosed) {
  db::Endpoint endpoint = database_.owner();
  endpoint.statements = std::make_shared<std::atomic<std::size_t>>(0);
  db::Pool pool(endpoint, 2);
  const auto prepare = [](db::Connection& session) {
    EXPECT_EQ(session.prepare("SELECT 1").query().number(), 1);
  };
  pool.with_session([&](db::Connection& session) {
    prepare(session);
    pool.with_session(prepare);
    EXPECT_FALSE(pool.close_unused(60s));
    EXPECT_EQ(pool.sessions().idle, 1U);
    EXPECT_TRUE(pool.close_unused(0ms));
    EXPECT_EQ(pool.sessions().idle, 0U);
    EXPECT_EQ(*endpoint.statements, 1U) << "of the session in use";
    EXPECT_EQ(session.drop_unused(60s), 0U);
    EXPECT_EQ(session.drop_unused(0ms), 1U);
    EXPECT_EQ(*endpoint.statements, 0U);
    prepare(session);
  });
  EXPECT_EQ(*endpoint.statements, 1U);
}

TEST_F(Pool, SiteLeavesSessionsToOthers) {
  db::Pool all(database_.endpoint(), 2, 0ms);
  db::Pool first = all.for_tables("wp_", 1, 9), second = all.for_tables("wp_2_", 1, 9);
  first.with_session([&](db::Connection&) {
    EXPECT_THROW(first.with_session(id_of), db::SessionsBusy);
    EXPECT_NE(second.with_session(id_of), "");
  });
  EXPECT_NE(first.with_session(id_of), "");
}

TEST_F(Pool, FewCallersWaitForASiteThatHasItsShare) {
  db::Pool first = db::Pool(database_.endpoint(), 2, 60s).for_tables("wp_", 1, 0);
  first.with_session([&](db::Connection&) {
    EXPECT_THROW(first.with_session(id_of), db::SessionsBusy) << "at once";
  });
}

TEST_F(Pool, CallersGetTheSessionInTheOrderOfTheirArrival) {
  db::Pool all(database_.endpoint(), 1, 60s);
  std::vector<db::Pool> sites;
  for (int site = 2; site < 7; ++site) {
    sites.push_back(all.for_tables("wp_" + std::to_string(site) + "_", 1, 9));
  }
  std::vector<std::size_t> served;  // numbers, in the order in which they had the session
  std::vector<std::jthread> callers;
  db::Pool::Lease held(all);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    callers.emplace_back([&, i] {
      const db::Pool::Lease lease(sites[i]);
      served.push_back(i);
    });
    while (all.sessions().waiting <= i) std::this_thread::yield();
  }
  held.release();
  callers.clear();
  EXPECT_EQ(served, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST_F(Pool, CallerThatGaveUpKeepsNoSession) {
  db::Pool pool(database_.endpoint(), 1, 1ms);
  pool.with_session(
      [&](db::Connection&) { EXPECT_THROW(pool.with_session(id_of), db::SessionsBusy); });
  EXPECT_EQ(pool.sessions().waiting, 0U);
  EXPECT_NE(pool.with_session(id_of), "");
}

TEST_F(Pool, CountsBusyAndIdleSessions) {
  db::Pool pool(database_.endpoint(), 2);
  pool.with_session([&](db::Connection& outer) {
    const std::string inner = pool.with_session(id_of);
    EXPECT_NE(inner, id_of(outer));
    EXPECT_EQ(pool.sessions().busy, 1U);
    EXPECT_EQ(pool.sessions().idle, 1U);
  });
  EXPECT_EQ(pool.sessions().busy, 0U);
  EXPECT_EQ(pool.sessions().idle, 2U);
}

TEST_F(Pool, DeadSessionIsReplacedUnnoticed) {
  db::Pool pool(database_.endpoint(), 1);
  const std::string dead = pool.with_session(id_of);
  kill(dead);
  const std::string next = pool.with_session(id_of);
  EXPECT_NE(next, dead);
  EXPECT_EQ(pool.with_session(id_of), next);
}

TEST_F(Pool, WorkIsRetriedOnceAfterALostSession) {
  db::Pool pool(database_.endpoint(), 1);
  int attempts = 0;
  const auto lose = [&](db::Connection&) {
    ++attempts;
    throw db::ConnectionLost(0, "lost");
  };
  EXPECT_THROW(pool.with_session(lose), db::ConnectionLost);
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(pool.sessions().busy, 0U);
  EXPECT_EQ(pool.sessions().idle, 0U) << "lost sessions are not used again";
}

// If the first attempt fails after the maximum wait has passed, there is no second attempt.
TEST_F(Pool, WorkIsNotRetriedAfterMaxWait) {
  db::Pool pool(database_.endpoint(), 1, 0ms);
  int attempts = 0;
  const auto lose = [&](db::Connection&) {
    ++attempts;
    throw db::ConnectionLost(0, "lost");
  };
  EXPECT_THROW(pool.with_session(lose), db::ConnectionLost);
  EXPECT_EQ(attempts, 1);
}

TEST_F(Pool, OtherErrorsAreNotRepeatedAndLeaveTheSession) {
  db::Pool pool(database_.endpoint(), 1);
  const std::string id = pool.with_session(id_of);
  int attempts = 0;
  const auto fail = [&](db::Connection& session) {
    ++attempts;
    session.execute("SELECT no_such_column FROM wp_ratingd_votes");
  };
  EXPECT_THROW(pool.with_session(fail), db::Failure);
  EXPECT_THROW(pool.with_session([](db::Connection&) { throw std::logic_error("wrong"); }),
               std::logic_error);
  EXPECT_EQ(attempts, 1);
  EXPECT_EQ(pool.with_session(id_of), id);
}

TEST_F(Pool, NoFreeSessionIsReported) {
  db::Pool pool(database_.endpoint(), 1, 0ms);
  pool.with_session([&](db::Connection&) {
    try {
      pool.with_session([](db::Connection&) {});
      ADD_FAILURE();
    } catch (const db::ConnectionLost& lost) {
      EXPECT_STREQ(lost.what(), "all database sessions are busy");
    }
  });
  EXPECT_FALSE(pool.with_session(id_of).empty());
}

TEST_F(Pool, ReleasedSessionIsFreeForOthersUntilItIsUsedAgain) {
  db::Pool pool(database_.endpoint(), 1, 0ms);
  pool.with_lease([&](db::Pool::Lease& lease) {
    const std::string id = id_of(lease.connection());
    lease.release();
    EXPECT_EQ(pool.sessions().busy, 0U);
    EXPECT_EQ(pool.with_session(id_of), id);
    EXPECT_EQ(id_of(lease.connection()), id);
    EXPECT_EQ(pool.sessions().busy, 1U);
  });
  EXPECT_EQ(pool.sessions().busy, 0U);
}

TEST_F(Pool, WorkIsRetriedIfItsSessionDiesWhileItIsReleased) {
  db::Pool pool(database_.endpoint(), 1);
  int attempts = 0;
  pool.with_lease([&](db::Pool::Lease& lease) {
    const std::string id = id_of(lease.connection());
    if (++attempts > 1) return;
    lease.release();
    kill(id);
    id_of(lease.connection());
  });
  EXPECT_EQ(attempts, 2);
}

TEST_F(Pool, CallerWaitsForASessionThatIsGivenBack) {
  db::Pool pool(database_.endpoint(), 1, 60s);
  std::promise<void> is_taken;
  std::promise<void> may_end;
  std::thread holder([&] {
    pool.with_session([&](db::Connection&) {
      is_taken.set_value();
      may_end.get_future().wait();
    });
  });
  is_taken.get_future().wait();
  auto id = std::async(std::launch::async, [&] { return pool.with_session(id_of); });
  may_end.set_value();
  EXPECT_FALSE(id.get().empty());
  holder.join();
}

TEST_F(Pool, ThreadsNeverHaveMoreSessionsThanItsLimit) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 20;
  db::Pool pool(database_.endpoint(), 2, 60s);
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        pool.with_session([&](db::Connection& session) {
          const int now = ++inside;
          for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
          }
          session.execute("DO 1");
          --inside;
          ++done;
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, kThreads * kRounds);
  EXPECT_LE(most, 2);
  EXPECT_LE(pool.sessions().idle, 2U);
}

TEST(PoolWithoutDatabase, FailureReturnsTheSession) {
  db::Endpoint nowhere;
  nowhere.server.socket = "/nonexistent/socket";
  db::Pool pool(nowhere, 1);
  EXPECT_THROW(pool.with_session(id_of), db::ConnectionLost);
  EXPECT_EQ(db::try_session(pool, id_of), std::nullopt);
  EXPECT_EQ(pool.sessions().busy, 0U);
}

}  // namespace
