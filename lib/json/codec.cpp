#include "json/codec.h"

// RapidJSON adds an offset to a null pointer while its internal stack is empty. The addition is
// harmless with the supported compilers, but Clang's UBSan reports it as undefined behaviour.
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("pointer-overflow"))), apply_to = function)
#endif
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#ifdef __clang__
#pragma clang attribute pop
#endif

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace json {
namespace {

// Error messages do not contain keys that are longer than kMaxShownKey bytes.
constexpr std::size_t kMaxShownKey = 64;

// Returns a duplicate key in "object", or nothing if all keys are different. Sorts the keys,
// because comparing each key with all others would take quadratic time.
std::optional<std::string_view> duplicate_key(const Value::Object& object) {
  std::vector<std::string_view> keys;
  keys.reserve(object.size());
  for (const auto& [key, value] : object) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice == keys.end()) return std::nullopt;
  return *twice;
}

// Builds a Value from RapidJSON's events. RapidJSON defines the names of the event functions. If an
// event function returns false, the reader stops, and error() contains the reason.
class Builder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Builder> {
 public:
  bool Null() {
    next();
    return true;
  }
  bool Bool(bool value) {
    next().data = value;
    return true;
  }
  bool RawNumber(const char* text, rapidjson::SizeType length, bool) {
    next().data.emplace<Value::Number>().text.assign(text, length);
    return true;
  }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    return is_unicode(next().data.emplace<std::string>(text, length));
  }
  bool StartObject() { return open<Value::Object>(); }
  bool Key(const char* text, rapidjson::SizeType length, bool) {
    auto& object = std::get<Value::Object>(open_.back()->data);
    return is_unicode(object.emplace_back(std::string(text, length), Value()).first);
  }
  bool EndObject(rapidjson::SizeType) {
    if (const auto key = duplicate_key(std::get<Value::Object>(open_.back()->data))) {
      error_ = "duplicate key";
      if (key->size() <= kMaxShownKey) error_.append(" \"").append(*key).append("\"");
      return false;
    }
    open_.pop_back();
    return true;
  }
  bool StartArray() { return open<Value::Array>(); }
  bool EndArray(rapidjson::SizeType) {
    open_.pop_back();
    return true;
  }

  // Must be called only after RapidJSON's reader has finished without an error.
  Value take_result() { return std::move(result_); }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  // Returns a reference to the value that the next parser event must set.
  Value& next() {
    if (open_.empty()) return result_;
    if (auto* array = std::get_if<Value::Array>(&open_.back()->data)) return array->emplace_back();
    return std::get<Value::Object>(open_.back()->data).back().second;
  }

  template <typename Container>
  bool open() {
    if (open_.size() == kMaxDepth) {
      error_ = "nested deeper than " + std::to_string(kMaxDepth);
      return false;
    }
    Value& value = next();
    value.data.emplace<Container>();
    open_.push_back(&value);
    return true;
  }

  // RapidJSON accepts a lone low surrogate and converts it to three bytes of invalid UTF-8.
  bool is_unicode(const std::string& text) {
    if (base::is_utf8(text)) return true;
    error_ = "lone surrogate";
    return false;
  }

  Value result_;
  // The open objects and arrays, outermost first. Only the innermost container grows, so the
  // pointers to the outer containers remain valid.
  std::vector<Value*> open_;
  std::string error_;
};

struct Message {
  rapidjson::ParseErrorCode code;
  std::string_view text;
};
constexpr Message kMessages[] = {
    {rapidjson::kParseErrorDocumentEmpty, "no value"},
    {rapidjson::kParseErrorDocumentRootNotSingular, "more text after the value"},
    {rapidjson::kParseErrorValueInvalid, "not a value"},
    {rapidjson::kParseErrorObjectMissName, "expected a key in double quotes"},
    {rapidjson::kParseErrorObjectMissColon, "expected ':'"},
    {rapidjson::kParseErrorObjectMissCommaOrCurlyBracket, "expected ',' or '}'"},
    {rapidjson::kParseErrorArrayMissCommaOrSquareBracket, "expected ',' or ']'"},
    {rapidjson::kParseErrorStringUnicodeEscapeInvalidHex,
     "expected four hexadecimal digits after \\u"},
    {rapidjson::kParseErrorStringUnicodeSurrogateInvalid, "lone surrogate"},
    {rapidjson::kParseErrorStringEscapeInvalid, "bad escape or control character"},
    {rapidjson::kParseErrorStringMissQuotationMark, "string without end"},
    {rapidjson::kParseErrorStringInvalidEncoding, "bad UTF-8"},
    {rapidjson::kParseErrorNumberTooBig, "number too large"},
    {rapidjson::kParseErrorNumberMissFraction, "number without its last digits"},
    {rapidjson::kParseErrorNumberMissExponent, "number without its last digits"},
};

std::string message_of(rapidjson::ParseErrorCode code) {
  const auto* const found = std::ranges::find(kMessages, code, &Message::code);
  return std::string(found == std::end(kMessages) ? "bad syntax" : found->text);
}

// The escape for each byte in a string: '\0' if the byte needs no escape, 'u' for \u00XX, or the
// letter after the backslash.
constexpr auto kEscapes = [] {
  std::array<char, 256> escapes{};
  for (std::size_t control = 0; control < 0x20; ++control) escapes[control] = 'u';
  escapes['\b'] = 'b';
  escapes['\f'] = 'f';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  return escapes;
}();

// Appends "text" with escapes.
void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    const char escape = kEscapes[byte];
    if (escape == '\0') {
      out += c;
      continue;
    }
    out += '\\';
    out += escape;
    if (escape == 'u') out.append("00").append({kHexDigits[byte >> 4U], kHexDigits[byte & 0x0FU]});
  }
}

bool is_plain(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return kEscapes[static_cast<std::uint8_t>(c)] != '\0'; });
}

// Appends "text" as a quoted JSON string, followed by the raw text "end".
void append_quoted(std::string& out, std::string_view text, std::string_view end) {
  if (!is_plain(text)) {
    out += '"';
    append_escaped(out, text);
    out.append("\"").append(end);
    return;
  }
  // Most strings contain no character that needs an escape. Resizing the output string once is
  // measurably faster than appending to it four times.
  const std::size_t begin = out.size();
  out.resize(begin + text.size() + 2 + end.size());
  char* next = &out[begin];
  *next++ = '"';
  next = std::copy(text.begin(), text.end(), next);
  *next++ = '"';
  std::copy(end.begin(), end.end(), next);
}

// Appends the decimal digits of "number", without the first "skipped" digits.
template <typename Integer>
void append_integer(std::string& out, Integer number, std::size_t skipped = 0) {
  std::array<char, 20> digits;  // enough for -2^63 and 2^64 - 1
  char* const end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  out.append(digits.begin() + skipped, end);
}

// Splits a string at white space and commas. For a number, returns the number as the only item. For
// any other value, returns an empty list.
std::vector<std::string> scalar_items(const Value& value) {
  if (const auto* number = std::get_if<Value::Number>(&value.data)) return {number->text};
  std::vector<std::string> items;
  const auto* text = std::get_if<std::string>(&value.data);
  std::string_view rest = text == nullptr ? std::string_view() : std::string_view(*text);
  while (!rest.empty()) {
    const std::string_view item = base::take_until(rest, ", \t\r\n");
    if (!item.empty()) items.emplace_back(item);
  }
  return items;
}

}  // namespace

const Value* Value::find(std::string_view name) const {
  const auto* object = std::get_if<Object>(&data);
  if (object == nullptr) return nullptr;
  for (const auto& [key, value] : *object) {
    if (key == name) return &value;
  }
  return nullptr;
}

bool Value::operator==(const Value& other) const { return data == other.data; }

tl::expected<Value, ParseError> parse(std::string_view text) {
  constexpr unsigned kFlags =
      rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag;
  // Use MemoryStream, which knows where the text ends. RapidJSON's NUL-terminated streams would
  // read beyond the end if the text ends inside a UTF-8 sequence.
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  Builder builder;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, builder);
  if (result.Code() == rapidjson::kParseErrorTermination) {
    return tl::unexpected(ParseError{result.Offset(), builder.error()});
  }
  if (result.IsError())
    return tl::unexpected(ParseError{result.Offset(), message_of(result.Code())});
  // Check for remaining text, because RapidJSON treats a NUL character as the end of the input.
  if (stream.Tell() != text.size()) {
    const auto code = rapidjson::kParseErrorDocumentRootNotSingular;
    return tl::unexpected(ParseError{stream.Tell(), message_of(code)});
  }
  return builder.take_result();
}

void Writer::separate() {
  if (needs_comma_) out_ += ',';
  needs_comma_ = true;
}

Writer& Writer::begin_object() {
  separate();
  out_ += '{';
  needs_comma_ = false;
  return *this;
}

Writer& Writer::end_object() {
  out_ += '}';
  needs_comma_ = true;
  return *this;
}

Writer& Writer::begin_array() {
  separate();
  out_ += '[';
  needs_comma_ = false;
  return *this;
}

Writer& Writer::end_array() {
  out_ += ']';
  needs_comma_ = true;
  return *this;
}

Writer& Writer::key(std::string_view name) {
  separate();
  append_quoted(out_, name, ":");
  needs_comma_ = false;
  return *this;
}

Writer& Writer::null() { return raw("null"); }

Writer& Writer::boolean(bool value) { return raw(value ? "true" : "false"); }

Writer& Writer::string(std::string_view value) {
  separate();
  append_quoted(out_, value, "");
  return *this;
}

Writer& Writer::integer(std::int64_t value) {
  separate();
  append_integer(out_, value);
  return *this;
}

Writer& Writer::unsigned_integer(std::uint64_t value) {
  separate();
  append_integer(out_, value);
  return *this;
}

Writer& Writer::decimal(std::int64_t value, int places) {
  assert(places >= 0 && places <= 9);
  for (; places > 0 && value % 10 == 0; --places) value /= 10;
  if (places == 0) return integer(value);

  separate();
  if (value < 0) out_ += '-';
  const auto bits = static_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = value < 0 ? 0 - bits : bits;
  std::uint64_t unit = 1;
  for (int i = 0; i < places; ++i) unit *= 10;
  append_integer(out_, magnitude / unit);
  out_ += '.';
  // To keep the fraction's leading zeros, add a leading 1 and make append_integer() skip it.
  append_integer(out_, unit + magnitude % unit, 1);
  return *this;
}

Writer& Writer::value(const Value& value) {
  if (const auto* object = std::get_if<Value::Object>(&value.data)) {
    begin_object();
    for (const auto& [name, member] : *object) key(name).value(member);
    return end_object();
  }
  if (const auto* array = std::get_if<Value::Array>(&value.data)) {
    begin_array();
    for (const Value& element : *array) this->value(element);
    return end_array();
  }
  if (const auto* text = std::get_if<std::string>(&value.data)) return string(*text);
  if (const auto* number = std::get_if<Value::Number>(&value.data)) return raw(number->text);
  if (const auto* truth = std::get_if<bool>(&value.data)) return boolean(*truth);
  return null();
}

Writer& Writer::raw(std::string_view text) {
  separate();
  out_ += text;
  return *this;
}

std::vector<std::string> list_in(const Value& value) {
  std::vector<std::string> items;
  if (const auto* array = std::get_if<Value::Array>(&value.data)) {
    for (const Value& element : *array) {
      for (std::string& item : scalar_items(element)) items.push_back(std::move(item));
    }
    return items;
  }
  return scalar_items(value);
}

std::optional<model::Decimal> decimal_in(const Value& value) {
  if (const auto* number = std::get_if<Value::Number>(&value.data)) {
    return model::parse_decimal(number->text);
  }
  if (const auto* text = std::get_if<std::string>(&value.data)) return model::parse_decimal(*text);
  return std::nullopt;
}

}  // namespace json
