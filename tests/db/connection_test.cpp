#include "db/connection.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>

#include "base/clock.h"
#include "db/client.h"
#include "db/pool.h"
#include "db/transaction.h"
#include "support/blackhole_port.h"
#include "support/database.h"
#include "support/fault_proxy.h"

namespace {

class Connection : public ::testing::Test {
 protected:
  void SetUp() override {
    connection_.execute(
        "CREATE TABLE things (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, number BIGINT NULL,"
        " bytes VARBINARY(64) NOT NULL, moment DATETIME(6) NULL) ENGINE=InnoDB");
  }
  std::int64_t count() {
    db::Rows row = connection_.query("SELECT COUNT(*) FROM things");
    return row.next() ? row.integer(1) : -1;
  }

  support::Database database_;
  db::Connection connection_{database_.owner()};
};

TEST_F(Connection, ValuesComeBackAsTheyWereBound) {
  const std::string bytes("\0\xff'\\ \xc3\x28", 7);
  const base::Time moment =
      base::Day(std::chrono::year(2026) / 2 / 28) + std::chrono::microseconds(86'399'999'999);
  connection_.prepare("INSERT INTO things VALUES (?, ?, ?, ?)")
      .bind(std::numeric_limits<std::uint64_t>::max())
      .bind(std::numeric_limits<std::int64_t>::min())
      .bind(bytes)
      .bind(moment)
      .execute();
  db::Rows row = connection_.query("SELECT id, number, bytes, moment FROM things");
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.unsigned_integer(1), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(row.integer(2), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(row.text(3), bytes);
  EXPECT_EQ(row.time(4), moment);
  EXPECT_FALSE(row.next());
}

TEST_F(Connection, TextsNameTheTablesOfTheSite) {
  connection_.execute("CREATE TABLE {prefix}words (word VARCHAR(64))");
  EXPECT_EQ(connection_.execute("INSERT INTO {prefix}words VALUES (?)", "of {prefix}words"), 1U);
  EXPECT_EQ(connection_.query("SELECT word FROM wp_words").first(db::text_in), "of {prefix}words")
      << "values stay as they are";
  EXPECT_TRUE(connection_.query("SELECT 1 FROM {prefix}words").next());
  EXPECT_TRUE(connection_.query("SELECT 1 FROM {prefix}words WHERE word <> ?", "").next());
  EXPECT_TRUE(connection_.stream("SELECT 1 FROM {prefix}words JOIN {prefix}words b").next());
  EXPECT_TRUE(db::may_run(connection_, "SELECT 1 FROM {prefix}words"));
}

TEST_F(Connection, WithoutPrefixTextsAreRunAsTheyAre) {
  db::Endpoint endpoint = database_.owner();
  endpoint.table_prefix.clear();
  db::Connection connection(endpoint);
  EXPECT_EQ(connection.query("SELECT '{prefix}'").first(db::text_in), "{prefix}");
}

TEST_F(Connection, PreparedStatementsThatWereNotUsedForLongAreClosed) {
  const auto count_of = [&](const std::string& what) {
    db::Rows row = connection_.query("SHOW SESSION STATUS LIKE 'Com_stmt_" + what + "'");
    return row.next() ? row.integer(2) : -1;
  };
  const auto number_of = [&](std::size_t text) {
    return connection_.prepare("SELECT " + std::to_string(text)).query();
  };
  const std::size_t max = connection_.endpoint().max_statements;
  const auto most = static_cast<std::int64_t>(max);
  db::Rows first = number_of(0);
  for (std::size_t text = 1; text < max; ++text) {
    EXPECT_EQ(number_of(text).number(), static_cast<std::int64_t>(text));
  }
  EXPECT_EQ(number_of(1).number(), 1);
  EXPECT_EQ(count_of("prepare"), most);
  EXPECT_EQ(number_of(max).number(), most);  // instead of the first one
  EXPECT_EQ(first.number(), 0) << "its rows stay";
  EXPECT_EQ(number_of(1).number(), 1) << "it was used since";
  EXPECT_EQ(count_of("prepare"), most + 1);
  EXPECT_EQ(number_of(0).number(), 0);
  EXPECT_EQ(count_of("prepare"), most + 2);
  first = number_of(0);
  EXPECT_EQ(count_of("close"), 2);
}

TEST_F(Connection, SqlInTextIsAValue) {
  connection_.prepare("INSERT INTO things VALUES (?, NULL, ?, NULL)")
      .bind(std::uint64_t{1})
      .bind("'); DROP TABLE things; --")
      .execute();
  EXPECT_EQ(count(), 1);
}

// The server must stop the 30-second statement when the client's session ends.
TEST_F(Connection, BoundedSessionLeavesNoStatementBehind) {
  db::Endpoint endpoint = database_.owner();
  endpoint.statement_timeout = std::chrono::seconds(1);
  endpoint.is_bounded = true;
  db::Connection bounded(endpoint);
  connection_.execute("INSERT INTO things VALUES (1, NULL, '', NULL)");
  EXPECT_THROW(bounded.query("SELECT id FROM things WHERE SLEEP(30)"), db::ConnectionLost);
  const auto is_left_behind = [&] {
    return connection_
        .query(
            "SELECT 1 FROM information_schema.processlist WHERE info LIKE '%SLEEP(30)%'"
            " AND info NOT LIKE '%processlist%'")
        .next();
  };
  const base::Stopwatch stopwatch;
  while (is_left_behind() && stopwatch.elapsed() < std::chrono::seconds(3)) {
  }
  EXPECT_FALSE(is_left_behind());
}

TEST_F(Connection, SessionWithoutLimitIgnoresTheServersLimit) {
  const auto limit_all = [&](const std::string& seconds, const std::string& milliseconds) {
    try {
      connection_.execute("SET GLOBAL max_statement_time = " + seconds);
    } catch (const db::Failure&) {  // a MySQL server
      connection_.execute("SET GLOBAL max_execution_time = " + milliseconds);
    }
  };
  limit_all("0.1", "100");
  db::Connection unlimited(database_.endpoint());
  limit_all("0", "0");
  EXPECT_EQ(unlimited.query("SELECT SLEEP(0.3)").number(), 0);
}

// The server sends rows before it cancels the statement.
TEST_F(Connection, ResultThatTheServerCancelsIsNotComplete) {
  for (std::uint64_t id = 1; id <= 300; ++id) {
    connection_.execute("INSERT INTO things VALUES (?, NULL, '', NULL)", id);
  }
  db::Endpoint endpoint = database_.owner();
  endpoint.statement_timeout = std::chrono::seconds(1);
  endpoint.is_bounded = true;
  db::Connection bounded(endpoint);
  const std::string slow = "SELECT REPEAT('x', 1000) FROM things WHERE SLEEP(0.01) = 0";
  EXPECT_THROW(bounded.query(slow), db::ConnectionLost) << "a buffered result";
  db::Rows row = bounded.stream(slow);
  EXPECT_TRUE(row.next());
  EXPECT_THROW(while (row.next()){}, db::ConnectionLost);
}

TEST_F(Connection, StreamWhoseSessionIsLostIsNotComplete) {
  for (std::uint64_t id = 1; id <= 200; ++id) {
    connection_.execute("INSERT INTO things VALUES (?, NULL, '', NULL)", id);
  }
  db::Connection killed(database_.owner());
  const auto id = killed.query("SELECT CONNECTION_ID()").number();
  db::Rows row = killed.stream("SELECT REPEAT('x', 1000) FROM things a JOIN things b");
  EXPECT_TRUE(row.next());
  connection_.execute("KILL " + std::to_string(id));
  EXPECT_THROW(while (row.next()){}, db::ConnectionLost);
}

TEST_F(Connection, StreamedRowsAreReadToTheirEnd) {
  connection_.execute("INSERT INTO things VALUES (1, NULL, '', NULL), (2, NULL, '', NULL)");
  db::Rows row = connection_.stream("SELECT id FROM things ORDER BY id");
  EXPECT_EQ(row.all([](const db::Rows& one) { return one.integer(1); }),
            (std::vector<std::int64_t>{1, 2}));
  EXPECT_FALSE(row.next());
  EXPECT_EQ(count(), 2);
}

TEST_F(Connection, SpeaksUtf8WhateverTheServerChooses) {
  connection_.execute("SET GLOBAL init_connect = 'SET NAMES latin1'");
  db::Connection session(database_.endpoint());  // init_connect does not apply to administrators
  connection_.execute("SET GLOBAL init_connect = ''");
  db::Rows row = session.query(
      "SELECT @@character_set_client, @@character_set_connection, @@character_set_results");
  ASSERT_TRUE(row.next());
  for (const unsigned column : {1, 2, 3}) EXPECT_EQ(row.text(column), "utf8mb4");
}

TEST_F(Connection, SessionsAreReadCommitted) {
  db::Connection other(database_.owner());
  const db::Transaction reading(connection_);
  EXPECT_EQ(count(), 0);
  other.execute("INSERT INTO things VALUES (1, NULL, '', NULL)");
  EXPECT_EQ(count(), 1);
}

TEST_F(Connection, TransactionIsRolledBackUnlessCommitted) {
  {
    const db::Transaction transaction(connection_);
    connection_.execute("INSERT INTO things VALUES (1, NULL, '', NULL)");
  }
  EXPECT_EQ(count(), 0);
  {
    db::Transaction transaction(connection_);
    connection_.execute("INSERT INTO things VALUES (1, NULL, '', NULL)");
    transaction.commit();
  }
  EXPECT_EQ(count(), 1);
}

// If a client hangs, its transaction stays idle.
TEST_F(Connection, TransactionThatIsLeftAloneLosesItsLocks) {
  connection_.execute("INSERT INTO things VALUES (1, NULL, '', NULL)");
  const auto has_lock = [&] {
    try {
      connection_.query("SELECT * FROM things FOR UPDATE");
      return true;
    } catch (const db::Conflict&) {  // after a second
      return false;
    }
  };
  db::Endpoint endpoint = database_.owner();
  endpoint.idle_transaction_timeout = std::chrono::seconds(1);
  for (const bool is_replaceable : {true, false}) {  // MySQL ends only idle sessions
    endpoint.is_replaceable = is_replaceable;
    db::Connection idle(endpoint);
    const db::Transaction transaction(idle);
    idle.query("SELECT * FROM things FOR UPDATE");
    int attempts = 1;
    while (!has_lock() && attempts < 10) ++attempts;
    EXPECT_LT(attempts, 10);
    EXPECT_THROW(idle.query("SELECT 1"), db::ConnectionLost);
  }
}

TEST_F(Connection, SessionWithoutATransactionMayBeIdle) {
  db::Endpoint endpoint = database_.owner();
  endpoint.idle_transaction_timeout = std::chrono::seconds(1);
  db::Connection idle(endpoint);
  db::in_transaction(idle, 1, [] {});
  db::Rows row = connection_.query("SELECT SLEEP(2)");
  EXPECT_TRUE(row.next());
  EXPECT_NO_THROW(idle.query("SELECT 1"));
}

TEST_F(Connection, CommitThatFailsForAnotherReasonIsInDoubt) {
  db::Transaction transaction(connection_, {"XA START 'x'"});
  EXPECT_THROW(transaction.commit(), db::ConnectionLost);
}

TEST_F(Connection, WhatTheServerHasRolledBackIsAConflict) {
  EXPECT_THROW(connection_.execute("SIGNAL SQLSTATE '40001'"), db::Conflict);
}

TEST_F(Connection, ErrorsHaveTheirClass) {
  EXPECT_THROW(connection_.execute("NO SUCH STATEMENT"), db::Failure);
  db::Connection other(database_.owner());
  connection_.execute("INSERT INTO things VALUES (1, NULL, '', NULL)");
  const db::Transaction holding(connection_);
  connection_.query("SELECT * FROM things WHERE id = 1 FOR UPDATE");
  EXPECT_THROW(other.query("SELECT * FROM things WHERE id = 1 FOR UPDATE"), db::Conflict);
}

// The server can refuse the account although it responds, for example after a change of the
// password.
TEST_F(Connection, RefusedLoginIsALostConnection) {
  const auto code_of = [](const db::Endpoint& endpoint) {
    try {
      const db::Connection session(endpoint);
    } catch (const db::ConnectionLost& lost) {
      return lost.code();
    }
    return 0;
  };
  db::Endpoint endpoint = database_.endpoint();
  endpoint.user = "nobody";
  EXPECT_EQ(code_of(endpoint), 1045);
  endpoint = database_.endpoint();
  endpoint.schema = "nowhere";
  EXPECT_EQ(code_of(endpoint), 1044);
  endpoint = database_.owner();
  endpoint.schema = "nowhere";
  EXPECT_EQ(code_of(endpoint), 1049);
}

TEST_F(Connection, FullServerIsDistinguishedFromALostOne) {
  connection_.execute("SET SESSION max_heap_table_size = 16384");
  connection_.execute("CREATE TABLE crammed (text CHAR(255)) ENGINE=MEMORY");
  const auto cram = [&] {
    for (int i = 0; i < 1000; ++i) connection_.execute("INSERT INTO crammed VALUES ('x')");
  };
  EXPECT_THROW(cram(), db::NoRoom);
}

TEST_F(Connection, KilledSessionIsLost) {
  db::Connection victim(database_.owner());
  db::Rows id = victim.query("SELECT CONNECTION_ID()");
  ASSERT_TRUE(id.next());
  connection_.execute("KILL " + id.text(1));
  EXPECT_THROW(victim.query("SELECT 1"), db::ConnectionLost);
}

// Error 3032 is from a MySQL server in offline mode. The codes from 9001 are from ProxySQL, if no
// server behind the proxy can be used.
TEST_F(Connection, ServerThatIsOfflineIsLost) {
  for (const int code : {3032, 9001, 9002, 9004, 9005}) {
    EXPECT_THROW(
        connection_.execute("SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = " + std::to_string(code)),
        db::ConnectionLost)
        << code;
  }
  for (const int code : {1053, 3032, 9001, 9002, 9004}) EXPECT_TRUE(db::may_be_gone(code)) << code;
  for (const int code : {1040, 1045, 9005}) EXPECT_FALSE(db::may_be_gone(code)) << code;
}

// A server can forbid changes without a key, and SELECT statements that may read many rows.
TEST_F(Connection, ServerWideStatementLimitsDoNotApply) {
  connection_.execute("SET GLOBAL sql_safe_updates = 1");
  connection_.execute("SET GLOBAL max_join_size = 5000");
  try {
    db::Connection limited(database_.owner());
    limited.execute("INSERT INTO things VALUES (1, 1, '', NULL), (2, 2, '', NULL)");
    for (int doubled = 0; doubled < 6; ++doubled) {
      limited.execute(
          "INSERT INTO things SELECT id + (SELECT MAX(id) FROM things), 1, '', NULL"
          " FROM things");
    }
    EXPECT_EQ(limited.query("SELECT COUNT(*) FROM things a JOIN things b").number(), 16384);
    limited.execute("UPDATE things SET number = 3");
    limited.execute("DELETE FROM things");
  } catch (const db::Failure& failure) {
    ADD_FAILURE() << failure.what();
  }
  connection_.execute("SET GLOBAL sql_safe_updates = 0");
  connection_.execute("SET GLOBAL max_join_size = DEFAULT");
}

// Simulates several database servers by opening several connections to one server.
class SeveralServers : public Connection {
 protected:
  using Servers = std::vector<config::DatabaseServer>;

  ~SeveralServers() override { make_read_only(false); }

  db::Endpoint endpoint_of(Servers servers) {
    db::Endpoint endpoint = database_.endpoint();
    endpoint.primary = std::make_shared<db::Primary>(std::move(servers));
    return endpoint;
  }
  void make_read_only(bool on) {
    connection_.execute(std::string("SET GLOBAL read_only = ") + (on ? "ON" : "OFF"));
  }

  const std::string proxied_ =
      ::testing::TempDir() + "proxy_" + base::to_hex(base::random_bytes(6)) + ".sock";
  const config::DatabaseServer here_{"", 0, database_.endpoint().server.socket};
  const config::DatabaseServer behind_proxy_{"", 0, proxied_};
  const config::DatabaseServer nowhere_{"", 0, "/nonexistent/socket"};
  support::FaultProxy proxy_{proxied_, here_.socket};
};

TEST_F(SeveralServers, FirstThatAnswersIsChosen) {
  const db::Endpoint endpoint = endpoint_of({nowhere_, here_, behind_proxy_});
  EXPECT_EQ(db::Connection(endpoint).server(), here_.socket);
  EXPECT_EQ(endpoint.primary->choice(), (db::Primary::Choice{1, 1}));
  EXPECT_EQ(db::Connection(endpoint).server(), here_.socket);
  EXPECT_EQ(endpoint.primary->choice(), (db::Primary::Choice{1, 1}));
}

TEST_F(SeveralServers, BlackholedServerCostsASecond) {
  const support::BlackholePort deaf;
  const base::Stopwatch stopwatch;
  db::Connection session(endpoint_of({{"127.0.0.1", deaf.port(), ""}, here_}));
  EXPECT_EQ(session.server(), here_.socket);
  EXPECT_LT(stopwatch.elapsed(), std::chrono::seconds(3));
}

TEST_F(SeveralServers, NoWritableServerIsReported) {
  make_read_only(true);
  const db::Endpoint endpoint = endpoint_of({nowhere_, here_});
  try {
    db::Connection session(endpoint);
    ADD_FAILURE();
  } catch (const db::ConnectionLost& lost) {
    EXPECT_NE(std::string(lost.what()).find(here_.socket + " does not accept writes"),
              std::string::npos)
        << lost.what();
  }
  make_read_only(false);
  EXPECT_EQ(db::Connection(endpoint).server(), here_.socket);
}

TEST_F(SeveralServers, SingleReadOnlyServerIsRead) {
  make_read_only(true);
  db::Connection session(database_.endpoint());
  EXPECT_TRUE(session.query("SELECT 1").next());
}

TEST_F(SeveralServers, SessionsOfAnEarlierChoiceSendNothing) {
  connection_.execute("INSERT INTO wp_ratingd_state VALUES ('n', '0')");
  const db::Endpoint endpoint = endpoint_of({behind_proxy_, here_});
  const std::string text = "UPDATE wp_ratingd_state SET value = value + 1";
  db::Connection early(endpoint);
  db::Statement& statement = early.prepare(text);
  statement.execute();
  early.execute("START TRANSACTION");
  statement.execute();
  proxy_.hide();

  db::Connection late(endpoint);
  EXPECT_EQ(late.server(), here_.socket);
  EXPECT_TRUE(early.is_outdated());
  EXPECT_FALSE(late.is_outdated());
  EXPECT_THROW(statement.execute(), db::ConnectionLost);
  EXPECT_THROW(early.execute("COMMIT"), db::ConnectionLost);
  EXPECT_THROW(early.query("SELECT 1"), db::ConnectionLost);
  db::Rows row = late.query("SELECT value FROM wp_ratingd_state WHERE name = 'n'");
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.text(1), "1");
}

TEST_F(SeveralServers, PoolFollowsTheChoiceUnnoticed) {
  const db::Endpoint endpoint = endpoint_of({behind_proxy_, here_});
  db::Pool pool(endpoint, 1);
  const auto server = [](db::Connection& session) {
    session.execute("DO 1");
    return session.server();
  };
  EXPECT_EQ(pool.with_session(server), proxied_);
  proxy_.hide();
  db::Connection late(endpoint);
  EXPECT_EQ(pool.with_session(server), here_.socket);
}

// If the primary server has too many connections, this host must not write to a different server,
// because other hosts may still write to the primary.
TEST_F(SeveralServers, FullPrimaryIsNotAbandoned) {
  const std::string account = database_.names().workers;
  const auto limit = [&](int sessions) {
    connection_.execute("ALTER USER " + account + " WITH MAX_USER_CONNECTIONS " +
                        std::to_string(sessions));
  };
  const db::Endpoint endpoint = endpoint_of({behind_proxy_, here_});
  limit(1);
  db::Connection session(endpoint);
  EXPECT_THROW(db::Connection{endpoint}, db::ConnectionLost);
  limit(0);
  EXPECT_EQ(endpoint.primary->choice().server, 0U);
  EXPECT_FALSE(session.is_outdated());
}

TEST_F(SeveralServers, SessionIsLostThatWritesToAServerWhichBecameReadOnly) {
  db::Connection session(endpoint_of({here_, nowhere_}));
  const std::string text = "INSERT INTO wp_ratingd_state VALUES ('n', '0')";
  make_read_only(true);
  EXPECT_THROW(session.execute(text), db::ConnectionLost);
  EXPECT_THROW(db::Connection(endpoint_of({here_})), db::ConnectionLost);
}

TEST_F(SeveralServers, PrimaryFoundByManySessionsServesThemAll) {
  for (int round = 0; round < 5; ++round) {
    const db::Endpoint endpoint = endpoint_of({nowhere_, behind_proxy_, here_});
    std::atomic<int> failures = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        try {
          db::Connection session(endpoint);
        } catch (const db::Failure&) {
          ++failures;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failures, 0);
  }
}

TEST(Primary, FirstSessionToFindThePrimaryChooses) {
  db::Primary primary(std::vector<config::DatabaseServer>(3));
  const db::Primary::Choice seen = primary.choice();
  EXPECT_EQ(primary.choose(2, seen), (db::Primary::Choice{2, 1}));
  EXPECT_EQ(primary.choose(1, seen), (db::Primary::Choice{2, 1}));
  EXPECT_EQ(primary.choose(0, primary.choice()), (db::Primary::Choice{0, 2}));
}

}  // namespace
