#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"

namespace db {

// DESIGN. Sends several statements in one packet (CLIENT_MULTI_STATEMENTS), so that they take only
// one round trip. Until run() is called, Connection::execute() and Statement::execute() add
// statements to the packet instead of running them. Use execute() even for statements that return
// rows. The server runs the statements in order and stops at the first error. The packet must not
// contain COMMIT.
//
// A node in a Galera cluster may roll back a transaction between two statements in a packet and
// still run the remaining statements. A Galera node reports a conflict with a delay, or not at all
// in autocommit mode. Therefore, sessions for multi-statement packets are not in autocommit mode.
// Without autocommit, the remaining statements in the packet belong to a transaction that is later
// rolled back. In a session without autocommit, any statement begins a transaction, so run all
// statements within explicit transactions.
//
// Parameters are written as literals that need no escaping. Numbers, timestamps, and words that
// consist of letters, digits and "_.:-" are written literally. All other strings are written as
// hexadecimal literals. A hexadecimal literal is a binary string, so comparing a text column with
// the literal may prevent the use of an index.
//
// The whole packet must be shorter than the server's max_allowed_packet. The server's
// max_allowed_packet is at least 1 MB unless an operator has lowered it.
//
// Not safe for concurrent use.
class MultiStatement {
 public:
  // "connection" must allow several statements in a packet (Endpoint::takes_multi_statements) and
  // must outlive this object. "connection" can have only one MultiStatement at a time.
  explicit MultiStatement(Connection& connection);
  MultiStatement(const MultiStatement&) = delete;
  MultiStatement& operator=(const MultiStatement&) = delete;
  // Discards statements that were not run.
  ~MultiStatement();

  // Adds a statement that returns the number of rows changed by the previous statement.
  void add_changed_rows();

  // Runs the collected statements. The result contains the rows from each statement that returns
  // rows, in order. Call this function only once. Can throw the same exceptions as the Connection
  // class.
  std::vector<Rows> run();

 private:
  friend class Connection;
  friend class Statement;

  // Begins a statement whose SQL is "text", with "?" in place of each parameter. The caller must
  // already have replaced {prefix}, because the literals may contain untrusted input.
  void begin(std::string text);
  // Adds the literal for the statement's next parameter.
  void add(std::string_view literal);
  void add_text(std::string_view value);
  void end();

  void add_text_until(std::size_t end);

  Connection& connection_;
  std::string text_;
  std::size_t count_ = 0;
  std::string statement_;     // the text of the current statement
  std::size_t position_ = 0;  // the position up to which "statement_" was added
};

}  // namespace db
