#include <cppconn/prepared_statement.h>
#include <cppconn/resultset.h>

#include "base/timestamp.h"
#include "db/client.h"
#include "db/connection.h"
#include "db/multi_statement.h"

// The parameters and rows of statements.

namespace db {
namespace {

sql::SQLString text_of(std::string_view value) { return {value.data(), value.size()}; }

template <typename Parse>
auto parsed_time(const std::string& text, const Parse& parse) {
  const auto time = parse(text);
  if (!time) throw Failure(0, "the database holds a malformed time: " + text);
  return *time;
}

}  // namespace

Rows::Rows(std::unique_ptr<sql::ResultSet> result, std::shared_ptr<sql::PreparedStatement> source)
    : source_(std::move(source)), result_(std::move(result)) {}
Rows::Rows(Rows&&) noexcept = default;
Rows& Rows::operator=(Rows&&) noexcept = default;
Rows::~Rows() = default;

bool Rows::next() {
  return translated([&] { return result_->next(); });
}

std::int64_t Rows::integer(unsigned column) const {
  return translated([&] { return result_->getInt64(column); });
}

std::uint64_t Rows::unsigned_integer(unsigned column) const {
  return translated([&] { return result_->getUInt64(column); });
}

std::string Rows::text(unsigned column) const {
  return translated([&] { return result_->getString(column).asStdString(); });
}

bool Rows::is_null(unsigned column) const {
  return translated([&] { return result_->isNull(column); });
}

base::Time Rows::time(unsigned column) const {
  return parsed_time(text(column), base::from_datetime);
}

base::Day Rows::day(unsigned column) const { return parsed_time(text(column), base::from_date); }

Statement::Statement(std::shared_ptr<sql::PreparedStatement> statement,
                     const Connection& connection)
    : statement_(std::move(statement)), connection_(connection) {}
Statement::~Statement() = default;

MultiStatement* Statement::collected() const {
  return statement_ == nullptr ? connection_.collected_ : nullptr;
}

// Adds a literal to the collected statements, or sets the next parameter in a prepared statement.
template <typename Add, typename Set>
Statement& Statement::bind_by(const Add& add, const Set& set) {
  if (MultiStatement* const all = collected()) {
    add(*all);
  } else {
    translated([&] { set(next_parameter_++); });
  }
  return *this;
}

Statement& Statement::bind(std::int64_t value) {
  return bind_by([&](MultiStatement& all) { all.add(std::to_string(value)); },
                 [&](unsigned parameter) { statement_->setInt64(parameter, value); });
}

Statement& Statement::bind(std::uint64_t value) {
  return bind_by([&](MultiStatement& all) { all.add(std::to_string(value)); },
                 [&](unsigned parameter) { statement_->setUInt64(parameter, value); });
}

Statement& Statement::bind(std::string_view value) {
  return bind_by([&](MultiStatement& all) { all.add_text(value); },
                 [&](unsigned parameter) { statement_->setString(parameter, text_of(value)); });
}

Statement& Statement::bind(base::Time value) { return bind_digits(base::to_datetime(value)); }
Statement& Statement::bind(base::Day value) { return bind_digits(base::to_date(value)); }

// Binds a timestamp, which consists of digits and the separators between them.
Statement& Statement::bind_digits(const std::string& value) {
  return bind_by([&](MultiStatement& all) { all.add("'" + value + "'"); },
                 [&](unsigned parameter) { statement_->setString(parameter, text_of(value)); });
}

Rows Statement::query() {
  connection_.require_uncollected();
  connection_.require_current();
  return translated([&] {
    return Rows(std::unique_ptr<sql::ResultSet>(statement_->executeQuery()), statement_);
  });
}

std::uint64_t Statement::execute() {
  if (MultiStatement* const all = collected()) {
    all->end();
    return 0;
  }
  connection_.require_current();
  return translated([&] { return static_cast<std::uint64_t>(statement_->executeUpdate()); });
}

}  // namespace db
