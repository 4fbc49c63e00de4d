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

// A translatable English sentence shown to people. To show the sentence in another language, look
// up "pattern" in a catalog (web/languages) and insert the values. Example:
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
  // A duration is formatted by rounded_up(), for example "2 minutes". A Message used as a value is
  // translated before it is inserted.
  std::variant<std::string, std::int64_t, std::chrono::seconds, Message> value;
};

// A duration, rounded up to a multiple of the largest unit that fits into it at least twice. For
// example, 90 seconds stay 90 seconds, but 121 seconds become 3 minutes.
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
