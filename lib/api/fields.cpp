#include "api/fields.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <variant>

#include "base/bytes.h"

namespace api {
namespace {

constexpr std::string_view kInvalidType = "rest_invalid_type";
constexpr std::string_view kOutOfBounds = "rest_out_of_bounds";
constexpr std::size_t kMaxObjectIds = 100;
constexpr std::string_view kObjectIdRange = " must be an integer from 1 to 9223372036854775807.";

// The number in "value", when it is a whole one of any size.
std::optional<model::Decimal> whole_number_in(const json::Value& value) {
  auto number = decimal_in(value);
  return number && model::is_integer(*number) ? number : std::nullopt;
}

bool is_type_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == ':' || c == '-';
}

}  // namespace

std::optional<std::uint64_t> Fields::object_id(std::string_view name) {
  const json::Value* value = find(name, Presence::required);
  if (value == nullptr) return std::nullopt;
  const auto number = whole_number_in(*value);
  const auto id = number ? model::to_integer(*number) : std::nullopt;
  if (!number || !id || *id < 1) {
    reject(name, number ? kOutOfBounds : kInvalidType, std::string(name).append(kObjectIdRange));
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(*id);
}

std::optional<std::string> Fields::object_type(std::string_view name) {
  const json::Value* value = find(name, Presence::optional);
  if (value == nullptr) return std::nullopt;
  const auto* text = std::get_if<std::string>(&value->data);
  if (text == nullptr || text->empty() || text->size() > 64 ||
      !std::all_of(text->begin(), text->end(), is_type_character)) {
    reject(name, text == nullptr ? kInvalidType : "rest_invalid_pattern",
           std::string(name) + " must be 1 to 64 characters of A-Z a-z 0-9 _ . : -.");
    return std::nullopt;
  }
  return base::to_lower(*text);
}

std::optional<model::Category> Fields::category(std::string_view name, Presence presence) {
  const json::Value* value = find(name, presence);
  if (value == nullptr) return std::nullopt;
  const auto* text = std::get_if<std::string>(&value->data);
  const auto category = text == nullptr ? std::nullopt : model::category_named(*text);
  if (!category) {
    reject(name, text == nullptr ? kInvalidType : "rest_not_in_enum",
           std::string(name) + " must be one of binary, bipolar, scale.");
  }
  return category;
}

std::optional<model::Decimal> Fields::number(std::string_view name, Presence presence) {
  const json::Value* value = find(name, presence);
  if (value == nullptr) return std::nullopt;
  auto number = decimal_in(*value);
  if (!number) reject(name, kInvalidType, std::string(name) + " must be a number.");
  return number;
}

std::int64_t Fields::positive_integer(std::string_view name, std::int64_t maximum,
                                      std::int64_t absent) {
  const json::Value* value = find(name, Presence::optional);
  if (value == nullptr) return absent;
  const auto number = whole_number_in(*value);
  const auto integer = number ? model::to_integer(*number) : std::nullopt;
  if (integer && *integer >= 1 && *integer <= maximum) return *integer;
  reject(name, number ? kOutOfBounds : kInvalidType,
         std::string(name) + (maximum == kNoMaximum ? " must be an integer of at least 1."
                                                    : " must be an integer from 1 to " +
                                                          std::to_string(maximum) + "."));
  return absent;
}

std::vector<std::uint64_t> Fields::object_ids(std::string_view name) {
  const json::Value* value = find(name, Presence::required);
  if (value == nullptr) return {};
  std::vector<std::uint64_t> ids;
  const auto* text = std::get_if<std::string>(&value->data);
  std::string_view rest = text == nullptr ? std::string_view() : std::string_view(*text);
  for (bool more = true; more;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto id = parse_object_id(base::trim(rest.substr(0, comma)));
    if (id && std::find(ids.begin(), ids.end(), *id) == ids.end()) ids.push_back(*id);
    if (!id || ids.size() > kMaxObjectIds) {
      reject(name, kOutOfBounds,
             std::string(name) +
                 " must be 1 to 100 integers from 1 to 9223372036854775807, separated by commas.");
      return {};
    }
    more = comma < rest.size();
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return ids;
}

void Fields::reject(std::string_view name, std::string_view code, std::string message) {
  invalid_.push_back({std::string(name), code, std::move(message)});
}

std::optional<Error> Fields::error() const {
  if (!missing_.empty()) return Error{.code = ErrorCode::missing_parameters, .fields = missing_};
  if (!invalid_.empty()) return Error{.code = ErrorCode::invalid_parameters, .fields = invalid_};
  return std::nullopt;
}

const json::Value* Fields::find(std::string_view name, Presence presence) {
  const json::Value* value = parameters_.find(name);
  if (value == nullptr && presence == Presence::required) {
    missing_.push_back({std::string(name), {}, {}});
  }
  return value;
}

std::optional<model::Decimal> decimal_in(const json::Value& value) {
  if (const auto* number = std::get_if<json::Value::Number>(&value.data)) {
    return model::parse_decimal(number->text);
  }
  if (const auto* text = std::get_if<std::string>(&value.data)) return model::parse_decimal(*text);
  return std::nullopt;
}

std::optional<std::uint64_t> parse_object_id(std::string_view text) {
  std::uint64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (id < 1 || id > model::kMaxObjectId) return std::nullopt;
  return id;
}

Error bad_object_id(std::string_view text) {
  const auto number = model::parse_decimal(text);
  const bool whole = number && model::is_integer(*number);
  return {.code = ErrorCode::invalid_parameters,
          .fields = {{"object_id", whole ? kOutOfBounds : kInvalidType,
                      std::string("object_id").append(kObjectIdRange)}}};
}

}  // namespace api
