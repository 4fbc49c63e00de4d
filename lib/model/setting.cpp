#include "model/setting.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/parse.h"

namespace model {
namespace {

using Reason = Refusal::Reason;
using Accepted = tl::expected<SettingValue, Refusal>;
using Items = std::vector<std::string>;

std::string joined(std::span<const Choice> choices) {
  std::string text;
  for (const Choice& choice : choices) text.append(text.empty() ? "" : ", ").append(choice.name);
  return text;
}

// "off, known, published", or the form of the setting's texts.
std::string allowed_text(const Setting& setting) {
  if (setting.choices.empty()) return std::string(setting.form->phrase);
  return "one of " + joined(setting.choices);
}

std::string allowed(const Setting& setting) {
  const std::string range =
      std::to_string(setting.minimum) + " to " + std::to_string(setting.maximum);
  switch (setting.type) {
    case SettingType::boolean:
      return "true or false";
    case SettingType::integer:
      return "an integer from " + range;
    case SettingType::number:
      return "a number from " + range;
    case SettingType::string:
      return allowed_text(setting);
    case SettingType::list:
      break;
  }
  return "a list of " + range + " items, each " + allowed_text(setting);
}

tl::unexpected<Refusal> refused(const Setting& setting, Reason reason,
                                const std::string& detail = "") {
  return tl::unexpected(
      Refusal{reason, std::string(setting.name) + " must be " + allowed(setting) + detail + "."});
}

std::optional<bool> boolean_in(const SettingValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (std::holds_alternative<Items>(value)) return std::nullopt;
  const std::string text = base::to_lower(to_text(value));
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

std::optional<Decimal> decimal_in(const SettingValue& value) {
  if (const auto* number = std::get_if<Decimal>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) return parse_decimal(*text);
  return std::nullopt;
}

Items split_at_commas(std::string_view text) {
  Items items;
  while (!text.empty()) {
    const std::string_view item = base::trim(base::take_until(text, ','));
    if (!item.empty()) items.emplace_back(item);
  }
  return items;
}

std::optional<Items> list_in(const SettingValue& value) {
  if (const auto* items = std::get_if<Items>(&value)) return *items;
  if (const auto* text = std::get_if<std::string>(&value)) return split_at_commas(*text);
  return std::nullopt;
}

std::optional<std::string> read_text(const Setting& setting, const std::string& text) {
  if (setting.choices.empty()) return setting.form->read(text);
  const bool is_allowed =
      std::ranges::find(setting.choices, text, &Choice::name) != setting.choices.end();
  return is_allowed ? std::optional(text) : std::nullopt;
}

Reason reason_of_bad_text(const Setting& setting) {
  return setting.choices.empty() ? Reason::form : Reason::choice;
}

Accepted accept_boolean(const Setting& setting, const SettingValue& given) {
  const auto truth = boolean_in(given);
  if (!truth) return refused(setting, Reason::type);
  return *truth;
}

Accepted accept_number(const Setting& setting, const SettingValue& given) {
  auto number = decimal_in(given);
  if (!number || (setting.type == SettingType::integer && !is_integer(*number))) {
    return refused(setting, Reason::type);
  }
  if (*number < decimal_of(setting.minimum) || *number > decimal_of(setting.maximum)) {
    return refused(setting, Reason::bounds);
  }
  return *std::move(number);
}

Accepted accept_string(const Setting& setting, const SettingValue& given) {
  const auto* text = std::get_if<std::string>(&given);
  if (text == nullptr) return refused(setting, Reason::type);
  auto read = read_text(setting, *text);
  if (!read) return refused(setting, reason_of_bad_text(setting));
  return *std::move(read);
}

Accepted accept_list(const Setting& setting, const SettingValue& given) {
  constexpr std::size_t kMaxShown = 64;
  const auto items = list_in(given);
  if (!items) return refused(setting, Reason::type);
  Items accepted;
  for (const std::string& item : *items) {
    auto read = read_text(setting, std::string(base::trim(item)));
    if (!read) {
      const std::string detail = item.size() > kMaxShown ? "" : "; \"" + item + "\" is not";
      return refused(setting, reason_of_bad_text(setting), detail);
    }
    // Lists are short: their length was checked before.
    if (std::find(accepted.begin(), accepted.end(), *read) != accepted.end()) continue;
    accepted.push_back(*std::move(read));
    if (std::cmp_greater(accepted.size(), setting.maximum)) break;
  }
  if (std::cmp_less(accepted.size(), setting.minimum) ||
      std::cmp_greater(accepted.size(), setting.maximum)) {
    return refused(setting, Reason::bounds);
  }
  return accepted;
}

}  // namespace

Accepted accept(const Setting& setting, const std::optional<SettingValue>& given) {
  if (!given) return refused(setting, Reason::type);
  switch (setting.type) {
    case SettingType::boolean:
      return accept_boolean(setting, *given);
    case SettingType::integer:
    case SettingType::number:
      return accept_number(setting, *given);
    case SettingType::string:
      return accept_string(setting, *given);
    case SettingType::list:
      break;
  }
  return accept_list(setting, *given);
}

std::string to_text(const SettingValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* number = std::get_if<Decimal>(&value)) return to_text(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  std::string text;
  for (const std::string& item : std::get<Items>(value)) {
    text.append(text.empty() ? "" : ",").append(item);
  }
  return text;
}

}  // namespace model
