#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"

namespace db {

// DESIGN. Several statements in one packet (CLIENT_MULTI_STATEMENTS), which take only one round
// trip. Until run() is called, Connection::execute() and Statement::execute() add statements to it
// instead of running them, even if a statement returns rows. The server runs the statements in
// their order and stops at the first error. COMMIT must not be among them.
//
// A node in a Galera cluster may roll back a transaction between two statements in a packet and
// still run the remaining statements. It reports the conflict later, or not at all in autocommit
// mode. Therefore these sessions are not in autocommit mode, so the remaining statements belong to
// a transaction that is rolled back and are never committed on their own. All statements in such a
// session must be in a transaction because the first statement begins one.
//
// Parameters become literals that need no escaping. Numbers, timestamps, and words that consist of
// letters, digits and "_.:-" are written literally. Any other string becomes a hexadecimal literal.
// This is a binary string, so the server may not find an index for a text column.
//
// The whole packet must be shorter than the server's max_allowed_packet. This is 1 MB or more,
// unless an operator has lowered it.
//
// Used by one thread.
class MultiStatement {
 public:
  // "connection" must be open for several statements (Endpoint::takes_multi_statements), must not
  // have another MultiStatement that collects, and must outlive this object.
  explicit MultiStatement(Connection& connection);
  MultiStatement(const MultiStatement&) = delete;
  MultiStatement& operator=(const MultiStatement&) = delete;
  // Discards statements that were not run.
  ~MultiStatement();

  // Adds a statement that returns the number of rows that the previous statement has changed.
  void add_changed_rows();

  // Runs the collected statements. Returns the rows of each statement that returns rows, in their
  // order. Call it once. Errors: as Connection.
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
