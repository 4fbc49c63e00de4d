#include "base/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <list>
#include <optional>
#include <string>
#include <vector>

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
namespace fs = std::filesystem;
namespace {

constexpr unsigned kMaxLinks = 40;  // the kernel's limit
constexpr int kRead = O_RDONLY | O_NONBLOCK | O_CLOEXEC;

Descriptor failed(int reason) {
  errno = reason;
  return Descriptor(-1);
}

// Returns the target of an open symbolic link. If the target cannot be read, returns an empty path
// and sets errno.
fs::path target_of(const Descriptor& link) {
  std::array<char, PATH_MAX> target{};
  const ssize_t size = readlinkat(link.number(), "", target.data(), target.size());
  return size < 0 ? fs::path()
                  : fs::path(std::string(target.data(), static_cast<std::size_t>(size)));
}

// Opens each component of the path before checking it, so that nobody can replace the component
// after the check.
Descriptor open_as_root(const fs::path& path) {
  constexpr int kFind = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  std::list<fs::path> rest(path.begin(), path.end());
  std::optional<Descriptor> place(open(".", kFind));
  std::vector<uid_t> owners_of_links;
  struct stat status {};
  while (!rest.empty()) {
    Descriptor next(openat(place->number(), rest.front().c_str(), kFind));  // "/" leads to the root
    rest.pop_front();
    if (!next.is_open() || fstat(next.number(), &status) != 0) return failed(errno);
    if (!S_ISLNK(status.st_mode)) {
      place.emplace(std::move(next));
      continue;
    }
    const fs::path target = target_of(next);
    if (target.empty()) return failed(errno);
    if (owners_of_links.size() == kMaxLinks) return failed(ELOOP);
    owners_of_links.push_back(status.st_uid);
    rest.insert(rest.begin(), target.begin(), target.end());
  }
  const bool is_theirs = std::ranges::all_of(
      owners_of_links, [&](uid_t owner) { return owner == 0 || owner == status.st_uid; });
  if (!is_theirs) return failed(EPERM);
  return open_at_once("/proc/self/fd/" + std::to_string(place->number()));
}

}  // namespace

Descriptor open_at_once(const fs::path& path) {
  Descriptor file(open(path.c_str(), kRead));
  struct stat status {};
  if (!file.is_open() || fstat(file.number(), &status) != 0) return failed(errno);
  if (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode)) return failed(EINVAL);
  return file;
}

Descriptor open_foreign_file(const fs::path& path) {
  return geteuid() == 0 ? open_as_root(path) : open_at_once(path);
}

void open_standard_streams() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const int mode = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (fcntl(number, F_GETFD) < 0) static_cast<void>(open("/dev/null", mode));
  }
}

}  // namespace base
