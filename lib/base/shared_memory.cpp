#include "base/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/bytes.h"
#include "base/crypto.h"

namespace base {
namespace {

constexpr std::size_t kNameBytes = 16;

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw std::runtime_error("shared memory " + name + ": " + what);
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }

  [[nodiscard]] int number() const { return number_; }

  // The caller closes it from now on.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

struct stat status_of(const Descriptor& segment, const std::string& name) {
  struct stat status {};
  if (fstat(segment.number(), &status) != 0) fail(name, std::strerror(errno));
  return status;
}

bool is_open_to_others(const struct stat& status) {
  return (status.st_mode & (S_IRWXG | S_IRWXO)) != 0;
}

// The name lies where every user of the host may make files.
void require_own(const struct stat& status, const std::string& name) {
  if (status.st_uid != geteuid()) {
    fail(name, "belongs to user " + std::to_string(status.st_uid) + ", not to this process's " +
                   std::to_string(geteuid()) + ". Run all workers as one user, or remove it");
  }
  if (is_open_to_others(status)) {
    fail(name, "is open to other users. Remove it; the workers make it anew");
  }
}

// Gives a new segment its size. Those who come at the same time do the same, which changes nothing.
void require_size(const Descriptor& segment, std::size_t size, const std::string& name) {
  const auto bytes = static_cast<off_t>(size);
  const off_t found = status_of(segment, name).st_size;
  if (found == bytes) return;
  if (found != 0) {
    fail(name, "has " + std::to_string(found) + " bytes, not " + std::to_string(size) +
                   ". Stop all workers and remove it");
  }
  // It returns its error, errno stays as it is.
  if (const int error = posix_fallocate(segment.number(), 0, bytes); error != 0) {
    fail(name, "cannot have " + std::to_string(size) + " bytes: " + std::strerror(error));
  }
}

// The lock of one byte of the file, which need not be there.
struct flock lock_of(unsigned place) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = place;
  lock.l_len = 1;
  return lock;
}

}  // namespace

SharedMemory::SharedMemory(const std::string& name, std::size_t size) : segment_(-1), size_(size) {
  Descriptor segment(shm_open(name.c_str(), O_RDWR | O_CREAT, S_IRUSR | S_IWUSR));
  if (segment.number() < 0) fail(name, std::strerror(errno));
  require_own(status_of(segment, name), name);
  require_size(segment, size, name);
  memory_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, segment.number(), 0);
  if (memory_ == MAP_FAILED) fail(name, std::strerror(errno));
  segment_ = segment.release();
}

SharedMemory::~SharedMemory() {
  munmap(memory_, size_);
  close(segment_);
}

tl::expected<std::unique_ptr<const SharedMemory>, int> SharedMemory::look(const std::string& name,
                                                                          std::size_t size) {
  Descriptor segment(shm_open(name.c_str(), O_RDONLY, 0));
  if (segment.number() < 0) return tl::unexpected(errno);
  const struct stat status = status_of(segment, name);
  if (status.st_size != static_cast<off_t>(size) || is_open_to_others(status)) {
    return tl::unexpected(EINVAL);
  }
  void* const memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, segment.number(), 0);
  if (memory == MAP_FAILED) return tl::unexpected(errno);
  return std::unique_ptr<const SharedMemory>(new SharedMemory(segment.release(), memory, size));
}

bool SharedMemory::take_place(unsigned place) const {
  struct flock lock = lock_of(place);
  return fcntl(segment_, F_OFD_SETLK, &lock) == 0;
}

bool SharedMemory::is_taken(unsigned place) const {
  struct flock lock = lock_of(place);
  return fcntl(segment_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

std::string SharedMemory::name_of(std::initializer_list<std::string_view> parts) {
  std::string told_apart;
  for (const std::string_view part : parts) {
    told_apart += std::to_string(part.size()) + ':';
    told_apart += part;
  }
  return "/ratingd-" + to_hex(sha256(told_apart).substr(0, kNameBytes));
}

bool SharedMemory::remove(const std::string& name) {
  if (shm_unlink(name.c_str()) == 0) return true;
  if (errno != ENOENT) fail(name, std::strerror(errno));
  return false;
}

}  // namespace base
