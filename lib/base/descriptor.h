#pragma once

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace base {

// Owns a file descriptor and closes it in the destructor. A value of -1 means that no file is open.
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

  // Releases ownership of the descriptor, which the caller must close.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// Reads to the end of the file. "most" is the maximum number of bytes. If reading fails, returns
// nothing and sets errno.
[[nodiscard]] std::optional<std::string> read_all(const Descriptor& file,
                                                  std::size_t most = std::string::npos);

// Writes all of "text". If writing fails, returns false and sets errno.
[[nodiscard]] bool write_all(const Descriptor& file, std::string_view text);

// Opens a regular file or a character device for reading. Neither opening nor reading the file
// blocks, even for a pipe without a writer or for the kernel log. If opening fails, returns the
// descriptor -1 and sets errno. Fails with EINVAL if the file is neither a regular file nor a
// character device.
[[nodiscard]] Descriptor open_at_once(const std::filesystem::path& path);

// Opens a file that belongs to another account, such as a customer's wp-config.php, in the same way
// as open_at_once(). If the process runs as root, follows a symbolic link only if root or the
// file's owner owns the link, so that no account can make root read another account's file.
// Concurrent changes to the path by other accounts cannot bypass these checks. Fails with EPERM if
// the path contains a symbolic link that must not be followed.
[[nodiscard]] Descriptor open_foreign_file(const std::filesystem::path& path);

// Opens /dev/null in place of each standard stream (descriptors 0 to 2) that is closed, so that no
// file or socket is opened in its place. Reading such an input and writing such an output still
// fails.
void open_standard_streams();

}  // namespace base
