#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"

namespace db {

// DESIGN. Sends several statements in one packet (CLIENT_MULTI_STATEMENTS), so that they take only
// one round trip. Until run() is called, Connection::execute() and Statement::execute() add
// statements to the packet instead of running them, even if a statement returns rows. The server
// runs the statements in order and stops at the first error. The packet must not contain COMMIT.
//
// A node in a Galera cluster may roll back a transaction between two statements in a packet and
// still run the remaining statements. The node reports the conflict later, or in autocommit mode
// not at all. Therefore, these sessions are not in autocommit mode. So the remaining statements
// belong to a transaction that is rolled back, and they are never committed on their own. Because
// the first statement in such a session begins a transaction, all statements must be in a
// transaction.
//
// Parameters become literals that need no escaping. Numbers, timestamps, and words that consist of
// letters, digits and "_.:-" are written literally. Any other string becomes a hexadecimal literal.
// Such a literal is a binary string, so the server may be unable to use an index on a text column.
//
// The whole packet must be shorter than the server's max_allowed_packet, which is at least 1 MB
// unless an operator has lowered it.
//
// Must be used by only one thread.
class MultiStatement {
 public:
  // "connection" must allow several statements in a packet (Endpoint::takes_multi_statements), must
  // not have another MultiStatement that is collecting, and must outlive this object.
  explicit MultiStatement(Connection& connection);
  MultiStatement(const MultiStatement&) = delete;
  MultiStatement& operator=(const MultiStatement&) = delete;
  // Discards statements that were not run.
  ~MultiStatement();

  // Adds a statement that returns the number of rows that the previous statement has changed.
  void add_changed_rows();

  // Runs the collected statements. For each statement that returns rows, the result contains its
  // rows, in order. Must be called only once. Errors: same as Connection.
  std::vector<Rows> run();

 private:
  friend class Connection;
  friend class Statement;

  // Begins a statement with this text, which has "?" for each parameter. {prefix} was already
  // replaced and is not replaced again, because literals with untrusted input follow.
  void begin(std::string text);
  // Adds the literal for the statement's next parameter.
  void add(std::string_view literal);
  void add_text(std::string_view value);
  // Ends the statement.
  void end();

  void add_text_until(std::size_t end);

  Connection& connection_;
  std::string text_;
  std::size_t count_ = 0;
  std::string statement_;     // the text of the current statement
  std::size_t position_ = 0;  // the position up to which "statement_" was added
};

}  // namespace db
