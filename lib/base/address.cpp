#include "base/address.h"

#include <arpa/inet.h>

#include <array>

namespace base {

Address Address::parse(std::string_view text) {
  constexpr std::string_view kMappedPrefix("\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
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

}  // namespace base
