#include "db/connection.h"

#include <cppconn/prepared_statement.h>
#include <cppconn/resultset.h>
#include <cppconn/statement.h>

#include <algorithm>
#include <utility>

#include "base/crypto.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "db/client.h"
#include "db/lease.h"
#include "db/multi_statement.h"

namespace db {
namespace {

// A session is considered expired shortly before the server closes it for inactivity.
constexpr std::chrono::seconds kMarginOfIdleLimit{2};

}  // namespace

std::string with_prefix(std::string_view text, std::string_view table_prefix) {
  return table_prefix.empty() ? std::string(text)
                              : base::replace_all(text, "{prefix}", table_prefix);
}

Connection::Connection(Endpoint endpoint)
    : endpoint_(std::move(endpoint)), collecting_(nullptr, *this) {
  if (endpoint_.primary != nullptr) {
    find_primary();
  } else {
    open(endpoint_.server);
  }
}

// Searches for the primary, and searches again if another session has chosen a different primary in
// the meantime.
void Connection::find_primary() {
  std::string reasons;
  if (find_primary(reasons)) return;
  if (is_outdated() && find_primary(reasons)) return;
  throw ConnectionLost(0, "no database server accepts writes: " + reasons);
}

// Opens the session with the chosen server. If the chosen server is no longer the primary, tries
// the other servers in order and chooses the first server that is the primary. A chosen server that
// is marked as suspected (db/primary.h) is tried last.
bool Connection::find_primary(std::string& reasons) {
  Primary& primary = *endpoint_.primary;
  choice_ = primary.choice();
  const bool is_suspected = primary.is_suspected(choice_);
  if (!is_suspected && is_primary(choice_.server, reasons)) return true;
  for (std::size_t server = 0; server < primary.servers().size(); ++server) {
    if (is_outdated()) break;
    if (server == choice_.server || !is_primary(server, reasons)) continue;
    const Primary::Choice made = primary.choose(server, choice_);
    if (made.server != server) break;
    choice_ = made;
    return true;
  }
  if (is_suspected && !is_outdated() && is_primary(choice_.server, reasons)) return true;
  session_.reset();
  return false;
}

// Opens a session with the server at the index "server". If the server does not accept writes,
// closes the session again and adds the reason to "reasons".
bool Connection::is_primary(std::size_t server, std::string& reasons) {
  const std::string separator = reasons.empty() ? "" : "; ";
  try {
    open(endpoint_.primary->servers()[server]);
    if (accepts_writes()) return true;
    reasons += separator + server_ + " does not accept writes";
  } catch (const Failure& failure) {
    if (server == choice_.server && !is_outdated() && !may_be_gone(failure.code())) throw;
    reasons += separator + server_ + ": " + failure.what();
  }
  session_.reset();
  return false;
}

void Connection::confirm_leases() {
  for (Lease* lease : leases_) lease->confirm();
}

// Uses SHOW VARIABLES, because not every server has every variable. A Galera node that has lost
// contact with its cluster still responds, but refuses reads and writes.
bool Connection::accepts_writes() {
  bool is_node = false;
  Rows row = query(
      "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'super_read_only',"
      " 'innodb_read_only', 'wsrep_on')");
  while (row.next()) {
    const bool is_on = row.text(2) != "OFF";
    if (row.text(1) == "wsrep_on") {
      is_node = is_on;
    } else if (is_on) {
      return false;
    }
  }
  if (!is_node) return true;
  Rows ready = query("SHOW GLOBAL STATUS WHERE Variable_name = 'wsrep_ready'");
  return ready.next() && ready.text(2) == "ON";
}

void Connection::open(const config::DatabaseServer& server) {
  server_ = name_of(server);
  server_hash_ = std::max<std::uint64_t>(1, base::KeyedHash({})(server_));
  session_ = connect(endpoint_, server);
  const config::DatabaseTls tls = config::tls_of(server, endpoint_.tls);
  if (tls >= config::DatabaseTls::required) require_encryption();
  // The server may ignore the character set that the client library requests
  // (skip-character-set-client-handshake), or replace it (init_connect).
  execute("SET NAMES utf8mb4");
  if (endpoint_.takes_multi_statements) {
    execute("SET SESSION autocommit = 0");  // see MultiStatement
    // The server does not need to estimate the cost of index ranges: every statement in a
    // multi-statement packet either names an index or specifies all columns of a key.
    execute("SET SESSION eq_range_index_dive_limit = 1");
  }
  // If set for the whole server, sql_safe_updates rejects changes without a key, and max_join_size
  // rejects joins of large tables.
  execute(
      "SET SESSION innodb_lock_wait_timeout = 1, SESSION sql_safe_updates = 0,"
      " SESSION sql_big_selects = 1,"
      " SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,NO_ZERO_DATE'");
  // When a session is opened, the client library sets the isolation level to REPEATABLE READ. At
  // REPEATABLE READ, gap locks would cause deadlocks between transactions that insert votes with
  // adjacent keys.
  execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
  read_variables();
  limit_statements(endpoint_.is_bounded ? endpoint_.statement_timeout : std::chrono::seconds(0));
  if (endpoint_.idle_transaction_timeout.count() > 0) {
    limit_idle_transactions(endpoint_.idle_transaction_timeout);
  }
}

// Checks that the isolation level is READ COMMITTED, and determines whether several servers in the
// cluster accept writes.
void Connection::read_variables() {
  bool is_read_committed = false;
  bool is_galera = false;
  is_multi_primary_ = false;
  Rows row = query(
      "SHOW VARIABLES WHERE Variable_name IN ('tx_isolation', 'transaction_isolation', 'wsrep_on',"
      " 'group_replication_single_primary_mode')");
  while (row.next()) {
    const std::string name = row.text(1);
    if (name == "wsrep_on") {
      is_multi_primary_ = is_galera = row.text(2) == "ON";
    } else if (name == "group_replication_single_primary_mode") {
      is_multi_primary_ = row.text(2) == "OFF";
    } else {
      is_read_committed = row.text(2) == "READ-COMMITTED";
    }
  }
  if (!is_read_committed) {
    throw Failure(0, "the database session does not use the READ COMMITTED isolation level");
  }
  // With wsrep_sync_wait, reads see all earlier commits on other nodes. After a failover, a host's
  // sessions may briefly be connected to two different nodes. A session that writes batches of
  // votes does not need wsrep_sync_wait, because a batch based on outdated rows conflicts when it
  // is committed.
  if (is_galera && !endpoint_.takes_multi_statements) execute("SET SESSION wsrep_sync_wait = 1");
}

// Checks that the client library has not ignored the request for TLS.
void Connection::require_encryption() {
  Rows cipher = query("SHOW SESSION STATUS LIKE 'Ssl_cipher'");
  if (!cipher.next() || cipher.text(2).empty()) {
    throw InsecureServer(0, "the session with " + server_ + " is not encrypted");
  }
}

// Sets a session variable. Returns false if the server does not have the variable.
bool Connection::try_set(const std::string& variable, std::int64_t value) {
  try {
    execute("SET SESSION " + variable + " = " + std::to_string(value));
    return true;
  } catch (const ConnectionLost&) {
    throw;
  } catch (const Failure&) {
    return false;
  }
}

// Limits the duration of statements. A limit of 0 lifts the server's own limit. MariaDB and MySQL
// have different variables for the maximum duration. Old servers have none, and continue to run a
// statement even if the client has closed the session.
void Connection::limit_statements(std::chrono::seconds limit) {
  if (try_set("max_statement_time", limit.count())) return;  // MariaDB; else the next
  try_set("max_execution_time", std::chrono::milliseconds(limit).count());
}

// On MySQL, limits the idle time of the whole session, because MySQL cannot limit idle
// transactions.
void Connection::limit_idle_transactions(std::chrono::seconds limit) {
  if (try_set("idle_transaction_timeout", limit.count())) return;
  limits_idle_time_ = !endpoint_.is_replaceable;
  if (limits_idle_time_) return;
  execute("SET SESSION wait_timeout = " + std::to_string(limit.count()));
  idle_limit_ = limit - kMarginOfIdleLimit;
}

void Connection::limit_idle_time(bool is_in_transaction) {
  if (!limits_idle_time_) return;
  const auto limit = std::to_string(endpoint_.idle_transaction_timeout.count());
  execute("SET SESSION wait_timeout = " + (is_in_transaction ? limit : "DEFAULT"));
}

Connection::~Connection() {
  if (endpoint_.statements != nullptr) *endpoint_.statements -= statements_.size();
}

void Connection::require_current() const {
  if (is_outdated()) throw ConnectionLost(0, server_ + " is left for another database server");
  used_ = {};
}

Statement& Connection::prepare(std::string_view text) {
  if (collected_ != nullptr) {
    collected_->begin(filled(text));
    return collecting_;
  }
  const auto known = statement_of_.find(Key(text, table_prefix()));
  if (known != statement_of_.end()) {
    statements_.splice(statements_.begin(), statements_, known->second);
  } else {
    add_prepared(text);
  }
  Prepared& prepared = statements_.front();
  prepared.unused = {};
  prepared.statement.next_parameter_ = 1;
  return prepared.statement;
}

void Connection::add_prepared(std::string_view text) {
  std::unique_ptr<sql::PreparedStatement> statement = translated([&] {
    return std::unique_ptr<sql::PreparedStatement>(session_->prepareStatement(filled(text)));
  });
  if (statements_.size() >= endpoint_.max_statements) drop_prepared();
  statements_.emplace_front(text, std::move(statement), *this);
  const Prepared& added = statements_.front();
  statement_of_[Key(added.text, added.table_prefix)] = statements_.begin();
  ++prepared_for_[added.table_prefix];
  if (endpoint_.statements != nullptr) ++*endpoint_.statements;
}

// Drops the least recently used statement.
void Connection::drop_prepared() {
  const Prepared& last = statements_.back();
  statement_of_.erase(Key(last.text, last.table_prefix));
  const auto of_tables = prepared_for_.find(last.table_prefix);
  if (--of_tables->second == 0) prepared_for_.erase(of_tables);
  statements_.pop_back();
  if (endpoint_.statements != nullptr) --*endpoint_.statements;
}

std::size_t Connection::drop_unused(std::chrono::milliseconds limit) {
  std::size_t dropped = 0;
  for (; !statements_.empty() && statements_.back().unused.elapsed() >= limit; ++dropped) {
    drop_prepared();
  }
  return dropped;
}

void Connection::require_uncollected() const {
  if (collects()) throw std::logic_error("rows are read while statements are collected");
}

void Connection::execute(std::string_view text) {
  if (collected_ != nullptr) {
    prepare(text).execute();
    return;
  }
  require_current();
  translated([&] {
    const std::unique_ptr<sql::Statement> statement(session_->createStatement());
    statement->execute(filled(text));
  });
}

std::vector<Rows> Connection::run_all(const std::string& text, std::size_t count) {
  require_current();
  return translated([&] {
    std::vector<Rows> results;
    const std::unique_ptr<sql::Statement> statement(session_->createStatement());
    bool has_rows = statement->execute(text);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) has_rows = statement->getMoreResults();  // throws if this statement has failed
      if (has_rows) {
        results.emplace_back(std::unique_ptr<sql::ResultSet>(statement->getResultSet()));
      }
    }
    return results;
  });
}

Rows Connection::query(std::string_view text) {
  require_uncollected();
  require_current();
  return translated([&] {
    const std::unique_ptr<sql::Statement> statement(session_->createStatement());
    return Rows(std::unique_ptr<sql::ResultSet>(statement->executeQuery(filled(text))));
  });
}

Rows Connection::stream(std::string_view text) {
  require_uncollected();
  require_current();
  return translated([&] {
    const std::unique_ptr<sql::Statement> statement(session_->createStatement());
    statement->setResultSetType(sql::ResultSet::TYPE_FORWARD_ONLY);
    std::unique_ptr<sql::ResultSet> result(statement->executeQuery(filled(text)));
    return Rows(std::move(result), nullptr, this);
  });
}

bool may_run(Connection& connection, std::string_view statement) {
  // Error codes for denied access to a database, table or column, and for a missing table.
  constexpr std::array kDenied = {1044, 1142, 1143, 1146};
  try {
    connection.query(statement);
    return true;
  } catch (const Failure& failure) {
    if (std::ranges::find(kDenied, failure.code()) == kDenied.end()) throw;
    return false;
  }
}

// --- The parameters and rows of statements -------------------------------------------------------

namespace {

sql::SQLString text_of(std::string_view value) { return {value.data(), value.size()}; }

template <typename Parse>
auto parsed_time(const std::string& text, const Parse& parse) {
  const auto time = parse(text);
  if (!time) throw Failure(0, "the database holds a malformed time: " + text);
  return *time;
}

}  // namespace

Rows::Rows(std::unique_ptr<sql::ResultSet> result, std::shared_ptr<sql::PreparedStatement> source,
           Connection* stream)
    : source_(std::move(source)), result_(std::move(result)), stream_(stream) {}
Rows::Rows(Rows&&) noexcept = default;
Rows& Rows::operator=(Rows&&) noexcept = default;
Rows::~Rows() = default;

bool Rows::next() {
  const bool has_row = translated([&] { return result_->next(); });
  if (has_row || stream_ == nullptr) return has_row;
  // The client library ends a streamed result in the same way whether the server has sent all rows
  // or has canceled the query.
  Rows error = std::exchange(stream_, nullptr)->query("SHOW ERRORS");
  if (!error.next()) return false;
  throw ConnectionLost(static_cast<int>(error.integer(2)), base::printable(error.text(3)));
}

std::int64_t Rows::integer(unsigned column) const {
  return translated([&] { return result_->getInt64(column); });
}

std::uint64_t Rows::unsigned_integer(unsigned column) const {
  return translated([&] { return result_->getUInt64(column); });
}

std::string Rows::text(unsigned column) const {
  return translated([&] { return result_->getString(column).asStdString(); });
}

bool Rows::is_null(unsigned column) const {
  return translated([&] { return result_->isNull(column); });
}

base::Time Rows::time(unsigned column) const {
  return parsed_time(text(column), base::from_datetime);
}

base::Day Rows::day(unsigned column) const { return parsed_time(text(column), base::from_date); }

Statement::Statement(std::shared_ptr<sql::PreparedStatement> statement,
                     const Connection& connection)
    : statement_(std::move(statement)), connection_(connection) {}
Statement::~Statement() = default;

MultiStatement* Statement::collected() const {
  return statement_ == nullptr ? connection_.collected_ : nullptr;
}

// Calls "add" if the statement is collected (db/multi_statement.h), or "set" if it is prepared.
template <typename Add, typename Set>
Statement& Statement::bind_by(const Add& add, const Set& set) {
  if (MultiStatement* const all = collected()) {
    add(*all);
  } else {
    translated([&] { set(next_parameter_++); });
  }
  return *this;
}

Statement& Statement::bind(std::int64_t value) {
  return bind_by([&](MultiStatement& all) { all.add(std::to_string(value)); },
                 [&](unsigned parameter) { statement_->setInt64(parameter, value); });
}

Statement& Statement::bind(std::uint64_t value) {
  return bind_by([&](MultiStatement& all) { all.add(std::to_string(value)); },
                 [&](unsigned parameter) { statement_->setUInt64(parameter, value); });
}

Statement& Statement::bind(std::string_view value) {
  return bind_by([&](MultiStatement& all) { all.add_text(value); },
                 [&](unsigned parameter) { statement_->setString(parameter, text_of(value)); });
}

Statement& Statement::bind(base::Time value) { return bind_digits(base::to_datetime(value)); }
Statement& Statement::bind(base::Day value) { return bind_digits(base::to_date(value)); }

// Binds a date or a timestamp. The text of a date or a timestamp contains only digits and
// separators, so it does not need escaping.
Statement& Statement::bind_digits(const std::string& value) {
  return bind_by([&](MultiStatement& all) { all.add("'" + value + "'"); },
                 [&](unsigned parameter) { statement_->setString(parameter, text_of(value)); });
}

Rows Statement::query() {
  connection_.require_uncollected();
  connection_.require_current();
  return translated([&] {
    return Rows(std::unique_ptr<sql::ResultSet>(statement_->executeQuery()), statement_);
  });
}

std::uint64_t Statement::execute() {
  if (MultiStatement* const all = collected()) {
    all->end();
    return 0;
  }
  connection_.require_current();
  return translated([&] { return static_cast<std::uint64_t>(statement_->executeUpdate()); });
}

}  // namespace db
