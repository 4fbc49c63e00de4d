#include "store/setting_request.h"

#include <array>
#include <optional>
#include <utility>
#include <variant>

#include "base/message.h"
#include "model/settings_table.h"

namespace store {
namespace {

using model::Refusal;

std::string_view code_of(Refusal::Reason reason) {
  constexpr std::array<std::string_view, 5> kCodes = {"rest_invalid_type", "rest_out_of_bounds",
                                                      "rest_not_in_enum", "rest_invalid_pattern",
                                                      "ratingd_fixed"};
  static_assert(kCodes.size() == static_cast<std::size_t>(Refusal::Reason::fixed) + 1);
  return kCodes[static_cast<std::size_t>(reason)];
}

// Returns the value for "setting" in a request. A number for an integer setting stays a string, so
// that model::accept() sees how it was written: an integer has no exponent.
std::optional<model::SettingValue> read_given(const model::Setting& setting,
                                              const json::Value& given) {
  const auto* number = std::get_if<json::Value::Number>(&given.data);
  if (number != nullptr && setting.type == model::SettingType::integer) return number->text;
  return read_setting_value(given);
}

}  // namespace

json::FieldError unknown_setting(std::string_view name) {
  const auto like = model::names_like(name);
  return {
      std::string(name), "rest_additional_properties_forbidden",
      base::Message("There is no setting {name}; the nearest are {first}, {second} and {third}.",
                    {{"name", std::string(name)},
                     {"first", std::string(like[0])},
                     {"second", std::string(like[1])},
                     {"third", std::string(like[2])}})};
}

json::FieldError error_of(std::string_view name, const Refusal& refusal) {
  return {std::string(name), code_of(refusal.reason), refusal.message};
}

tl::expected<SettingRequest, std::vector<json::FieldError>> read_setting_request(
    const NamedValues& named) {
  SettingRequest request;
  std::vector<json::FieldError> invalid;
  for (const auto& [name, given] : named) {
    if (auto retired = model::retirement_of(name)) {
      request.ignored.push_back({std::string(name), *std::move(retired)});
      continue;
    }
    const model::Setting* setting = model::find_setting(name);
    if (setting == nullptr) {
      invalid.push_back(unknown_setting(name));
      continue;
    }
    if (given.is_null()) {
      request.changes.emplace(name, std::nullopt);
      continue;
    }
    auto value = model::accept(*setting, read_given(*setting, given));
    if (value) {
      request.changes.emplace(name, *std::move(value));
    } else {
      invalid.push_back(error_of(name, value.error()));
    }
  }
  if (invalid.empty()) return request;
  return tl::unexpected(std::move(invalid));
}

SettingChanges values_of(const FixedChanges& changes) {
  SettingChanges values;
  for (const auto& [name, value] : changes) values.emplace(name, *value);
  return values;
}

}  // namespace store
