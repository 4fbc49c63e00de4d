#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "model/rating.h"
#include "model/setting.h"
#include "model/settings.h"

namespace model {

// The names and titles of the enumerators that settings use. The index is the enumerator's number.

inline constexpr std::array<Choice, 3> kCategoryChoices = {{
    {name_of(Category::binary), "Likes"},
    {name_of(Category::bipolar), "Up and down"},
    {name_of(Category::scale), "Stars and other scales"},
}};
inline constexpr std::array<Choice, 3> kObjectCheckChoices = {{
    {"off", "Anything"},
    {"known", "Content that exists"},
    {"published", "Published content"},
}};
inline constexpr std::array<Choice, 3> kRevoteChoices = {{
    {"replace", "The new rating replaces the earlier one"},
    {"cooldown", "Not allowed for some time"},
    {"never", "Not allowed"},
}};
inline constexpr std::array<Choice, 3> kStoreAddressChoices = {{
    {"none", "Not stored"},
    {"hash", "A code instead of the address"},
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
    {"authenticated", "Everybody who is logged in"},
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

}  // namespace model
