#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"

namespace db {

// DESIGN. Several statements in one packet (CLIENT_MULTI_STATEMENTS), so that they take one round
// trip. While this object collects, Connection::execute() and Statement::execute() add statements
// to it, whether they return rows or not, instead of running them. The server runs them in their
// order and stops at the first error. COMMIT must not be among them.
//
// A node of a Galera cluster that rolls back a transaction between two statements of a packet may
// run the rest of them, and report the conflict later or, in autocommit mode, not at all. Therefore
// these sessions are not in autocommit mode: the rest is part of a transaction that is rolled back,
// and never committed by itself. All statements of such a session belong in a transaction, since
// the first one begins it.
//
// Parameters become literals that need no escaping: numbers, times made of digits, words of
// letters, digits and "_.:-", and for any other text hexadecimal literals. A hexadecimal literal is
// a binary string: with it the server may not find an index for a column of text.
//
// All of it must be shorter than the server's max_allowed_packet, which is 1 MB or more unless an
// operator has lowered it.
//
// Used by one thread.
class MultiStatement {
 public:
  // "connection" must be open for several statements (Endpoint::takes_multi_statements), and
  // outlive this object. Of the objects of a connection, one at a time may collect.
  explicit MultiStatement(Connection& connection);
  MultiStatement(const MultiStatement&) = delete;
  MultiStatement& operator=(const MultiStatement&) = delete;
  // Discards what was not run.
  ~MultiStatement();

  // Adds a statement that returns the number of rows that the last one has changed.
  void add_changed_rows();

  // Runs what was collected, and returns the rows of each statement that returns some, in order.
  // Called once. Errors: as Connection.
  std::vector<Rows> run();

 private:
  friend class Connection;
  friend class Statement;

  // Begins a statement with this complete text, which has "?" for each parameter. Nothing is filled
  // into what is collected: literals of untrusted input follow.
  void begin(std::string text);
  // Adds the literal for the next parameter of the statement.
  void add(std::string_view literal);
  void add_text(std::string_view value);
  // Ends the statement.
  void end();

  void add_text_until(std::size_t end);

  Connection& connection_;
  std::string text_;
  std::size_t count_ = 0;
  std::string statement_;     // the one that was begun
  std::size_t position_ = 0;  // in it, of what is not added yet
};

}  // namespace db
