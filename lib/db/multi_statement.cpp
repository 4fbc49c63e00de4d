#include "db/multi_statement.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/text.h"

namespace db {

MultiStatement::MultiStatement(Connection& connection) : connection_(connection) {
  assert(!connection.collects());
  connection_.collected_ = this;
}

MultiStatement::~MultiStatement() { connection_.collected_ = nullptr; }

void MultiStatement::add_changed_rows() { connection_.execute("SELECT ROW_COUNT()"); }

std::vector<Rows> MultiStatement::run() {
  connection_.collected_ = nullptr;
  if (count_ == 0) return {};
  return connection_.run_all(text_, count_);
}

void MultiStatement::begin(std::string text) {
  statement_ = std::move(text);
  position_ = 0;
}

void MultiStatement::add(std::string_view literal) {
  const std::size_t parameter = statement_.find('?', position_);
  assert(parameter != std::string::npos);
  add_text_until(std::min(parameter, statement_.size()));
  text_ += literal;
  ++position_;
}

void MultiStatement::add_text(std::string_view value) {
  const bool is_word = base::consists_of_letters_digits_and(value, "_.:-");
  add(is_word ? "'" + std::string(value) + "'" : "X'" + base::to_hex(value) + "'");
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
