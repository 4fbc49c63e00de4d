#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace model {

// What a requester may do beyond voting.
enum class Right : std::uint8_t {
  administer,       // what only administrators may do, with the voters in exports
  see_persons,      // names and ids of voters, and rows of single persons
  see_unpublished,  // titles and links of objects that are not published; the role of an editor
  // What all sites of a network have in common. No ticket gives it.
  administer_network,
};

// Those that tickets may give, with the names there.
inline constexpr std::array kRights = {Right::administer, Right::see_persons,
                                       Right::see_unpublished};

// REQUIRES: tickets may give it.
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

// A set of rights. A value type.
class Rights {
 public:
  constexpr Rights() = default;
  // Those that tickets may give.
  [[nodiscard]] static constexpr Rights all() { return Rights((1U << kRights.size()) - 1); }

  constexpr void add(Right right) { bits_ |= bit_of(right); }
  [[nodiscard]] constexpr bool has(Right right) const { return (bits_ & bit_of(right)) != 0; }
  [[nodiscard]] constexpr bool is_empty() const { return bits_ == 0; }
  // The rights that are in both.
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
