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

// An English sentence that is shown to people and can be translated. To show the sentence in
// another language, look up "pattern" in a catalog (web/languages) and insert the values. An
// example of a message is:
//
//   Message("{name} must be from {minimum} to {maximum}.", {{"name", name}, …})
//
// The pattern and the names must be literals because xgettext collects the text after "Message(". A
// placeholder without a value is shown unchanged.
struct Message {
  Message() = default;
  // Creates a message that is not in the catalogs, such as a name or an error from the database.
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
  // A duration is shown in the form that rounded_up() returns, for example "2 minutes". A Message
  // that is used as a value is translated before it is inserted.
  std::variant<std::string, std::int64_t, std::chrono::seconds, Message> value;
};

// A rounded-up duration, such as 90 seconds or 2 minutes. For example, a duration of less than two
// minutes is in seconds.
struct Rounded {
  std::int64_t number = 0;
  std::string_view unit;  // "day", "hour", "minute" or "second"
};
[[nodiscard]] Rounded rounded_up(std::chrono::seconds duration);

// Returns a number with its noun, such as "1 second" or "5 seconds".
template <std::integral Number>
[[nodiscard]] std::string counted(Number n, std::string_view one, std::string_view many) {
  return std::to_string(n).append(" ").append(n == 1 ? one : many);
}

}  // namespace base
