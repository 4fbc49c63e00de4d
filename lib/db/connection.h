#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/stopwatch.h"
#include "base/zone.h"
#include "config/database.h"
#include "db/primary.h"

namespace sql {
class Connection;
class PreparedStatement;
class ResultSet;
}  // namespace sql

namespace db {

// A database error. "code" is the server's or the client library's error number, 0 if there is
// none.
class Failure : public std::runtime_error {
 public:
  Failure(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] int code() const { return code_; }

 private:
  int code_;
};

// The connection could not be opened, was lost, or leads to a server that no longer accepts writes.
// Work in progress may or may not have been done.
struct ConnectionLost : Failure {
  using Failure::Failure;
};

// The code of a failed TLS handshake: the certificate is not valid, or the two sides have no
// version of the protocol in common (CR_SSL_CONNECTION_ERROR).
inline constexpr int kTlsHandshakeFailed = 2026;

// All sessions or threads stay busy; the server may be fine.
struct SessionsBusy : ConnectionLost {
  using ConnectionLost::ConnectionLost;
};

// The server must not be used: it offers no TLS, the TLS handshake fails, or it asks for the
// password in clear text. Nothing that is derived from the password was sent. The message names the
// configuration options involved.
struct InsecureServer : ConnectionLost {
  using ConnectionLost::ConnectionLost;
};

// The server has no disk space or memory for the write. Nothing was written; the session cannot be
// used any more.
struct NoRoom : ConnectionLost {
  using ConnectionLost::ConnectionLost;
};

// The session was lost during a commit: the transaction may be committed, or may be later.
struct CommitInDoubt : ConnectionLost {
  using ConnectionLost::ConnectionLost;
};

// A conflict with another transaction; this one was, or must be, rolled back. Retrying helps.
struct Conflict : Failure {
  using Failure::Failure;
};

// A value does not fit its column or violates a constraint: retrying does not help.
struct BadData : Failure {
  using Failure::Failure;
};

struct Endpoint {
  config::DatabaseServer server;
  // If there are several servers, one of these is used instead of "server". Shared by all sessions
  // that must use the same server.
  std::shared_ptr<Primary> primary;
  std::string schema;
  std::string user;
  std::string password;
  std::optional<config::DatabaseTls> tls;  // as config::tls_of()
  std::string tls_ca;                      // a file
  std::chrono::seconds connect_timeout{1};
  std::chrono::seconds statement_timeout{1};  // for the server to respond
  // The server also cancels statements that take longer, if it supports that, including streamed
  // results.
  bool is_bounded = false;
  // The server closes the session if a transaction is idle for this long, so a stopped client or a
  // lost host does not hold its locks. 0: never.
  std::chrono::seconds idle_transaction_timeout{0};
  // The session may be closed whenever it is idle: its user opens another one (is_expired()). MySQL
  // knows only this limit; there, other sessions have it while a transaction is open.
  bool is_replaceable = false;
  bool takes_multi_statements = false;  // see db/multi_statement.h
  // Of the site's tables: what {prefix} in statements stands for (with_prefix()). Empty: sessions
  // run texts as they are.
  std::string table_prefix = {};
  // Of the tables of a network's first site, whose settings all sites have in common
  // (store/settings_store.h); empty: there is no such network.
  std::string network_prefix = {};
  [[nodiscard]] bool is_of_first_site() const {
    return !network_prefix.empty() && network_prefix == table_prefix;
  }
  // How many statements a session keeps prepared. A session of readers uses up to 50 texts
  // (tests/cases); that of the vote writer has about 50 under load, and more if batches of many
  // sizes withdraw votes. Servers have 16,382 for all sessions (max_prepared_stmt_count).
  std::size_t max_statements = 128;
  // Counts the prepared statements of all sessions of this endpoint and its copies.
  std::shared_ptr<std::atomic<std::size_t>> statements = {};
};

// "text" with "table_prefix" in place of each {prefix}. REQUIRES: "text" is SQL of the program;
// untrusted input may contain "{prefix}", too.
[[nodiscard]] std::string with_prefix(std::string_view text, std::string_view table_prefix);

// The rows of a result: all of them are buffered on the client, unless they are streamed. Columns
// count from 1.
class Rows {
 public:
  // "source": the statement that the result is of, if it is prepared.
  explicit Rows(std::unique_ptr<sql::ResultSet> result,
                std::shared_ptr<sql::PreparedStatement> source = nullptr);
  Rows(Rows&&) noexcept;
  Rows& operator=(Rows&&) noexcept;
  ~Rows();

  [[nodiscard]] bool next();
  [[nodiscard]] std::int64_t integer(unsigned column) const;
  [[nodiscard]] std::uint64_t unsigned_integer(unsigned column) const;
  [[nodiscard]] std::string text(unsigned column) const;  // empty for NULL
  [[nodiscard]] bool is_null(unsigned column) const;
  [[nodiscard]] base::Time time(unsigned column) const;  // of a DATETIME
  [[nodiscard]] base::Day day(unsigned column) const;    // of a DATE

  // What "read(const Rows&)" makes of each of the rows that are left, or of the next one; nothing:
  // there is none.
  template <typename Read>
  auto all(const Read& read) {
    std::vector<std::decay_t<std::invoke_result_t<const Read&, const Rows&>>> values;
    while (next()) values.push_back(read(*this));
    return values;
  }
  template <typename Read>
  auto first(const Read& read) {
    using Value = std::decay_t<std::invoke_result_t<const Read&, const Rows&>>;
    return next() ? std::optional<Value>(read(*this)) : std::nullopt;
  }
  // The integer in the first column of the next row; 0 if there is none.
  [[nodiscard]] std::int64_t number() { return next() ? integer(1) : 0; }

 private:
  std::shared_ptr<sql::PreparedStatement> source_;  // outlives the result, even if it is evicted
  std::unique_ptr<sql::ResultSet> result_;
};

// The text in the first column.
[[nodiscard]] inline std::string text_in(const Rows& row) { return row.text(1); }

class Connection;
class Lease;
class MultiStatement;

// A prepared statement, from Connection::prepare: bind all its parameters in order, then run it. A
// parameter must be bound with the same type each time, because the client library does not update
// a slot's signedness.
class Statement {
 public:
  Statement(std::shared_ptr<sql::PreparedStatement> statement, const Connection& connection);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  Statement& bind(std::int64_t value);
  Statement& bind(std::uint64_t value);
  Statement& bind(std::string_view value);
  Statement& bind(base::Time value);
  Statement& bind(base::Day value);
  // Enumerations are stored as their numbers.
  template <typename Number>
  requires std::integral<Number> || std::is_enum_v<Number> Statement& bind(Number value) {
    if constexpr (std::unsigned_integral<Number>) return bind(static_cast<std::uint64_t>(value));
    return bind(static_cast<std::int64_t>(value));
  }
  // The parameters of a value that binds several.
  template <typename Values>
  requires requires(const Values& values, Statement& statement) { values.bind_to(statement); }
  Statement& bind(const Values& values) {
    values.bind_to(*this);
    return *this;
  }
  // Several values, in their order.
  template <typename First, typename Second, typename... More>
  Statement& bind(const First& first, const Second& second, const More&... more) {
    return bind(first).bind(second, more...);
  }

  Rows query();
  // The number of rows it changed; 0 if the statement is collected (db/multi_statement.h).
  std::uint64_t execute();

 private:
  friend class Connection;  // prepare() starts a new round of parameters

  [[nodiscard]] MultiStatement* collected() const;
  template <typename Add, typename Set>
  Statement& bind_by(const Add& add, const Set& set);
  Statement& bind_digits(const std::string& value);

  std::shared_ptr<sql::PreparedStatement> statement_;
  const Connection& connection_;
  unsigned next_parameter_ = 1;
};

// A session with MariaDB or MySQL: strict SQL mode, READ COMMITTED (checked), a lock wait timeout
// of one second. All functions may throw Failure, ConnectionLost, Conflict or BadData; after
// ConnectionLost the session cannot be used any more. Used by one thread at a time.
//
// With several servers, the session is with the one that accepts writes (db/primary.h). Once
// another session has found a new primary, this session is lost before its next statement.
//
// Texts name the tables of the site "{prefix}name"; the session fills in the endpoint's
// table_prefix. So texts are SQL of the program, and untrusted input is always a parameter.
class Connection {
 public:
  // Blocks for at most the endpoint's connect_timeout per server.
  explicit Connection(Endpoint endpoint);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // The prepared statement with this text, prepared on first use for the tables in use. The session
  // keeps the endpoint's max_statements that were prepared last, also those of other tables. So the
  // result is valid until that many other texts were prepared after it; its rows are valid longer.
  // REQUIRES: values are parameters.
  Statement& prepare(std::string_view text);

  // Whether statements are collected instead of being run.
  [[nodiscard]] bool collects() const { return collected_ != nullptr; }

  // Runs a statement without parameters: execute() if it returns no rows or if statements are
  // collected, query() if it returns rows.
  void execute(std::string_view text);
  Rows query(std::string_view text);
  // The same for a statement with these values of all its parameters, which is prepared.
  template <typename... Values>
  requires(sizeof...(Values) > 0) std::uint64_t
      execute(std::string_view text, const Values&... values) {
    return prepare(text).bind(values...).execute();
  }
  template <typename... Values>
  requires(sizeof...(Values) > 0) Rows query(std::string_view text, const Values&... values) {
    return prepare(text).bind(values...).query();
  }

  // As query(), for a result that is too large to buffer: rows are received as they are read. Until
  // all have been read, the session can do nothing else.
  Rows stream(std::string_view text);

  // The server of the session, as config::name_of().
  [[nodiscard]] const std::string& server() const { return server_; }
  // The same for all processes and sessions; never 0.
  [[nodiscard]] std::uint64_t server_hash() const { return server_hash_; }

  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
  // As Endpoint::table_prefix, for names that are values: of tables in information_schema.
  [[nodiscard]] const std::string& table_prefix() const { return endpoint_.table_prefix; }
  // From now on statements are for the tables with this prefix.
  void use_tables(const std::string& prefix) { endpoint_.table_prefix = prefix; }
  // Whether it has prepared statements for them.
  [[nodiscard]] bool knows_tables(const std::string& prefix) const {
    return prepared_for_.contains(prefix);
  }
  // Drops the prepared statements that were not used for "limit". Returns how many they were.
  std::size_t drop_unused(std::chrono::milliseconds limit);

  // The time since the last statement.
  [[nodiscard]] std::chrono::milliseconds idle_time() const { return used_.elapsed(); }

  // Whether other servers of the session's cluster accept writes, too, so that locks of rows and
  // named locks do not exclude all other transactions until they commit.
  [[nodiscard]] bool is_multi_primary() const { return is_multi_primary_; }

  // Whether another primary was chosen since.
  [[nodiscard]] bool is_outdated() const {
    const auto& primary = endpoint_.primary;
    return primary != nullptr && primary->choice() != choice_;
  }

  // Whether the server closes the session, or will soon, because it was idle.
  [[nodiscard]] bool is_expired() const { return idle_limit_ && idle_time() > *idle_limit_; }

  // Called before and after a transaction: where the server limits idle sessions and not idle
  // transactions, it limits this one in between. Errors: as Connection.
  void limit_idle_time(bool is_in_transaction);

  // Makes new sessions prefer another server that accepts writes, if there are several: this one
  // did not answer in time.
  void suspect_server() const {
    if (endpoint_.primary != nullptr) endpoint_.primary->suspect(choice_);
  }

  // The leases that the session holds (db/lease.h).
  void add_lease(Lease& lease) { leases_.push_back(&lease); }
  void remove_lease(const Lease& lease) { std::erase(leases_, &lease); }
  // Errors: LeaseLost; as Connection.
  void confirm_leases();

 private:
  friend class MultiStatement;
  friend class Statement;

  struct Prepared {
    Prepared(std::string_view its_text, std::shared_ptr<sql::PreparedStatement> prepared,
             const Connection& connection)
        : text(its_text),
          table_prefix(connection.table_prefix()),
          statement(std::move(prepared), connection) {}
    const std::string text;  // with {prefix}
    const std::string table_prefix;
    Statement statement;
    base::Stopwatch unused = {};  // since prepare()
  };
  // A text and the prefix of its tables.
  using Key = std::pair<std::string_view, std::string_view>;
  struct HashOfKey {
    std::size_t operator()(const Key& key) const {
      const std::hash<std::string_view> hash;
      return hash(key.first) ^ hash(key.second) << 1U;
    }
  };

  void add_prepared(std::string_view text);
  void drop_prepared();
  [[nodiscard]] std::string filled(std::string_view text) const {
    return with_prefix(text, endpoint_.table_prefix);
  }
  // Runs the "count" statements in "text", which is complete.
  std::vector<Rows> run_all(const std::string& text, std::size_t count);
  void open(const config::DatabaseServer& server);
  void find_primary();
  bool find_primary(std::string& reasons);
  bool is_primary(std::size_t server, std::string& reasons);
  [[nodiscard]] bool accepts_writes();
  void read_variables();
  void require_encryption();
  bool try_set(const std::string& variable, std::int64_t value);
  void limit_statements(std::chrono::seconds limit);
  void limit_idle_transactions(std::chrono::seconds limit);
  // Called before each statement.
  void require_current() const;
  void require_uncollected() const;

  Endpoint endpoint_;  // only the prefix changes
  Primary::Choice choice_;
  std::string server_;
  std::uint64_t server_hash_ = 0;
  std::unique_ptr<sql::Connection> session_;
  std::list<Prepared> statements_;  // the last used first
  std::unordered_map<Key, std::list<Prepared>::iterator, HashOfKey> statement_of_;
  std::map<std::string, std::size_t> prepared_for_;  // how many statements, by prefix
  MultiStatement* collected_ = nullptr;
  Statement collecting_;  // adds to "collected_"
  std::vector<Lease*> leases_;
  bool is_multi_primary_ = false;
  std::optional<std::chrono::milliseconds> idle_limit_;
  bool limits_idle_time_ = false;  // by limit_idle_time()
  mutable base::Stopwatch used_;   // since the last statement
};

// Runs "statement", which returns rows, and reports whether the account has the privileges: false
// if the server denies access to the database, a table or a column, or if the table does not exist.
// Errors: as Connection.
[[nodiscard]] bool may_run(Connection& connection, std::string_view statement);

}  // namespace db
