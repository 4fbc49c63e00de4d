#include "base/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace base {

Address Address::parse(std::string_view text) {
  constexpr std::string_view kMappedPrefix("\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
  if (text.find('\0') != std::string_view::npos) return {};  // it would end the text for inet_pton
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

bool is_network(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const Address address = Address::parse(text.substr(0, slash));
  if (address.bytes.empty() || slash == text.size()) return !address.bytes.empty();
  const std::string_view digits = text.substr(slash + 1);
  std::size_t bits = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), bits);
  return error == std::errc() && end == digits.end() && bits <= address.bytes.size() * 8;
}

}  // namespace base
