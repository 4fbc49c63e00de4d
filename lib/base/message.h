#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace base {

struct MessageValue;

// A sentence for people, in English. To show it in another language, translate "pattern", which is
// a key in the catalogs (web/languages), and fill in the values:
//
//   Message("{name} must be from {minimum} to {maximum}.", {{"name", name}, …})
//
// The pattern and the names must be literals because xgettext collects the text after "Message(". A
// placeholder without a value is shown unchanged.
struct Message {
  Message() = default;
  // A string that is not in a catalog, such as a name or a message from the database or the system.
  Message(std::string text);  // NOLINT(google-explicit-constructor,hicpp-explicit-conversions)
  explicit Message(const char* literal);
  explicit Message(const char* literal, std::vector<MessageValue> filled);

  void add(MessageValue value);
  [[nodiscard]] std::string text() const;

  std::string pattern;               // the whole text if there are no values
  std::vector<MessageValue> values;  // in the order in which they are sent
};

struct MessageValue {
  std::string_view name;  // a literal
  // A duration is shown in the form that rounded_up() returns. A Message becomes part of the
  // sentence and is also translated.
  std::variant<std::string, std::int64_t, std::chrono::seconds, Message> value;
};

// A duration, rounded up, in the largest unit that it contains at least twice: 90 seconds, 2
// minutes.
struct Rounded {
  std::int64_t number = 0;
  std::string_view unit;  // "day", "hour", "minute" or "second"
};
[[nodiscard]] Rounded rounded_up(std::chrono::seconds duration);

// Returns a number with its noun: "1 second", "5 seconds".
template <std::integral Number>
[[nodiscard]] std::string counted(Number n, std::string_view one, std::string_view many) {
  return std::to_string(n).append(" ").append(n == 1 ? one : many);
}

}  // namespace base
