#pragma once

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace base {

// A file descriptor that is closed at the end, or -1.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }

  // The caller must close it.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// Reads to the end of the file, at most "most" bytes. Nothing: errno says why.
[[nodiscard]] std::optional<std::string> read_all(const Descriptor& file,
                                                  std::size_t most = std::string::npos);

// False: errno says why.
[[nodiscard]] bool write_all(const Descriptor& file, std::string_view text);

// Opens a file for reading. Neither this nor reading waits: not for a pipe's other end, and not for
// a kernel log's next line. Returns -1 with the reason in errno: EINVAL - not a file or a character
// device; else as open().
[[nodiscard]] Descriptor open_at_once(const std::filesystem::path& path);

// The same, of a file of another account, such as a customer's wp-config.php. Root may read
// everything, so it follows a link of another account only to a file of the link's owner. The file
// that was checked is the one that is opened, even if the path is changed meanwhile. EPERM - there
// is a link that is not followed.
[[nodiscard]] Descriptor open_foreign_file(const std::filesystem::path& path);

}  // namespace base
