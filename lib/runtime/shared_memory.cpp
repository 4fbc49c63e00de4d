#include "runtime/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "base/crypto.h"
#include "base/descriptor.h"
#include "base/text.h"

namespace runtime {
namespace {

constexpr std::size_t kNameBytes = 16;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw std::runtime_error("shared memory " + path.string() + ": " + what);
}

struct stat status_of(const base::Descriptor& file, const std::filesystem::path& path) {
  struct stat status {};
  if (fstat(file.number(), &status) != 0) fail(path, std::strerror(errno));
  return status;
}

bool is_open_to_others(const struct stat& status) {
  return (status.st_mode & (S_IRWXG | S_IRWXO)) != 0;
}

// Opens the directory "path" and returns a file descriptor. Files are opened relative to this
// descriptor, so nobody can redirect the process to another directory by replacing "path".
base::Descriptor open_directory(const std::filesystem::path& path) {
  return base::Descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

base::Descriptor open_file(const base::Descriptor& directory, const std::filesystem::path& path,
                           int flags) {
  const std::string name = path.filename();
  return base::Descriptor(
      openat(directory.number(), name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
}

void require_own(const base::Descriptor& file, const std::filesystem::path& path) {
  const struct stat status = status_of(file, path);
  if (status.st_uid != geteuid()) {
    fail(path, "belongs to user " + std::to_string(status.st_uid) + ", not to this process's " +
                   std::to_string(geteuid()) + ". Run all workers as one user, or remove it");
  }
  if (is_open_to_others(status)) {
    fail(path, "is open to other users. Remove it. The workers create it again");
  }
}

base::Descriptor own_directory(const std::filesystem::path& path) {
  // Ignore EEXIST, because another worker or user may have created the directory in the meantime.
  if (mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    fail(path, "cannot be created: " + std::string(std::strerror(errno)) + " (option runtime-dir)");
  }
  base::Descriptor directory = open_directory(path);
  if (directory.number() < 0) fail(path, std::strerror(errno));
  require_own(directory, path);
  return directory;
}

// Sets the size of a new segment. Concurrent calls by several processes are safe and have the same
// result as one call.
void require_size(const base::Descriptor& segment, std::size_t size,
                  const std::filesystem::path& path) {
  const auto bytes = static_cast<off_t>(size);
  const off_t found = status_of(segment, path).st_size;
  if (found == bytes) return;
  if (found != 0) {
    fail(path, "has " + std::to_string(found) + " bytes, not " + std::to_string(size) +
                   ". Stop all workers and remove it");
  }
  // posix_fallocate() returns the error number and does not set errno.
  if (const int error = posix_fallocate(segment.number(), 0, bytes); error != 0) {
    fail(path, "cannot have " + std::to_string(size) + " bytes: " + std::strerror(error));
  }
}

// Returns a struct flock for a lock on the byte with the offset "slot". The byte may be beyond the
// end of the file.
struct flock lock_of(unsigned slot) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = slot;
  lock.l_len = 1;
  return lock;
}

}  // namespace

SharedMemory::SharedMemory(const std::filesystem::path& path, std::size_t size)
    : segment_(-1), size_(size) {
  const base::Descriptor directory = own_directory(path.parent_path());
  base::Descriptor segment = open_file(directory, path, O_RDWR | O_CREAT);
  if (segment.number() < 0) fail(path, std::strerror(errno));
  require_own(segment, path);
  require_size(segment, size, path);
  memory_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, segment.number(), 0);
  if (memory_ == MAP_FAILED) fail(path, std::strerror(errno));
  segment_ = segment.release();
}

SharedMemory::~SharedMemory() {
  munmap(memory_, size_);
  close(segment_);
}

tl::expected<std::unique_ptr<const SharedMemory>, int> SharedMemory::open_read_only(
    const std::filesystem::path& path, std::size_t size) {
  const base::Descriptor directory = open_directory(path.parent_path());
  if (directory.number() < 0) return tl::unexpected(errno);
  base::Descriptor segment = open_file(directory, path, O_RDONLY | O_NONBLOCK);
  if (segment.number() < 0) return tl::unexpected(errno);
  const struct stat outside = status_of(directory, path.parent_path());
  const struct stat status = status_of(segment, path);
  if (status.st_size != static_cast<off_t>(size) || status.st_uid != outside.st_uid ||
      is_open_to_others(outside) || is_open_to_others(status)) {
    return tl::unexpected(EINVAL);
  }
  void* const memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, segment.number(), 0);
  if (memory == MAP_FAILED) return tl::unexpected(errno);
  return std::unique_ptr<const SharedMemory>(new SharedMemory(segment.release(), memory, size));
}

bool SharedMemory::lock_slot(unsigned slot) const {
  struct flock lock = lock_of(slot);
  return fcntl(segment_, F_OFD_SETLK, &lock) == 0;
}

void SharedMemory::unlock_slot(unsigned slot) const {
  struct flock lock = lock_of(slot);
  lock.l_type = F_UNLCK;
  fcntl(segment_, F_OFD_SETLK, &lock);
}

bool SharedMemory::is_locked_elsewhere(unsigned slot) const {
  struct flock lock = lock_of(slot);
  return fcntl(segment_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

std::string SharedMemory::name_of(std::initializer_list<std::string_view> parts) {
  std::string unambiguous;
  for (const std::string_view part : parts) {
    unambiguous += std::to_string(part.size()) + ':';
    unambiguous += part;
  }
  return base::to_hex(base::sha256(unambiguous).substr(0, kNameBytes));
}

bool SharedMemory::remove(const std::filesystem::path& path) {
  const base::Descriptor directory = open_directory(path.parent_path());
  const std::string name = path.filename();
  if (directory.number() >= 0 && unlinkat(directory.number(), name.c_str(), 0) == 0) return true;
  if (errno != ENOENT) fail(path, std::strerror(errno));
  return false;
}

}  // namespace runtime
