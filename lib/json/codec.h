#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "model/decimal.h"

namespace json {

class Value;
using Member = std::pair<std::string, Value>;

// A parsed JSON value. Numbers are stored as strings, so that they can be converted to exact
// decimals. Objects keep the original order of their members.
class Value {
 public:
  struct Number {
    std::string text;
    bool operator==(const Number&) const = default;
  };
  using Array = std::vector<Value>;
  using Object = std::vector<Member>;
  using Variant = std::variant<std::nullptr_t, bool, Number, std::string, Array, Object>;

  Variant data = nullptr;

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::nullptr_t>(data); }
  // Returns the value of the object member "name". Returns nullptr if the value is not an object or
  // has no member with this name.
  [[nodiscard]] const Value* find(std::string_view name) const;

  bool operator==(const Value&) const;
};

struct ParseError {
  std::size_t offset;   // the position at which reading stopped, counted from 0
  std::string message;  // a phrase for the client, e.g. "duplicate key \"value\""
};

inline constexpr std::size_t kMaxDepth = 32;

// Parses "text", which must consist of exactly one JSON value (RFC 8259). Returns an error for
// invalid syntax, invalid UTF-8, nesting deeper than kMaxDepth, a duplicate key in an object, a
// lone surrogate, or a number outside the range of a double. The running time is nearly linear, and
// the recursion depth is at most kMaxDepth.
[[nodiscard]] tl::expected<Value, ParseError> parse(std::string_view text);

// Appends compact JSON to a string. Strings must be UTF-8, and the calls must come in an order that
// produces valid JSON.
//
//   Writer json(body);
//   json.begin_object().key("success").boolean(true).key("value").decimal(800, 3).end_object();
class Writer {
 public:
  // "out" must outlive the writer.
  explicit Writer(std::string& out) : out_(out) {}

  Writer& begin_object();
  Writer& end_object();
  Writer& begin_array();
  Writer& end_array();
  Writer& key(std::string_view name);
  Writer& null();
  Writer& boolean(bool value);
  Writer& string(std::string_view value);
  Writer& integer(std::int64_t value);
  Writer& unsigned_integer(std::uint64_t value);
  // Writes "value" / 10^"places" without trailing zeros. For example, decimal(800, 3) writes 0.8,
  // and decimal(-1000, 3) writes -1. "places" must be between 0 and 9.
  Writer& decimal(std::int64_t value, int places);
  Writer& value(const Value& value);
  // Writes "text" unchanged. "text" must be a single valid JSON value.
  Writer& raw(std::string_view text);

 private:
  void separate();

  std::string& out_;
  bool needs_comma_ = false;
};

// Returns the items of a list as strings. Like WordPress's wp_parse_list() function, accepts an
// array, or a string in which commas or white space separate the items.
[[nodiscard]] std::vector<std::string> list_in(const Value& value);

// Returns the value of a JSON number, or of a string that contains a number.
[[nodiscard]] std::optional<model::Decimal> decimal_in(const Value& value);

}  // namespace json
