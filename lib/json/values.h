#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json/codec.h"
#include "model/decimal.h"

namespace json {

// The items of a list, as WordPress reads one (wp_parse_list): an array, or a text with commas or
// white space between the items.
[[nodiscard]] std::vector<std::string> list_in(const Value& value);

// The value of a JSON number, or of a string with a number.
[[nodiscard]] std::optional<model::Decimal> decimal_in(const Value& value);

}  // namespace json
