#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "base/zone.h"
#include "config/config.h"
#include "db/primary.h"

namespace sql {
class Connection;
class PreparedStatement;
class ResultSet;
}  // namespace sql

namespace db {

// What the database says when something fails: "code" is the server's or the client library's
// number, 0 if there is none.
class Failure : public std::runtime_error {
 public:
  Failure(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] int code() const { return code_; }

 private:
  int code_;
};

// No connection can be had, or it is lost, or it leads to a server that does not accept writes any
// more; what was under way may or may not be done.
class ConnectionLost : public Failure {
 public:
  using Failure::Failure;
};

// The code of a failed TLS handshake: the certificate is not valid, or the two sides have no
// version of the protocol in common (CR_SSL_CONNECTION_ERROR).
inline constexpr int kTlsHandshakeFailed = 2026;

// The server is not one that may be talked to: it offers no TLS, the TLS handshake fails, or it
// asks for the password in clear text. Nothing was sent to it that is made of the password. The
// message says which options of the configuration have to do with it.
class InsecureServer : public ConnectionLost {
 public:
  using ConnectionLost::ConnectionLost;
};

// The server has no disk or memory left for what was to be written. It is not; the session is of no
// more use.
class NoRoom : public ConnectionLost {
 public:
  using ConnectionLost::ConnectionLost;
};

// Another transaction was in the way and this one was, or must be, rolled back. Repeating helps.
class Conflict : public Failure {
 public:
  using Failure::Failure;
};

// A value does not fit where it should go, or breaks a constraint: the fault of the row, not of the
// moment.
class BadData : public Failure {
 public:
  using Failure::Failure;
};

struct Endpoint {
  config::DatabaseServer server;
  // Where there are several servers, it is one of these, whatever "server" is. Shared by all
  // sessions that are to go to the same one.
  std::shared_ptr<Primary> primary;
  std::string schema;
  std::string user;
  std::string password;
  std::optional<config::DatabaseTls> tls;  // as config::tls_of()
  std::string tls_ca;                      // a file
  std::chrono::seconds connect_timeout{1};
  std::chrono::seconds statement_timeout{1};  // how long the server may be silent
  // The server, too, gives up what takes longer than this, if it can: also a stream of rows.
  bool is_bounded = false;
  // The server ends the session, if it can (MariaDB), when a transaction is left alone for so long:
  // a client that stands still, or whose host is gone, must not keep its locks. 0: never.
  std::chrono::seconds idle_transaction_timeout{0};
};

// The rows of an answer, all of them on this side already unless they are streamed. Columns count
// from 1.
class Rows {
 public:
  explicit Rows(std::unique_ptr<sql::ResultSet> result);
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

 private:
  std::unique_ptr<sql::ResultSet> result_;
};

class Connection;

// A prepared statement, from Connection::prepare: bind all its parameters in order, then run it. A
// parameter must be bound with the same type each time (the client library keeps a slot's
// signedness).
class Statement {
 public:
  Statement(std::unique_ptr<sql::PreparedStatement> statement, const Connection& connection);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  Statement& bind(std::int64_t value);
  Statement& bind(std::uint64_t value);
  Statement& bind(std::string_view value);
  Statement& bind(base::Time value);
  Statement& bind(base::Day value);

  Rows query();
  std::uint64_t execute();  // the number of rows it changed

 private:
  friend class Connection;  // prepare() starts a new round of parameters

  std::unique_ptr<sql::PreparedStatement> statement_;
  const Connection& connection_;
  unsigned next_parameter_ = 1;
};

// One session with MariaDB or MySQL: strict SQL mode, READ COMMITTED (checked), a lock wait of one
// second. All its functions may throw Failure, ConnectionLost, Conflict or BadData; after
// ConnectionLost it is of no more use. Used by one thread at a time.
//
// Of several servers it is with the one that accepts writes (db/primary.h). Once other sessions
// have found another one, this one is lost before its next statement.
class Connection {
 public:
  // Blocks for the endpoint's connect_timeout at most, for each server.
  // Errors: ConnectionLost - the server is away or full, or of several none accepts writes;
  //         InsecureServer - it cannot be reached as "tls" asks;
  //         Failure - it refuses this account.
  explicit Connection(const Endpoint& endpoint);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // The statement with this text, prepared on its first use and kept as long as the connection.
  // REQUIRES: the set of texts is small; values are parameters.
  Statement& prepare(const std::string& text);

  // Runs a statement without parameters that yields no rows, or one that yields some.
  void execute(const std::string& text);
  Rows query(const std::string& text);

  // The same for an answer that is too long to be held: its rows come while they are read. Until
  // they have gone the session can do nothing else.
  Rows stream(const std::string& text);

  // The server that it is with, as config::name_of().
  [[nodiscard]] const std::string& server() const { return server_; }

  // Whether another server was chosen since.
  [[nodiscard]] bool is_outdated() const {
    return primary_ != nullptr && primary_->choice() != choice_;
  }

 private:
  friend class Statement;

  void open(const Endpoint& endpoint, const config::DatabaseServer& server);
  void find_primary(const Endpoint& endpoint);
  bool look_for_primary(const Endpoint& endpoint, std::string& reasons);
  bool is_primary(const Endpoint& endpoint, std::size_t server, std::string& reasons);
  [[nodiscard]] bool accepts_writes();
  void require_encryption();
  void limit_statements(std::chrono::seconds limit);
  void limit_idle_transactions(std::chrono::seconds limit);
  void require_current() const;

  const std::shared_ptr<Primary> primary_;  // may be none
  Primary::Choice choice_;
  std::string server_;
  std::unique_ptr<sql::Connection> session_;
  std::unordered_map<std::string, std::unique_ptr<Statement>> statements_;
};

}  // namespace db
