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

// The external value of any setting.
using SettingValue = std::variant<bool, Decimal, std::string, std::vector<std::string>>;

enum class SettingType { boolean, integer, number, string, list };

// What a text may be where not only a few are allowed.
struct TextForm {
  std::string_view phrase;  // "a network such as 192.0.2.0/24"
  // "text" in its one form; nothing if it does not have the form.
  std::optional<std::string> (*read)(std::string_view text);
};

// An allowed text.
struct Choice {
  std::string_view name;
  std::string_view title;  // its meaning in a few words, for people
};

// Settings that belong together.
struct SettingGroup {
  std::string_view name;
  std::string_view title;
};

// The description of a setting.
struct Setting {
  std::string_view name;
  std::string_view title;        // a few words for the site's owner
  std::string_view description;  // sentences for the site's owner
  std::string_view keywords;     // other words by which owners search it; may be empty
  std::string_view group;        // the name of its SettingGroup
  SettingType type;
  bool is_advanced = false;  // few owners need it
  // Of integers and numbers; of lists, how many items they may have.
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  // Of strings, and of the items of lists: all that are allowed, or else a form.
  std::span<const Choice> choices = {};
  const TextForm* form = nullptr;
  // Of those that name a template: the category of the template. Their choices are those of the
  // site (store/template_store.h).
  std::optional<Category> template_category = std::nullopt;
  // Its place in Settings. REQUIRES of set: "value" was accepted for this setting.
  SettingValue (*get)(const Settings& settings) = nullptr;
  void (*set)(Settings& settings, const SettingValue& value) = nullptr;
};

// The reason for rejecting a value.
struct Refusal {
  enum class Reason { type, bounds, choice, form, fixed };
  Reason reason;
  base::Message message;  // a sentence that says what is allowed
};

// The value that "given" stands for, in its one form. As WordPress reads parameters (rest-api.php,
// rest_validate_value_from_schema and rest_sanitize_value_from_schema): texts of numbers count as
// numbers, 0, 1 and the words in either case as booleans, a text with commas as a list. Items come
// trimmed and once. Without "given", the value is of a type that no setting has, and is refused.
[[nodiscard]] tl::expected<SettingValue, Refusal> accept(const Setting& setting,
                                                         const std::optional<SettingValue>& given);

// "value" as people type it and accept() reads it: "true", "0.5", "binary,scale".
[[nodiscard]] std::string to_text(const SettingValue& value);

}  // namespace model
