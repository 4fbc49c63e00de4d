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
// a key of web/languages, and fill in the values:
//
//   Message("{name} must be from {minimum} to {maximum}.", {{"name", name}, …})
//
// with literals only, because xgettext collects what follows "Message(". Names that no value has
// stay as they are.
struct Message {
  Message() = default;
  // A text that is in no catalog: of the database, of the system, a name.
  Message(std::string text);  // NOLINT(google-explicit-constructor,hicpp-explicit-conversions)
  explicit Message(const char* literal);
  explicit Message(const char* literal, std::vector<MessageValue> filled);

  void add(MessageValue value);
  [[nodiscard]] std::string text() const;

  std::string pattern;               // the text itself, if there are no values
  std::vector<MessageValue> values;  // in the order in which they are sent
};

struct MessageValue {
  std::string_view name;  // a literal
  // A duration is shown as rounded_up(). Another message is a part of the sentence, which is
  // translated, too.
  std::variant<std::string, std::int64_t, std::chrono::seconds, Message> value;
};

// "duration" in the largest unit of which it has two: 90 seconds, 2 minutes.
struct Rounded {
  std::int64_t number = 0;
  std::string_view unit;  // "day", "hour", "minute" or "second"
};
[[nodiscard]] Rounded rounded_up(std::chrono::seconds duration);

// "1 second", "5 seconds": a number with its noun, for messages.
template <std::integral Number>
[[nodiscard]] std::string counted(Number n, std::string_view one, std::string_view many) {
  return std::to_string(n).append(" ").append(n == 1 ? one : many);
}

}  // namespace base
