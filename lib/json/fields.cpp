#include "json/fields.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "base/text.h"
#include "base/timestamp.h"

namespace json {
namespace {

constexpr std::string_view kInvalidType = "rest_invalid_type";
constexpr std::string_view kNotInEnum = "rest_not_in_enum";
constexpr std::size_t kMaxObjectIds = 100;

// Returns whether list_in() can convert "value" to a list.
bool is_list(const Value& value) {
  return std::holds_alternative<Value::Array>(value.data) ||
         std::holds_alternative<std::string>(value.data);
}

// Converts "value", which may be a number or a string, to an integer. The integer can have any
// size. Returns nothing if "value" does not contain an integer.
std::optional<model::Decimal> integer_in(const Value& value) {
  if (const auto* number = std::get_if<Value::Number>(&value.data)) {
    return model::parse_integer(number->text);
  }
  const auto* text = std::get_if<std::string>(&value.data);
  return text == nullptr ? std::nullopt : model::parse_integer(*text);
}

// Parses a list item as an object id. Returns nothing if the item is not a valid object id.
std::optional<std::uint64_t> object_id_in(const std::string& item) {
  const auto number = model::parse_integer(item);
  const auto id = number ? model::to_integer(*number) : std::nullopt;
  return id && *id >= 1 ? std::optional(static_cast<std::uint64_t>(*id)) : std::nullopt;
}

base::Message must_be_known(std::string_view name, std::span<const std::string_view> allowed) {
  return base::Message(
      "{name} is not a parameter of this request. Allowed parameters: {names}.",
      {{"name", std::string(name)}, {"names", allowed.empty() ? "none" : base::joined(allowed)}});
}

// Adds a form field or a query parameter to "values". If the field's name has the form "ids[]" or
// "ids[0]", appends the value to the array "ids".
template <typename Values>
void add_to(Values& values, std::string_view name, std::string_view value) {
  const std::size_t bracket = name.find('[');
  if (bracket == 0 || bracket == std::string_view::npos || !name.ends_with(']')) {
    values[std::string(name)].push_back({std::string(value)});
    return;
  }
  std::vector<Value>& given = values[std::string(name.substr(0, bracket))];
  auto* array = given.empty() ? nullptr : std::get_if<Value::Array>(&given.back().data);
  if (array != nullptr) {
    array->push_back({std::string(value)});
  } else {
    given.push_back({Value::Array{{std::string(value)}}});
  }
}

}  // namespace

void Parameters::add(std::string_view name, Value value) {
  if (!value.is_null()) body_[std::string(name)].push_back(std::move(value));
}

void Parameters::add_field(std::string_view name, std::string_view value) {
  add_to(body_, name, value);
}

void Parameters::add_field_of_query(std::string_view name, std::string_view value) {
  add_to(query_, name, value);
}
const Value* Parameters::find(std::string_view name) const {
  const auto* const values = values_of(name);
  return values == nullptr ? nullptr : &values->back();
}

bool Parameters::is_in_body(std::string_view name) const { return body_.contains(name); }

std::optional<Value> Parameters::find_list(std::string_view name) const {
  const auto* const values = values_of(name);
  if (values == nullptr) return std::nullopt;
  if (values->size() == 1) return values->front();
  Value::Array items;
  for (const Value& value : *values) {
    if (const auto* array = std::get_if<Value::Array>(&value.data)) {
      items.insert(items.end(), array->begin(), array->end());
    } else {
      items.push_back(value);
    }
  }
  return Value{std::move(items)};
}

std::map<std::string_view, const Value*> Parameters::in_body() const {
  std::map<std::string_view, const Value*> values;
  for (const auto& [name, given] : body_) values.emplace(name, &given.back());
  return values;
}

std::set<std::string_view> Parameters::names() const {
  std::set<std::string_view> names;
  for (const Values* source : {&body_, &query_}) {
    for (const auto& [name, values] : *source) names.insert(name);
  }
  return names;
}

const std::vector<Value>* Parameters::values_of(std::string_view name) const {
  for (const Values* source : {&body_, &query_}) {
    if (const auto found = source->find(name); found != source->end()) return &found->second;
  }
  return nullptr;
}

std::optional<std::uint64_t> Fields::object_id(std::string_view name) {
  const Value* value = find(name, Presence::required);
  if (value == nullptr) return std::nullopt;
  const auto number = integer_in(*value);
  const auto id = number ? model::to_integer(*number) : std::nullopt;
  if (!number || !id || *id < 1) {
    reject(name, number ? kOutOfBounds : kInvalidType, must_be_object_id(name));
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(*id);
}

std::optional<std::string> Fields::object_type(std::string_view name) {
  const Value* value = find(name, Presence::optional);
  if (value == nullptr) return std::nullopt;
  const auto* text = std::get_if<std::string>(&value->data);
  auto type = text == nullptr ? std::nullopt : model::parse_object_type(*text);
  if (!type) {
    reject(name, text == nullptr ? kInvalidType : "rest_invalid_pattern",
           base::Message("{name} must be 1 to 64 characters long and may contain only letters "
                         "(A-Z, a-z), digits, underscores, dots, colons and hyphens.",
                         {{"name", std::string(name)}}));
  }
  return type;
}

std::optional<model::Category> Fields::category(std::string_view name, Presence presence,
                                                std::span<const model::Category> allowed) {
  const Value* value = find(name, presence);
  if (value == nullptr) return std::nullopt;
  const auto* text = std::get_if<std::string>(&value->data);
  const auto category = text == nullptr ? std::nullopt : model::category_named(*text);
  if (category && std::find(allowed.begin(), allowed.end(), *category) != allowed.end()) {
    return category;
  }
  std::vector<std::string> names;
  for (const model::Category one : allowed) names.emplace_back(name_of(one));
  reject(name, text == nullptr ? kInvalidType : kNotInEnum, must_be_one_of(name, names));
  return std::nullopt;
}

std::optional<model::Decimal> Fields::number(std::string_view name, Presence presence) {
  const Value* value = find(name, presence);
  if (value == nullptr) return std::nullopt;
  auto number = decimal_in(*value);
  if (!number) {
    reject(name, kInvalidType,
           base::Message("{name} must be a number.", {{"name", std::string(name)}}));
  }
  return number;
}

std::optional<std::string> Fields::string(std::string_view name, Presence presence) {
  const Value* value = find(name, presence);
  if (value == nullptr) return std::nullopt;
  const auto* text = std::get_if<std::string>(&value->data);
  if (text != nullptr) return *text;
  reject(name, kInvalidType,
         base::Message("{name} must be a string.", {{"name", std::string(name)}}));
  return std::nullopt;
}

std::optional<std::string> Fields::text(std::string_view name, Presence presence,
                                        const model::TextLimits& limits) {
  auto text = string(name, presence);
  if (!text) return std::nullopt;
  auto refusal = model::refuse_text(name, *text, limits);
  if (!refusal) return text;
  reject(name, refusal->is_too_long ? "rest_too_long" : "rest_invalid_pattern",
         std::move(refusal->message));
  return std::nullopt;
}

std::optional<bool> Fields::boolean(std::string_view name) {
  const Value* value = find(name, Presence::optional);
  if (value == nullptr) return std::nullopt;
  if (const auto* truth = std::get_if<bool>(&value->data)) return *truth;
  const auto* number = std::get_if<Value::Number>(&value->data);
  const auto* string = std::get_if<std::string>(&value->data);
  const std::string text = number != nullptr   ? number->text
                           : string != nullptr ? base::to_lower(*string)
                                               : "";
  if (text == "1" || text == "true") return true;
  if (text == "0" || text == "false") return false;
  reject(name, kInvalidType,
         base::Message("{name} must be true or false.", {{"name", std::string(name)}}));
  return std::nullopt;
}

std::int64_t Fields::positive_integer(std::string_view name, std::int64_t maximum,
                                      std::int64_t absent) {
  const Value* value = find(name, Presence::optional);
  if (value == nullptr) return absent;
  const auto number = integer_in(*value);
  const auto integer = number ? model::to_integer(*number) : std::nullopt;
  if (integer && *integer >= 1 && *integer <= maximum) return *integer;
  std::vector<base::MessageValue> values = {{"name", std::string(name)}, {"minimum", 1}};
  if (maximum != kNoMaximum) values.push_back({"maximum", maximum});
  reject(name, number ? kOutOfBounds : kInvalidType,
         maximum == kNoMaximum
             ? base::Message("{name} must be an integer of at least {minimum}.", values)
             : base::Message("{name} must be an integer from {minimum} to {maximum}.", values));
  return absent;
}

std::vector<std::uint64_t> Fields::object_ids(std::string_view name, Presence presence) {
  if (find(name, presence) == nullptr) return {};
  const auto value = parameters_.find_list(name);
  const std::vector<std::string> items = list_in(*value);
  if (items.empty() && presence == Presence::optional && is_list(*value)) return {};
  std::vector<std::uint64_t> ids;
  std::set<std::uint64_t> known;
  bool are_valid = !items.empty();
  for (const std::string& item : items) {
    const auto id = object_id_in(item);
    are_valid = are_valid && id.has_value();
    if (id && known.insert(*id).second) ids.push_back(*id);
    if (!are_valid || ids.size() > kMaxObjectIds) {
      are_valid = false;
      break;
    }
  }
  if (are_valid) return ids;
  reject(name, kOutOfBounds,
         base::Message("{name} must be a comma-separated list of 1 to 100 integers from 1 to "
                       "9223372036854775807.",
                       {{"name", std::string(name)}}));
  return {};
}

std::optional<std::vector<std::string>> Fields::list(std::string_view name) {
  const auto value = parameters_.find_list(name);
  return value ? std::optional(list_in(*value)) : std::nullopt;
}

std::vector<std::string> Fields::facets(std::string_view name, const model::FacetNames& of_site) {
  if (find(name, Presence::optional) == nullptr) return {};
  const auto value = parameters_.find_list(name);
  std::vector<std::string> names;
  bool are_valid = is_list(*value);
  for (const std::string& item : are_valid ? list_in(*value) : names) {
    const auto facet = model::parse_facet_name(item);
    are_valid = are_valid && facet;
    const bool is_known = facet && std::ranges::find(of_site, *facet) != of_site.end();
    if (is_known && std::ranges::find(names, *facet) == names.end()) names.push_back(*facet);
  }
  if (are_valid && !names.empty()) return names;
  const bool is_of_wrong_type = !is_list(*value);
  reject(name, is_of_wrong_type ? kInvalidType : kNotInEnum,
         is_of_wrong_type && !of_site.empty()
             ? base::Message("{name} must be a list of these names: {names}.",
                             {{"name", std::string(name)}, {"names", base::joined(of_site)}})
             : must_be_facets(name, of_site));
  return {};
}

std::optional<int> Fields::choice(std::string_view name,
                                  std::span<const std::string_view> allowed) {
  const Value* value = find(name, Presence::optional);
  if (value == nullptr) return std::nullopt;
  const auto* text = std::get_if<std::string>(&value->data);
  for (std::size_t i = 0; text != nullptr && i < allowed.size(); ++i) {
    if (*text == allowed[i]) return static_cast<int>(i);
  }
  reject(name, text == nullptr ? kInvalidType : kNotInEnum,
         must_be_one_of(name, {allowed.begin(), allowed.end()}));
  return std::nullopt;
}

std::optional<base::Day> Fields::date(std::string_view name) {
  const Value* value = find(name, Presence::optional);
  if (value == nullptr) return std::nullopt;
  const auto* text = std::get_if<std::string>(&value->data);
  const auto day = text == nullptr ? std::nullopt : base::from_date(*text);
  if (day && kFirstDay <= *day && *day <= kLastDay) return day;
  reject(name, text == nullptr ? kInvalidType : "rest_invalid_date",
         base::Message("{name} must be a date such as 2026-11-21.", {{"name", std::string(name)}}));
  return std::nullopt;
}

std::string_view Fields::words(std::string_view name) const {
  const Value* value = parameters_.find(name);
  const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(&value->data);
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

bool Fields::reject_unknown(std::span<const std::string_view> allowed) {
  for (const std::string_view name : parameters_.names()) {
    const bool is_general = name.starts_with('_') || name == "rest_route";
    if (is_general || std::ranges::find(allowed, name) != allowed.end()) continue;
    reject(name, "rest_additional_properties_forbidden", must_be_known(name, allowed));
    return true;
  }
  return false;
}

void Fields::reject(std::string_view name, std::string_view code, base::Message message) {
  const bool is_known = std::ranges::count(invalid_, name, &FieldError::field) > 0;
  if (!is_known) invalid_.push_back({std::string(name), code, std::move(message)});
}

const Value* Fields::find(std::string_view name, Presence presence) {
  const Value* value = parameters_.find(name);
  if (value == nullptr && presence == Presence::required) {
    missing_.push_back({std::string(name), {}, {}});
  }
  return value;
}

base::Message must_be_object_id(std::string_view name) {
  return base::Message("{name} must be an integer from {minimum} to {maximum}.",
                       {{"name", std::string(name)},
                        {"minimum", 1},
                        {"maximum", std::to_string(model::kMaxObjectId)}});
}

base::Message must_be_one_of(std::string_view name, const std::vector<std::string>& allowed) {
  const std::vector<base::MessageValue> values = {{"name", std::string(name)},
                                                  {"names", base::joined(allowed)}};
  return allowed.size() == 1 ? base::Message("{name} must be {names}.", values)
                             : base::Message("{name} must be one of {names}.", values);
}

base::Message must_be_facets(std::string_view name, const model::FacetNames& of_site) {
  if (of_site.empty()) {
    return base::Message("{name} is not accepted, because this site has no facets.",
                         {{"name", std::string(name)}});
  }
  return base::Message("{name} must contain only names from this list: {names}.",
                       {{"name", std::string(name)}, {"names", base::joined(of_site)}});
}

FieldError type_too_long_for_facets() {
  return {
      "facets", "rest_too_long",
      base::Message(
          "The object type of each facet, such as post:taste, must have at most 64 characters.")};
}

std::optional<std::uint64_t> parse_object_id(std::string_view text) {
  const auto id = base::parse_number<std::uint64_t>(text);
  return id && *id >= 1 && *id <= model::kMaxObjectId ? id : std::nullopt;
}

}  // namespace json
