#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "base/message.h"
#include "model/decimal.h"
#include "model/rating.h"
#include "model/settings.h"

namespace model {

// The value of any setting as users and files see it.
using SettingValue = std::variant<bool, Decimal, std::string, std::vector<std::string>>;

enum class SettingType { boolean, integer, number, string, list };

// The format of a setting whose strings are not limited to a few choices.
struct TextForm {
  std::string_view phrase;  // describes the format: "a network such as 192.0.2.0/24"
  // Returns "text" in normal form, or nothing if "text" does not have the format.
  std::optional<std::string> (*read)(std::string_view text);
};

// An allowed string for a setting.
struct Choice {
  std::string_view name;
  std::string_view title;  // the meaning in a few words, for people
};

// A settings group.
struct SettingGroup {
  std::string_view name;
  std::string_view title;
};

// The description of a setting.
struct Setting {
  std::string_view name;
  std::string_view title;        // a few words for the site's owner
  std::string_view description;  // sentences for the site's owner
  std::string_view keywords;     // other words with which owners may search for it; can be empty
  std::string_view group;        // the name of its SettingGroup
  SettingType type;
  bool is_advanced = false;  // only few owners need it
  // The bounds of an integer or a number. For a list, the bounds for the number of items.
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  // The allowed values for a string or for a list's items. If there are no choices, "form" defines
  // which strings are allowed.
  std::span<const Choice> choices = {};
  const TextForm* form = nullptr;
  // The template's category, if the setting names a template. In this case, the choices are the
  // site's templates (store/template_store.h).
  std::optional<Category> template_category = std::nullopt;
  // Read and write the setting's member of Settings. REQUIRES: accept() has returned "value" for
  // this setting.
  SettingValue (*get)(const Settings& settings) = nullptr;
  void (*set)(Settings& settings, const SettingValue& value) = nullptr;
};

// The reason for rejecting a value.
struct Refusal {
  enum class Reason { type, bounds, choice, form, fixed };
  Reason reason;
  base::Message message;  // a sentence that says what is allowed
};

// Returns "given" in the setting's normal form. Reads values as WordPress reads parameters
// (rest-api.php, rest_validate_value_from_schema and rest_sanitize_value_from_schema). A string
// that contains a number is converted to a number. The values 0, 1, "true" and "false", in any
// case, are booleans. A string with commas is converted to a list. List items are trimmed, and
// duplicates are removed. If "given" is nothing, the value had a type that no setting has, and is
// refused.
[[nodiscard]] tl::expected<SettingValue, Refusal> accept(const Setting& setting,
                                                         const std::optional<SettingValue>& given);

// Returns "value" in the format in which people type it and accept() reads it: "true", "0.5",
// "binary,scale".
[[nodiscard]] std::string to_text(const SettingValue& value);

}  // namespace model
