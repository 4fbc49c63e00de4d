#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "model/rating.h"
#include "model/settings.h"

namespace model {

// The names and titles of the enumerators that settings use. The elements of each array have the
// same order as the enumerators.

inline constexpr std::array<Choice, 3> kCategoryChoices = {{
    {name_of(Category::binary), "Likes"},
    {name_of(Category::bipolar), "Up and down"},
    {name_of(Category::scale), "Stars and other scales"},
}};
inline constexpr std::array<Choice, 3> kObjectCheckChoices = {{
    {"off", "Anything"},
    {"known", "Existing content"},
    {"published", "Published content"},
}};
inline constexpr std::array<Choice, 3> kRevoteChoices = {{
    {"replace", "The new rating replaces the earlier rating"},
    {"cooldown", "Not allowed during the waiting period"},
    {"never", "Not allowed"},
}};
inline constexpr std::array<Choice, 3> kStoreAddressChoices = {{
    {"none", "Not stored"},
    {"hash", "Stored only as a code"},
    {"full", "Stored in full"},
}};
inline constexpr std::array<Choice, 2> kOnUserDeletedChoices = {{
    {"keep", "Keep the user's ratings"},
    {"erase", "Erase the user's ratings"},
}};
inline constexpr std::array<Choice, 2> kOnObjectDeletedChoices = {{
    {"keep", "Keep its ratings"},
    {"remove", "Remove its ratings"},
}};
inline constexpr std::array<Choice, 4> kAnalyticsAccessChoices = {{
    {"administrator", "Administrators"},
    {"editor", "Editors and administrators"},
    {"authenticated", "Logged-in users"},
    {"public", "Everybody"},
}};

constexpr std::span<const Choice> choices_of(Category) { return kCategoryChoices; }
constexpr std::span<const Choice> choices_of(ObjectCheck) { return kObjectCheckChoices; }
constexpr std::span<const Choice> choices_of(Revote) { return kRevoteChoices; }
constexpr std::span<const Choice> choices_of(StoreAddress) { return kStoreAddressChoices; }
constexpr std::span<const Choice> choices_of(OnUserDeleted) { return kOnUserDeletedChoices; }
constexpr std::span<const Choice> choices_of(OnObjectDeleted) { return kOnObjectDeletedChoices; }
constexpr std::span<const Choice> choices_of(AnalyticsAccess) { return kAnalyticsAccessChoices; }

template <typename Enum>
constexpr bool has_choices_up_to(Enum last) {
  return choices_of(last).size() == static_cast<std::size_t>(last) + 1 &&
         !choices_of(last).back().name.empty();
}
static_assert(has_choices_up_to(Category::scale) && has_choices_up_to(ObjectCheck::published) &&
              has_choices_up_to(Revote::never) && has_choices_up_to(StoreAddress::full) &&
              has_choices_up_to(OnUserDeleted::erase) &&
              has_choices_up_to(OnObjectDeleted::remove) &&
              has_choices_up_to(AnalyticsAccess::public_));

// The allowed formats of string settings.
extern const TextForm kObjectType, kFacetName, kNetwork, kAgent, kOrigin, kHeaderName, kSlug;

// The following functions convert members of Settings to setting values and back.

using Texts = std::vector<std::string>;

template <typename Enum>
std::string name_in(Enum value) {
  return std::string(choices_of(value)[static_cast<std::size_t>(value)].name);
}

template <typename Enum>
Enum enumerator_in(std::string_view name) {
  const auto choices = choices_of(Enum{});
  return static_cast<Enum>(std::ranges::find(choices, name, &Choice::name) - choices.begin());
}

inline SettingValue to_value(bool member) { return member; }
inline SettingValue to_value(int member) { return decimal_of(member); }
inline SettingValue to_value(const Decimal& member) { return member; }
inline SettingValue to_value(const std::string& member) { return member; }
inline SettingValue to_value(const Texts& member) { return member; }
template <typename Rep, typename Period>
SettingValue to_value(std::chrono::duration<Rep, Period> member) {
  return decimal_of(member.count());
}
template <typename Enum>
requires std::is_enum_v<Enum> SettingValue to_value(Enum member) { return name_in(member); }
inline SettingValue to_value(const std::vector<Category>& member) {
  Texts names;
  for (const Category category : member) names.push_back(name_in(category));
  return names;
}

// The setting's bounds guarantee that the number fits into std::int64_t.
inline std::int64_t integer_in(const SettingValue& value) {
  return to_integer(std::get<Decimal>(value)).value();
}

inline void from_value(const SettingValue& value, bool& member) { member = std::get<bool>(value); }
inline void from_value(const SettingValue& value, int& member) {
  member = static_cast<int>(integer_in(value));
}
inline void from_value(const SettingValue& value, Decimal& member) {
  member = std::get<Decimal>(value);
}
inline void from_value(const SettingValue& value, std::string& member) {
  member = std::get<std::string>(value);
}
inline void from_value(const SettingValue& value, Texts& member) {
  member = std::get<Texts>(value);
}
template <typename Rep, typename Period>
void from_value(const SettingValue& value, std::chrono::duration<Rep, Period>& member) {
  member = std::chrono::duration<Rep, Period>(integer_in(value));
}
template <typename Enum>
requires std::is_enum_v<Enum>
void from_value(const SettingValue& value, Enum& member) {
  member = enumerator_in<Enum>(std::get<std::string>(value));
}
inline void from_value(const SettingValue& value, std::vector<Category>& member) {
  member.clear();
  for (const std::string& name : std::get<Texts>(value)) {
    member.push_back(enumerator_in<Category>(name));
  }
}

template <auto kMember>
SettingValue get(const Settings& settings) {
  return to_value(settings.*kMember);
}

template <auto kMember>
void set(Settings& settings, const SettingValue& value) {
  from_value(value, settings.*kMember);
}

}  // namespace model
