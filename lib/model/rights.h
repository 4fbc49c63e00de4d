#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace model {

// A permission that the sender of a request can have in addition to the permission to vote.
enum class Right : std::uint8_t {
  administer,       // to do what only administrators may do, and to export voters
  see_persons,      // to see names and ids of voters, and rows about individual persons
  see_unpublished,  // to see titles and links of unpublished objects, like an editor
  // The permission to manage the settings and data shared by all sites in a network. Tickets cannot
  // grant the administer_network permission.
  administer_network,
};

// The permissions that a ticket can grant.
inline constexpr std::array kRights = {Right::administer, Right::see_persons,
                                       Right::see_unpublished};

// Returns the name that tickets use for a permission. "right" must be a permission that a ticket
// can grant.
[[nodiscard]] constexpr std::string_view name_of(Right right) {
  constexpr std::array<std::string_view, 3> kNames = {"administer", "see_persons",
                                                      "see_unpublished"};
  return kNames[static_cast<std::size_t>(right)];
}

[[nodiscard]] constexpr std::optional<Right> right_named(std::string_view name) {
  for (const Right right : kRights) {
    if (name_of(right) == name) return right;
  }
  return std::nullopt;
}

// A set of permissions. A value type.
class Rights {
 public:
  constexpr Rights() = default;
  // Returns all permissions that a ticket can grant.
  [[nodiscard]] static constexpr Rights all() { return Rights((1U << kRights.size()) - 1); }

  constexpr void add(Right right) { bits_ |= bit_of(right); }
  [[nodiscard]] constexpr bool has(Right right) const { return (bits_ & bit_of(right)) != 0; }
  [[nodiscard]] constexpr bool is_empty() const { return bits_ == 0; }
  // Returns the permissions that both sets contain.
  [[nodiscard]] constexpr Rights operator&(Rights other) const {
    return Rights(bits_ & other.bits_);
  }
  bool operator==(const Rights&) const = default;

 private:
  constexpr explicit Rights(unsigned bits) : bits_(bits) {}
  static constexpr unsigned bit_of(Right right) { return 1U << static_cast<unsigned>(right); }

  unsigned bits_ = 0;
};

}  // namespace model
