#include "db/multi_statement.h"

#include <algorithm>
#include <cassert>

#include "db/connection.h"

namespace db {

MultiStatement::MultiStatement(Connection& connection) : connection_(connection) {
  connection_.collected_ = this;
}

MultiStatement::~MultiStatement() { connection_.collected_ = nullptr; }

void MultiStatement::run() {
  connection_.collected_ = nullptr;
  if (count_ > 0) connection_.execute_all(text_, count_);
}

void MultiStatement::begin(const std::string& text) {
  statement_ = text;
  position_ = 0;
}

void MultiStatement::add(const std::string& literal) {
  const std::size_t parameter = statement_.find('?', position_);
  assert(parameter != std::string::npos);
  add_text_until(std::min(parameter, statement_.size()));
  text_ += literal;
  ++position_;
}

void MultiStatement::end() {
  add_text_until(statement_.size());
  text_ += ';';
  ++count_;
}

void MultiStatement::add_text_until(std::size_t end) {
  text_.append(statement_, position_, end - position_);
  position_ = end;
}

}  // namespace db
