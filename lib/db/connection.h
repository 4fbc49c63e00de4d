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
#include "base/zone.h"
#include "config/database.h"
#include "db/primary.h"

namespace sql {
class Connection;
class PreparedStatement;
class ResultSet;
}  // namespace sql

namespace db {

// A database error. "code" is the error number from the server or the client library, or 0 if the
// error has no number.
class Failure : public std::runtime_error {
 public:
  Failure(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] int code() const { return code_; }

 private:
  int code_;
};

// Thrown if the connection could not be opened or was lost, or if the server no longer accepts
// writes. It is unknown whether the server has completed the statement or transaction that was in
// progress.
struct ConnectionLost : Failure {
  using Failure::Failure;
};

// Returns whether the error code means that the server refuses the account, its password or its
// database. Only an operator can fix such an error.
[[nodiscard]] bool refuses_account(int code);

// The advice in the workers' log events about such an error.
inline constexpr const char* kAdviceForRefusedAccount =
    "the database server refuses the account. After a password change, run: ratingctl reload";

// The error code for a failed TLS handshake (CR_SSL_CONNECTION_ERROR). A handshake fails if the
// certificate is invalid, or if the client and the server have no TLS version in common.
inline constexpr int kTlsHandshakeFailed = 2026;

// Thrown if all sessions or all threads remained busy. The database itself may be healthy.
struct SessionsBusy : ConnectionLost {
  using ConnectionLost::ConnectionLost;
};

// Thrown if the server must not be used because it does not offer TLS, the TLS handshake fails, or
// the server requests the password in clear text. If InsecureServer is thrown, the client has sent
// nothing derived from the password. The error message names the options for the operator to
// change.
struct InsecureServer : ConnectionLost {
  using ConnectionLost::ConnectionLost;
};

// Thrown if the server has no disk space or memory left for a write. Nothing was written. After a
// NoRoom exception, the session must not be used again.
struct NoRoom : ConnectionLost {
  using ConnectionLost::ConnectionLost;
};

// Thrown if the session was lost during a commit. The transaction may already be committed, or the
// server may still commit it.
struct CommitInDoubt : ConnectionLost {
  using ConnectionLost::ConnectionLost;
};

// Thrown if the transaction conflicted with another transaction. The failed transaction was rolled
// back by the server or must be rolled back by the caller. The caller can repeat the transaction.
struct Conflict : Failure {
  using Failure::Failure;
};

// Thrown if a value does not fit into its column or violates a constraint. Repeating the statement
// does not help.
struct BadData : Failure {
  using Failure::Failure;
};

struct Endpoint {
  config::DatabaseServer server;
  // "primary" is null if there is only one server. If there are several servers, sessions use the
  // primary instead of "server". Sessions use the same server if their endpoints share a Primary
  // object.
  std::shared_ptr<Primary> primary;
  std::string schema;
  std::string user;
  std::string password;
  std::optional<config::DatabaseTls> tls;  // if empty, the default from config::tls_of()
  std::string tls_ca;                      // file with the trusted certificate authorities
  std::chrono::seconds connect_timeout{1};
  std::chrono::seconds statement_timeout{1};  // maximum wait for a response from the server
  // If "is_bounded" is true, the server also cancels statements that take longer than
  // statement_timeout, including queries that are streaming rows. Servers that cannot cancel slow
  // statements ignore this setting. If "is_bounded" is false, the session lifts the server's own
  // limit for statements.
  bool is_bounded = false;
  // The server closes the session if a transaction is idle for longer than this timeout. The
  // timeout releases the locks of a client that is suspended or has lost its network connection. A
  // timeout of 0 means no limit.
  std::chrono::seconds idle_transaction_timeout{0};
  // If "is_replaceable" is true, the server may close the session whenever it is idle, because
  // callers replace an expired session (is_expired()). MySQL cannot limit idle transactions, so on
  // MySQL, idle_transaction_timeout limits the idle time of the whole session. If "is_replaceable"
  // is false, MySQL limits the idle time only during a transaction.
  bool is_replaceable = false;
  bool takes_multi_statements = false;  // see db/multi_statement.h
  // The prefix for the site's tables, which replaces {prefix} in statements (with_prefix()). If the
  // prefix is empty, sessions do not replace {prefix}.
  std::string table_prefix = {};
  // The table prefix of a network's first site. The first site's tables contain the settings that
  // apply to all sites in the network (store/settings_store.h). The prefix is empty if ratingd
  // serves only one site.
  std::string network_prefix = {};
  [[nodiscard]] bool is_of_first_site() const {
    return !network_prefix.empty() && network_prefix == table_prefix;
  }
  // The maximum number of prepared statements in a session. In the tests (tests/cases), a session
  // uses about 50 prepared statements. The vote writer's session needs more statements if it
  // withdraws votes in batches of many different sizes. By default, a server allows 16,382 prepared
  // statements across all sessions (max_prepared_stmt_count).
  std::size_t max_statements = 128;
  // The total number of prepared statements in the sessions that use this endpoint or its copies.
  std::shared_ptr<std::atomic<std::size_t>> statements = {};
};

// Returns "text" with each {prefix} replaced by "table_prefix". "text" must be SQL from ratingd's
// source code. The text must not contain untrusted input, because such input could contain
// "{prefix}".
[[nodiscard]] std::string with_prefix(std::string_view text, std::string_view table_prefix);

class Connection;

// The rows in a query's result. The client buffers all rows, unless the result is streamed. Columns
// are numbered from 1.
class Rows {
 public:
  // "source" is the prepared statement that returned the result, or null if no statement was
  // prepared. "stream" is the session that streams the result, or null if all rows are buffered.
  explicit Rows(std::unique_ptr<sql::ResultSet> result,
                std::shared_ptr<sql::PreparedStatement> source = nullptr,
                Connection* stream = nullptr);
  Rows(Rows&&) noexcept;
  Rows& operator=(Rows&&) noexcept;
  ~Rows();

  // Moves to the next row, or returns false if there is none. Throws ConnectionLost if the server
  // canceled the query before it sent all rows.
  [[nodiscard]] bool next();
  [[nodiscard]] std::int64_t integer(unsigned column) const;
  [[nodiscard]] std::uint64_t unsigned_integer(unsigned column) const;
  [[nodiscard]] std::string text(unsigned column) const;  // empty if the value is NULL
  [[nodiscard]] bool is_null(unsigned column) const;
  [[nodiscard]] base::Time time(unsigned column) const;  // from a DATETIME column
  [[nodiscard]] base::Day day(unsigned column) const;    // from a DATE column

  // The function all() uses "read(const Rows&)" to convert each remaining row. The function first()
  // converts the next row, or returns nothing if there is none.
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
  // Returns the integer in the first column of the next row, or 0 if there is no row.
  [[nodiscard]] std::int64_t number() { return next() ? integer(1) : 0; }

 private:
  std::shared_ptr<sql::PreparedStatement> source_;  // must outlive the result
  std::unique_ptr<sql::ResultSet> result_;
  Connection* stream_;  // null after all rows have been read
};

// Returns the text in the row's first column.
[[nodiscard]] inline std::string text_in(const Rows& row) { return row.text(1); }

class Lease;
class MultiStatement;

// A statement prepared by Connection::prepare(). Bind all parameters in order, then run the
// statement. Always bind a given parameter with the same type, because the client library keeps the
// signedness of the parameter's first value.
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
  // Binds an enumerator as its numeric value.
  template <typename Number>
  requires std::integral<Number> || std::is_enum_v<Number> Statement& bind(Number value) {
    if constexpr (std::unsigned_integral<Number>) return bind(static_cast<std::uint64_t>(value));
    return bind(static_cast<std::int64_t>(value));
  }
  // Calls the object's bind_to() function to bind several parameters.
  template <typename Values>
  requires requires(const Values& values, Statement& statement) { values.bind_to(statement); }
  Statement& bind(const Values& values) {
    values.bind_to(*this);
    return *this;
  }
  template <typename First, typename Second, typename... More>
  Statement& bind(const First& first, const Second& second, const More&... more) {
    return bind(first).bind(second, more...);  // NOLINT(readability-suspicious-call-argument)
  }

  Rows query();
  // Returns the number of changed rows, or 0 if the statement is collected (db/multi_statement.h).
  std::uint64_t execute();

 private:
  friend class Connection;  // Connection::prepare() resets next_parameter_

  [[nodiscard]] MultiStatement* collected() const;
  template <typename Add, typename Set>
  Statement& bind_by(const Add& add, const Set& set);
  Statement& bind_digits(const std::string& value);

  std::shared_ptr<sql::PreparedStatement> statement_;
  const Connection& connection_;
  unsigned next_parameter_ = 1;
};

// A session with a MariaDB or MySQL server. The session uses strict SQL mode, the isolation level
// READ COMMITTED, and a lock wait timeout of one second. All member functions may throw Failure,
// ConnectionLost, Conflict or BadData. After a ConnectionLost exception, the session must not be
// used again. Only one thread at a time may use a Connection.
//
// If there are several servers, the session uses the server that accepts writes (db/primary.h).
// After another session has found a new primary, the next statement in this session throws
// ConnectionLost.
//
// Statements refer to the site's tables as "{prefix}name". The session replaces {prefix} with the
// endpoint's table_prefix. Therefore, statements must be SQL from ratingd's source code, and
// untrusted input must always be a parameter.
class Connection {
 public:
  // Opens the session. Blocks for at most the endpoint's connect_timeout per server.
  explicit Connection(Endpoint endpoint);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // Returns the prepared statement for "text" and the current table prefix, preparing it if
  // necessary. The session keeps the max_statements most recently used statements, regardless of
  // their table prefixes. The result of prepare() is valid until max_statements other statements
  // have been prepared. A query's rows remain valid even after the prepared statement is dropped.
  // "text" must contain placeholders instead of values.
  Statement& prepare(std::string_view text);

  // Returns whether statements are being collected instead of run (db/multi_statement.h).
  [[nodiscard]] bool collects() const { return collected_ != nullptr; }

  // Run a statement without parameters. Use query() for a statement that returns rows, and
  // execute() for other statements and for collected statements.
  void execute(std::string_view text);
  Rows query(std::string_view text);
  // Prepare a statement, bind "values" to all its parameters, and run it.
  template <typename... Values>
  requires(sizeof...(Values) > 0) std::uint64_t
      execute(std::string_view text, const Values&... values) {
    return prepare(text).bind(values...).execute();
  }
  template <typename... Values>
  requires(sizeof...(Values) > 0) Rows query(std::string_view text, const Values&... values) {
    return prepare(text).bind(values...).query();
  }

  // Like query(), but streams a result too large to buffer. Each row is received only when it is
  // read. The session cannot run other statements until all rows have been read.
  Rows stream(std::string_view text);

  // Returns the name of the session's server, in the format of config::name_of().
  [[nodiscard]] const std::string& server() const { return server_; }
  // Returns a hash of the server's name. The hash is the same in all processes and never 0.
  [[nodiscard]] std::uint64_t server_hash() const { return server_hash_; }

  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
  // Returns the table prefix for use in parameter values, such as the table names in
  // information_schema.
  [[nodiscard]] const std::string& table_prefix() const { return endpoint_.table_prefix; }
  // Sets the table prefix for later statements.
  void use_tables(const std::string& prefix) { endpoint_.table_prefix = prefix; }
  // Returns whether the session has prepared statements for tables with the given prefix.
  [[nodiscard]] bool knows_tables(const std::string& prefix) const {
    return prepared_for_.contains(prefix);
  }
  // Drops the prepared statements that have been unused for at least "limit". Returns the number of
  // dropped statements.
  std::size_t drop_unused(std::chrono::milliseconds limit);

  // Returns the time since the last statement.
  [[nodiscard]] std::chrono::milliseconds idle_time() const { return used_.elapsed(); }

  // Returns whether several servers in the session's cluster accept writes. The other servers in a
  // multi-primary cluster ignore this session's row locks and named locks until the session
  // commits.
  [[nodiscard]] bool is_multi_primary() const { return is_multi_primary_; }

  // Returns whether the server accepts writes. A replica, for example, does not accept writes. If
  // there are several servers, a session opens only with a server that accepts writes.
  [[nodiscard]] bool accepts_writes();

  // Returns whether another primary has been chosen since the session was opened.
  [[nodiscard]] bool is_outdated() const {
    const auto& primary = endpoint_.primary;
    return primary != nullptr && primary->choice() != choice_;
  }

  // Returns whether the server has closed the idle session or will close it soon.
  [[nodiscard]] bool is_expired() const { return idle_limit_ && idle_time() > *idle_limit_; }

  // Call this function before and after each transaction. If the server cannot limit idle
  // transactions, this function limits the session's idle time during the transaction. Can throw
  // the same exceptions as the Connection class.
  void limit_idle_time(bool is_in_transaction);

  // Records that the server did not respond in time. Later sessions use this server only if no
  // other server accepts writes.
  void suspect_server() const {
    if (endpoint_.primary != nullptr) endpoint_.primary->suspect(choice_);
  }

  // Register and remove the leases held by the session (db/lease.h).
  void add_lease(Lease& lease) { leases_.push_back(&lease); }
  void remove_lease(const Lease& lease) { std::erase(leases_, &lease); }
  // Renews all of the session's leases. Can throw LeaseLost and the same exceptions as the
  // Connection class.
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
    const std::string text;  // contains {prefix}, which is not replaced yet
    const std::string table_prefix;
    Statement statement;
    base::Stopwatch unused = {};  // the time since prepare()
  };
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
  // Runs "text", which contains "count" statements without {prefix}.
  std::vector<Rows> run_all(const std::string& text, std::size_t count);
  void open(const config::DatabaseServer& server);
  void find_primary();
  bool find_primary(std::string& reasons);
  bool is_primary(std::size_t server, std::string& reasons);
  void read_variables();
  void require_encryption();
  bool try_set(const std::string& variable, std::int64_t value);
  void limit_statements(std::chrono::seconds limit);
  void limit_idle_transactions(std::chrono::seconds limit);
  void require_current() const;
  void require_uncollected() const;

  Endpoint endpoint_;  // only table_prefix can change
  Primary::Choice choice_;
  std::string server_;
  std::uint64_t server_hash_ = 0;
  std::unique_ptr<sql::Connection> session_;
  std::list<Prepared> statements_;  // most recently used first
  std::unordered_map<Key, std::list<Prepared>::iterator, HashOfKey> statement_of_;
  std::map<std::string, std::size_t> prepared_for_;  // number of statements, by prefix
  MultiStatement* collected_ = nullptr;
  Statement collecting_;  // adds its statements to "collected_"
  std::vector<Lease*> leases_;
  bool is_multi_primary_ = false;
  std::optional<std::chrono::milliseconds> idle_limit_;
  bool limits_idle_time_ = false;  // limit_idle_time() has an effect
  mutable base::Stopwatch used_;   // the time since the last statement
};

// Runs the query "statement" and returns whether the account has the necessary privileges. Returns
// false if the server denies access to the database, a table or a column, or if the table does not
// exist. Can throw the same exceptions as the Connection class.
[[nodiscard]] bool may_run(Connection& connection, std::string_view statement);

}  // namespace db
