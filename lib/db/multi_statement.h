#pragma once

#include <cstddef>
#include <string>

namespace db {

class Connection;

// DESIGN. Several INSERT statements in one packet (CLIENT_MULTI_STATEMENTS), so that they take one
// round trip. While this object exists, the statements that Connection::prepare() returns are
// collected instead of being run. The server runs them in their order and stops at the first error,
// so a statement never runs outside of the transaction that an earlier one has lost. COMMIT must
// not be among them.
//
// Parameters are written as numbers, as times made of numbers, or as hexadecimal literals, so no
// text of a client becomes part of the SQL. Columns must not be compared with such literals,
// because the server would use no index: only insert them.
//
// Used by one thread.
class MultiStatement {
 public:
  // "connection" must be open for several statements (Endpoint::takes_multi_statements), and
  // outlive this object. At most one object for a connection at a time.
  explicit MultiStatement(Connection& connection);
  MultiStatement(const MultiStatement&) = delete;
  MultiStatement& operator=(const MultiStatement&) = delete;
  // Discards what was not run.
  ~MultiStatement();

  // Runs what was collected; called once. Errors: as Connection.
  void run();

 private:
  friend class Connection;
  friend class Statement;

  // Begins a statement with this text, which has "?" for each parameter.
  void begin(const std::string& text);
  // Adds the literal for the next parameter of the statement.
  void add(const std::string& literal);
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
