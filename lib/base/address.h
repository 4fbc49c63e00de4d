#pragma once

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

// Whether "text" is an address, or one and the number of leading bits that count: "192.0.2.0/24".
[[nodiscard]] bool is_network(std::string_view text);

}  // namespace base
