#include "wordpress/php_serialized.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/text.h"

namespace wordpress {
namespace {

// Parses all of "text" as a decimal integer with an optional sign.
std::optional<std::int64_t> to_integer(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  return base::parse_number<std::int64_t>(text);
}

bool is_float(std::string_view text) {
  if (text == "NAN" || text == "INF" || text == "-INF") return true;
  // std::from_chars() also accepts spellings of infinity and NaN that PHP does not accept.
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return false;
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return stop == end && error != std::errc::invalid_argument;
}

// Parses PHP values. Each function parses one element at the start of the remaining text, or
// returns nothing if the input must be rejected.
class ValueReader {
 public:
  explicit ValueReader(std::string_view text) : rest_(text) {}

  std::optional<PhpValue> value(std::size_t depth) {
    if (depth > kMaxPhpDepth || ++values_ > kMaxPhpValues || rest_.size() < 2) return std::nullopt;
    const char type = rest_[0];
    const char separator = rest_[1];
    rest_.remove_prefix(2);
    if (type == 'N' && separator == ';') return PhpValue{nullptr};
    if (separator != ':') return std::nullopt;
    switch (type) {
      case 'b':
        return boolean();
      case 'i':
        return integer();
      case 'd':
        return floating();
      case 's':
        return string();
      case 'a':
        return array(depth);
      case 'O':
        return object(depth);
      case 'C':
        return custom_object();
      case 'E':
        return opaque(quoted().has_value() && take(";"));
      case 'r':
      case 'R':
        return opaque(integer().has_value());
      default:
        return std::nullopt;
    }
  }

 private:
  static std::optional<PhpValue> opaque(bool well_formed) {
    if (!well_formed) return std::nullopt;
    return PhpValue{PhpValue::Opaque{}};
  }

  bool take(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }

  // Returns the text before the next "end", and removes this text and "end" from the remaining
  // text.
  std::optional<std::string_view> until(char end) {
    const auto length = rest_.find(end);
    if (length == std::string_view::npos) return std::nullopt;
    const std::string_view text = rest_.substr(0, length);
    rest_.remove_prefix(length + 1);
    return text;
  }

  std::optional<std::size_t> count() {
    const auto text = until(':');
    if (!text || !std::ranges::all_of(*text, base::is_digit)) return std::nullopt;
    const auto number = to_integer(*text);
    if (!number) return std::nullopt;
    return static_cast<std::size_t>(*number);
  }

  // Parses a serialized string without its type, such as 3:"abc".
  std::optional<std::string_view> quoted() {
    const auto length = count();
    if (!length || !take("\"") || *length > rest_.size()) return std::nullopt;
    const std::string_view text = rest_.substr(0, *length);
    rest_.remove_prefix(*length);
    if (!take("\"")) return std::nullopt;
    return text;
  }

  std::optional<PhpValue> boolean() {
    const auto text = until(';');
    if (text != "0" && text != "1") return std::nullopt;
    return PhpValue{text == "1"};
  }

  std::optional<PhpValue> integer() {
    const auto text = until(';');
    const auto number = text ? to_integer(*text) : std::nullopt;
    if (!number) return std::nullopt;
    return PhpValue{*number};
  }

  std::optional<PhpValue> floating() {
    const auto text = until(';');
    if (!text || !is_float(*text)) return std::nullopt;
    return PhpValue{PhpValue::Float{std::string(*text)}};
  }

  std::optional<PhpValue> string() {
    const auto text = quoted();
    if (!text || !take(";")) return std::nullopt;
    return PhpValue{std::string(*text)};
  }

  std::optional<PhpValue> array(std::size_t depth) {
    const auto size = count();
    if (!size) return std::nullopt;
    auto items = braced(*size, depth);
    if (!items) return std::nullopt;
    return PhpValue{std::move(*items)};
  }

  // Parses an object such as O:8:"stdClass":1:{s:1:"a";i:1;}.
  std::optional<PhpValue> object(std::size_t depth) {
    if (!quoted() || !take(":")) return std::nullopt;
    const auto size = count();
    return opaque(size && braced(*size, depth));
  }

  // Parses an object with a custom serialization format, such as C:11:"ArrayObject":5:{bytes}.
  std::optional<PhpValue> custom_object() {
    if (!quoted() || !take(":")) return std::nullopt;
    const auto length = count();
    if (!length || !take("{") || *length > rest_.size()) return std::nullopt;
    rest_.remove_prefix(*length);
    return opaque(take("}"));
  }

  // Parses the "size" key-value pairs between the braces of an array or an object.
  std::optional<PhpValue::Array> braced(std::size_t size, std::size_t depth) {
    if (!take("{")) return std::nullopt;
    PhpValue::Array items;
    std::map<std::string, std::size_t, std::less<>> places;
    for (std::size_t i = 0; i < size; ++i) {
      auto name = key();
      if (!name) return std::nullopt;
      auto item = value(depth + 1);
      if (!item) return std::nullopt;
      const auto [place, is_new] = places.try_emplace(*name, items.size());
      if (is_new) {
        items.emplace_back(std::move(*name), std::move(*item));
      } else {
        items[place->second].second = std::move(*item);
      }
    }
    if (!take("}")) return std::nullopt;
    return items;
  }

  std::optional<std::string> key() {
    if (take("i:")) {
      const auto number = integer();
      if (!number) return std::nullopt;
      return std::to_string(std::get<std::int64_t>(number->data));
    }
    if (!take("s:")) return std::nullopt;
    const auto text = quoted();
    if (!text || !take(";")) return std::nullopt;
    return std::string(*text);
  }

  std::string_view rest_;
  std::size_t values_ = 0;
};

}  // namespace

const PhpValue* PhpValue::find(std::string_view key) const {
  const Array* const items = as_array();
  if (items == nullptr) return nullptr;
  const auto found =
      std::ranges::find_if(*items, [&](const PhpItem& item) { return item.first == key; });
  return found == items->end() ? nullptr : &found->second;
}

bool PhpValue::is_true() const {
  if (const auto* boolean = std::get_if<bool>(&data)) return *boolean;
  if (const auto* integer = std::get_if<std::int64_t>(&data)) return *integer != 0;
  if (const auto* text = as_string()) return !text->empty() && *text != "0";
  if (const auto* items = as_array()) return !items->empty();
  if (const auto* number = std::get_if<Float>(&data)) {
    const auto mantissa =
        std::string_view(number->text).substr(0, number->text.find_first_of("eE"));
    return mantissa.find_first_of("123456789IN") != std::string_view::npos;
  }
  return false;
}

bool PhpValue::operator==(const PhpValue& other) const { return data == other.data; }

std::optional<PhpValue> parse_php_serialized(std::string_view text) {
  text = base::trim_like_php(text);
  if (text.empty() || text.size() > kMaxPhpBytes) return std::nullopt;
  if (text.back() != ';' && text.back() != '}') return std::nullopt;
  return ValueReader(text).value(1);
}

}  // namespace wordpress
