#include "base/descriptor.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace base {

std::optional<std::string> read_all(const Descriptor& file, std::size_t most) {
  std::string text;
  std::array<char, 65536> buffer;
  while (text.size() < most) {
    const std::size_t wanted = std::min(buffer.size(), most - text.size());
    const ssize_t count = read(file.number(), buffer.data(), wanted);
    if (count == 0) break;
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return std::nullopt;
    }
  }
  return text;
}

bool write_all(const Descriptor& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file.number(), text.data(), text.size());
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace base
