#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace base {

// An IP address with 4 or 16 bytes in network order. An invalid address has no bytes. IPv4-mapped
// IPv6 addresses (::ffff:192.0.2.1) are stored as IPv4.
struct Address {
  std::string bytes;

  // Returns the address in "text". If "text" is not an address, returns an empty Address.
  [[nodiscard]] static Address parse(std::string_view text);

  // Returns the part of the address that identifies an internet subscriber: the whole IPv4 address,
  // or the first 64 bits of an IPv6 address.
  [[nodiscard]] std::string_view network() const {
    return std::string_view(bytes).substr(0, bytes.size() == 16 ? 8 : bytes.size());
  }

  [[nodiscard]] bool is_loopback() const;

  bool operator==(const Address&) const = default;
};

// A network in CIDR notation, such as "192.0.2.0/24". Address bits beyond the prefix are ignored.
struct Network {
  Address address;
  std::size_t bits = 0;

  // Parses a network. A single address is parsed as a network that contains only this address.
  // Returns nothing if "text" is neither a network nor an address.
  [[nodiscard]] static std::optional<Network> parse(std::string_view text);

  // A network contains only addresses of its own IP version. An IPv4-mapped IPv6 address counts as
  // IPv4.
  [[nodiscard]] bool contains(const Address& other) const;
};

}  // namespace base
