#include "json/values.h"

#include <string_view>
#include <utility>

#include "base/parse.h"

namespace json {
namespace {

// The items of a number or a text; nothing for any other value.
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
