// Fuzzes JSON bodies and the decimal numbers in them.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.h"
#include "json/codec.h"
#include "model/decimal.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_decimal(std::string_view text) {
  const auto number = model::parse_decimal(text);
  if (!number) return;
  if (const auto integer = model::to_integer(*number)) {
    require(model::decimal_of(*integer) == *number);
  }
  const auto share = model::thousandths_of(*number, model::decimal_of(1000));
  require(share.has_value() ==
          (*number >= model::decimal_of(0) && *number <= model::decimal_of(1000)));
  require(!share || (*share >= 0 && *share <= 1000));
}

// Checks that all unescaped strings are valid UTF-8. Also parses each number and each string as a
// decimal number.
void check_value(const json::Value& value) {
  if (const auto* object = std::get_if<json::Value::Object>(&value.data)) {
    for (const auto& [key, member] : *object) {
      require(base::is_utf8(key));
      check_value(member);
    }
  } else if (const auto* array = std::get_if<json::Value::Array>(&value.data)) {
    for (const json::Value& element : *array) check_value(element);
  } else if (const auto* string = std::get_if<std::string>(&value.data)) {
    require(base::is_utf8(*string));
    check_decimal(*string);
  } else if (const auto* number = std::get_if<json::Value::Number>(&value.data)) {
    check_decimal(number->text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_decimal(text);
  const auto value = json::parse(text);
  if (!value) {
    require(value.error().offset <= size && base::is_utf8(value.error().message));
    return 0;
  }
  check_value(*value);

  // Writing a value and parsing the result must yield the same value.
  std::string written;
  json::Writer(written).value(*value);
  require(json::parse(written) == *value);
  return 0;
}
