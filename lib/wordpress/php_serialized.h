#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace wordpress {

class PhpValue;
using PhpItem = std::pair<std::string, PhpValue>;

// A value written by PHP's serialize().
class PhpValue {
 public:
  // A number in serialized form: a decimal number, "INF", "-INF" or "NAN".
  struct Float {
    std::string text;
    bool operator==(const Float&) const = default;
  };
  // A serialized PHP object, enum or reference, whose content the parser skips.
  struct Opaque {
    bool operator==(const Opaque&) const = default;
  };
  // The items of the array in PHP's order. Keys are strings, because PHP does not distinguish the
  // key 3 from the key "3". Keys are unique. A repeated key keeps its position but takes the new
  // value.
  using Array = std::vector<PhpItem>;
  using Variant =
      std::variant<std::nullptr_t, bool, std::int64_t, Float, std::string, Array, Opaque>;

  Variant data = nullptr;

  [[nodiscard]] const Array* as_array() const { return std::get_if<Array>(&data); }
  [[nodiscard]] const std::string* as_string() const { return std::get_if<std::string>(&data); }
  // Returns the array item with the key "key", or nullptr if there is no such item or the value is
  // not an array. Takes linear time.
  [[nodiscard]] const PhpValue* find(std::string_view key) const;
  // Returns whether PHP treats the value as true. Returns false for objects, enums and references,
  // so that they never grant a permission.
  [[nodiscard]] bool is_true() const;

  bool operator==(const PhpValue&) const;
};

// Limits on serialized values. Values on real sites are much smaller.
inline constexpr std::size_t kMaxPhpBytes = std::size_t{1} << 20U;
inline constexpr std::size_t kMaxPhpValues = 50'000;
inline constexpr std::size_t kMaxPhpDepth = 64;

// Reads "text" in the same way as WordPress's maybe_unserialize(). Skips white space before and
// after the value. If the last byte of "text" is ';' or '}', other bytes after the value are
// ignored. Returns nothing if "text" is not a serialized value, if it is damaged, or if it exceeds
// the limits above.
//
// Runs in near-linear time and never recurses deeper than kMaxPhpDepth.
[[nodiscard]] std::optional<PhpValue> parse_php_serialized(std::string_view text);

}  // namespace wordpress
