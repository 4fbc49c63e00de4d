#include <cerrno>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "base/text.h"
#include "config/options.h"

namespace config {
namespace {

constexpr std::size_t kMaxFileSize = std::size_t{1} << 20;

std::string reason_of(int error) {
  if (error == EPERM) {
    return "a link on its path does not belong to the file's owner. Name the file itself";
  }
  return error == EINVAL ? "not a file" : std::generic_category().message(error);
}

// Returns the content of a file that the caller has just opened. If the caller failed to open the
// file, errno must still contain the reason.
std::string content_of(const GivenOption& named, const base::Descriptor& file) {
  auto text = file.is_open() ? base::read_all(file, kMaxFileSize + 1) : std::nullopt;
  if (!text) {
    const int reason = errno;
    const std::string sentence = named.where + " names a file that cannot be read: " + named.value +
                                 ": " + reason_of(reason);
    if (reason == EACCES) throw PermissionDenied(sentence);
    if (reason == ENOENT) throw FileMissing(sentence, named.value);
    throw Error(sentence);
  }
  if (text->size() > kMaxFileSize) {
    throw Error(named.where + " must name a file of at most 1 MiB, not " + named.value);
  }
  return *std::move(text);
}

}  // namespace

std::string at_line(const GivenOption& file, unsigned line) {
  return file.value + ":" + std::to_string(line) + ": ";
}

std::string read_file(const GivenOption& named) {
  return content_of(named, base::open_at_once(named.value));
}

std::string read_foreign_file(const GivenOption& named) {
  return content_of(named, base::open_foreign_file(named.value));
}

void add(GivenOptions& options, const std::string& name, GivenOption given) {
  const auto [place, added] = options.emplace(name, std::move(given));
  if (!added) throw Error(place->second.where + " is given twice");
}

void refuse(const GivenOption& given, const std::string& allowed) {
  throw Error(given.where + " must be " + allowed + ", not \"" + base::printable(given.value) +
              "\"");
}

unsigned number(const GivenOption& given, unsigned least, unsigned most) {
  const auto result = base::parse_number<unsigned>(given.value);
  if (!result || *result < least || *result > most) {
    refuse(given, "a number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return *result;
}

const std::string& not_empty(const GivenOption& given) {
  if (given.value.empty()) throw Error(given.where + " must not be empty");
  return given.value;
}

bool yes_or_no(const GivenOption& given) {
  if (given.value == "yes" || given.value == "1") return true;
  if (given.value != "no" && !given.value.empty()) refuse(given, "yes or no");
  return false;
}

std::string address(const GivenOption& given) {
  std::string url = given.value;
  const std::string lower = base::to_lower(url);
  if (!url.empty() && !lower.starts_with("http://") && !lower.starts_with("https://")) {
    refuse(given, "an address that begins with http:// or https://");
  }
  while (url.ends_with('/')) url.pop_back();
  return url;
}

std::vector<std::string_view> parts_of(std::string_view list, char separator) {
  std::vector<std::string_view> parts;
  while (list.find(separator) != std::string_view::npos) {
    parts.push_back(base::trim(base::take_until(list, separator)));
  }
  parts.push_back(base::trim(list));
  return parts;
}

}  // namespace config
