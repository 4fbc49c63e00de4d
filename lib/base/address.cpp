#include "base/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace base {

Address Address::parse(std::string_view text) {
  constexpr std::string_view kMappedPrefix("\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
  if (text.find('\0') != std::string_view::npos)
    return {};  // inet_pton would stop at the zero
                // byte
  const std::string zero_terminated(text.substr(0, INET6_ADDRSTRLEN));
  std::array<char, 16> buffer{};
  if (inet_pton(AF_INET, zero_terminated.c_str(), buffer.data()) == 1) {
    return {std::string(buffer.data(), 4)};
  }
  if (inet_pton(AF_INET6, zero_terminated.c_str(), buffer.data()) == 1) {
    std::string bytes(buffer.data(), buffer.size());
    if (bytes.starts_with(kMappedPrefix)) bytes.erase(0, kMappedPrefix.size());
    return {bytes};
  }
  return {};
}

bool Address::is_loopback() const {
  constexpr std::string_view kIpv6Loopback("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
  return bytes.size() == 4 ? bytes.front() == 127 : bytes == kIpv6Loopback;
}

std::optional<Network> Network::parse(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  Network network{Address::parse(text.substr(0, slash)), 0};
  const std::size_t all = network.address.bytes.size() * 8;
  if (all == 0) return std::nullopt;
  network.bits = all;
  if (slash == text.size()) return network;
  const auto bits = parse_number<std::size_t>(text.substr(slash + 1));
  if (!bits || *bits > all) return std::nullopt;
  network.bits = *bits;
  return network;
}

bool Network::contains(const Address& other) const {
  if (other.bytes.size() != address.bytes.size()) return false;
  const std::size_t whole = bits / 8;
  if (other.bytes.compare(0, whole, address.bytes, 0, whole) != 0) return false;
  if (bits % 8 == 0) return true;
  const auto different = static_cast<unsigned char>(other.bytes[whole] ^ address.bytes[whole]);
  return different >> (8 - bits % 8) == 0;
}

}  // namespace base
