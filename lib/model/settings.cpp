#include "model/settings.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace model {
namespace {

using base::Message;
using Reason = Refusal::Reason;
using Accepted = tl::expected<SettingValue, Refusal>;
using Items = std::vector<std::string>;

// Returns the part of an error message that lists the strings allowed by the setting.
Message allowed_texts(const Setting& setting) {
  if (setting.choices.empty()) return std::string(setting.form->phrase);
  return Message("one of {names}", {{"names", base::joined(setting.choices, ", ", &Choice::name)}});
}

// Returns a refusal. The error message can contain placeholders for the setting's name, bounds and
// allowed strings.
tl::unexpected<Refusal> refused(const Setting& setting, Reason reason, Message message) {
  message.add({"name", std::string(setting.name)});
  if (setting.maximum > 0) {
    message.add({"minimum", setting.minimum});
    message.add({"maximum", setting.maximum});
  }
  if (setting.type == SettingType::string || setting.type == SettingType::list) {
    message.add({"allowed", allowed_texts(setting)});
  }
  return tl::unexpected(Refusal{reason, std::move(message)});
}

std::optional<bool> boolean_in(const SettingValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (std::holds_alternative<Items>(value)) return std::nullopt;
  const std::string text = base::to_lower(to_text(value));
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

std::optional<Decimal> decimal_in(const SettingValue& value, SettingType type) {
  if (const auto* number = std::get_if<Decimal>(&value)) return *number;
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return std::nullopt;
  return type == SettingType::integer ? parse_integer(*text) : parse_decimal(*text);
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
  if (!truth) return refused(setting, Reason::type, Message("{name} must be true or false."));
  return *truth;
}

Accepted accept_number(const Setting& setting, const SettingValue& given) {
  const auto refuse = [&](Reason reason) {
    return refused(setting, reason,
                   setting.type == SettingType::integer
                       ? Message("{name} must be a whole number from {minimum} to {maximum}.")
                       : Message("{name} must be a number from {minimum} to {maximum}."));
  };
  auto number = decimal_in(given, setting.type);
  if (!number || (setting.type == SettingType::integer && !is_integer(*number))) {
    return refuse(Reason::type);
  }
  if (*number < decimal_of(setting.minimum) || *number > decimal_of(setting.maximum)) {
    return refuse(Reason::bounds);
  }
  return *std::move(number);
}

Accepted accept_string(const Setting& setting, const SettingValue& given) {
  const auto refuse = [&](Reason reason) {
    return refused(setting, reason, Message("{name} must be {allowed}."));
  };
  const auto* text = std::get_if<std::string>(&given);
  if (text == nullptr) return refuse(Reason::type);
  auto read = read_text(setting, *text);
  if (!read) return refuse(reason_of_bad_text(setting));
  return *std::move(read);
}

// Returns "item" for an error message. If the item is long, returns its beginning and an ellipsis.
std::string beginning_of(const std::string& item) {
  constexpr std::size_t kMaxShown = 64;  // bytes
  if (item.size() <= kMaxShown) return item;
  const auto continues = [&](std::size_t at) {  // whether a UTF-8 sequence contains at - 1 and at
    return (static_cast<unsigned char>(item[at]) & 0xC0U) == 0x80U;
  };
  std::size_t size = kMaxShown;
  while (size > 0 && continues(size)) --size;
  return item.substr(0, size) + "…";
}

Accepted accept_list(const Setting& setting, const SettingValue& given) {
  const auto items = list_in(given);
  if (!items) return refused(setting, Reason::type, Message("{name} must be a list."));
  Items accepted;
  for (const std::string& item : *items) {
    auto read = read_text(setting, std::string(base::trim(item)));
    if (!read) {
      return refused(setting, reason_of_bad_text(setting),
                     Message("{name} must not contain \"{item}\". Each item must be {allowed}.",
                             {{"item", beginning_of(item)}}));
    }
    // A linear search is fast enough, because the list contains at most "maximum" items.
    if (std::find(accepted.begin(), accepted.end(), *read) != accepted.end()) continue;
    accepted.push_back(*std::move(read));
    if (std::cmp_greater(accepted.size(), setting.maximum)) break;
  }
  if (std::cmp_less(accepted.size(), setting.minimum) ||
      std::cmp_greater(accepted.size(), setting.maximum)) {
    return refused(setting, Reason::bounds,
                   Message("{name} must have {minimum} to {maximum} items."));
  }
  return accepted;
}

}  // namespace

Accepted accept(const Setting& setting, const std::optional<SettingValue>& given) {
  if (!given) {  // no setting has a value of this type
    const bool is_list = setting.type == SettingType::list;
    return accept(setting, is_list ? SettingValue(false) : SettingValue(Items()));
  }
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
  return base::joined(std::get<Items>(value), ",");
}

}  // namespace model
