#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace base {

// An IP address: 4 or 16 bytes in network order, or none for text that is no address. IPv4 within
// IPv6 (::ffff:192.0.2.1) is IPv4.
struct Address {
  std::string bytes;

  // Never fails: what is no address has no bytes.
  [[nodiscard]] static Address parse(std::string_view text);

  // What one subscriber has: the whole of an IPv4 address, the first 64 bits of an IPv6 one.
  [[nodiscard]] std::string_view network() const {
    return std::string_view(bytes).substr(0, bytes.size() == 16 ? 8 : bytes.size());
  }

  [[nodiscard]] bool is_loopback() const;

  bool operator==(const Address&) const = default;
};

// The addresses that share the leading bits of one: "192.0.2.0/24". Bits of the address beyond them
// do not count.
struct Network {
  Address address;
  std::size_t bits = 0;

  // Of an address alone, all bits count. Nothing if "text" is neither.
  [[nodiscard]] static std::optional<Network> parse(std::string_view text);

  // Never for another version of the protocol; IPv4 within IPv6 is IPv4.
  [[nodiscard]] bool contains(const Address& other) const;
};

}  // namespace base
