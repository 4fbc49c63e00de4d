#include "config/settings.h"

#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

namespace config {
namespace {

constexpr std::size_t kMaxFileSize = std::size_t{1} << 20;

}  // namespace

std::string at_line(const Setting& file, unsigned line) {
  return file.value + ":" + std::to_string(line) + ": ";
}

std::string read_file(const Setting& named) {
  std::ifstream file(named.value, std::ios::binary);
  std::string text(kMaxFileSize + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    const int reason = errno;
    const std::string sentence = named.where + " must name a file that can be read; " +
                                 named.value + ": " + std::generic_category().message(reason);
    if (reason == EACCES) throw PermissionDenied(sentence);
    if (reason == ENOENT) throw FileMissing(sentence, named.value);
    throw Error(sentence);
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxFileSize) {
    throw Error(named.where + " must name a file of 1 MiB at most, not " + named.value);
  }
  return text;
}

void add(Settings& settings, const std::string& name, Setting setting) {
  const auto [place, added] = settings.emplace(name, std::move(setting));
  if (!added) throw Error(place->second.where + " is given twice");
}

}  // namespace config
