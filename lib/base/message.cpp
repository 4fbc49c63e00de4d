#include "base/message.h"

#include <algorithm>
#include <utility>

namespace base {
namespace {

using std::chrono::seconds;

struct Unit {
  std::string_view name;
  seconds length;
};
constexpr Unit kUnits[] = {{"day", std::chrono::days(1)},
                           {"hour", std::chrono::hours(1)},
                           {"minute", std::chrono::minutes(1)},
                           {"second", seconds(1)}};

struct Shown {
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(seconds duration) const {
    const Rounded rounded = rounded_up(duration);
    return counted(rounded.number, rounded.unit, std::string(rounded.unit) + "s");
  }
  std::string operator()(const Message& message) const { return message.text(); }
};

}  // namespace

Rounded rounded_up(seconds duration) {
  const Unit* unit = std::begin(kUnits);
  while (unit->length > seconds(1) && duration < 2 * unit->length) ++unit;
  return {(duration + unit->length - seconds(1)) / unit->length, unit->name};
}

Message::Message(std::string text) : pattern(std::move(text)) {}
Message::Message(const char* literal) : pattern(literal) {}
Message::Message(const char* literal, std::vector<MessageValue> filled)
    : pattern(literal), values(std::move(filled)) {}

void Message::add(MessageValue value) { values.push_back(std::move(value)); }

std::string Message::text() const {
  if (values.empty()) return pattern;
  std::string text;
  std::string_view rest = pattern;
  for (std::size_t open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
    text += rest.substr(0, open);
    rest.remove_prefix(open);
    const std::string_view name = rest.substr(1, rest.find('}') - 1);
    const auto found = std::ranges::find(values, name, &MessageValue::name);
    text += found == values.end() ? "{" : std::visit(Shown(), found->value);
    rest.remove_prefix(found == values.end() ? 1 : name.size() + 2);
  }
  return text.append(rest);
}

}  // namespace base
