#pragma once

#include <cassert>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <type_traits>

namespace runtime {

// DESIGN. A memory segment that one site's processes on one host share. It is a mapped file in a
// private directory on an in-memory file system. Unlike in /dev/shm, other users can neither read
// the file nor create a file of this name first.
//
// The segment starts as zeros, and zeros must be a valid initial state of everything in it. So
// nothing has to be initialized, and processes that start at the same moment do not wait for each
// other. The segment contains only lock-free atomics, so a process that is killed at any
// instruction leaves nothing locked. The directory and the file belong to the processes' user.
// Nobody else may write to the file, because this would allow them to lift every limit.
//
// No process removes the segment on exit, because other processes may still use it. It exists until
// remove() is called or the host restarts. Running processes continue to use a removed segment, but
// processes that start later share a new segment. So call remove() after the last process has
// stopped.
class SharedMemory {
 public:
  // Maps the file "path", which has "size" bytes. Creates the file and its directory if necessary,
  // but no parent directories. Reserves the whole size, so a shortage of memory is reported here
  // and not by SIGBUS later.
  //
  // Throws std::runtime_error with the reason if there is not enough memory or if the file has
  // another size. Also throws if the directory or the file is a symbolic link, belongs to another
  // user or is accessible to others.
  SharedMemory(const std::filesystem::path& path, std::size_t size);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  // Opens the existing segment at "path" read-only. Writing to the segment would end the process.
  // Root can also open other users' segments. Errors (values of errno):
  //   ENOENT - there is no such segment.
  //   EACCES - the segment belongs to another user.
  //   EINVAL - the segment has another size, is accessible to others, or its directory has another
  //   owner.
  [[nodiscard]] static tl::expected<std::unique_ptr<const SharedMemory>, int> open_read_only(
      const std::filesystem::path& path, std::size_t size);

  // Locks "slot", which can be any number. The lock lasts until unlock_slot() is called, this
  // object is destroyed, or the process ends for any reason. Returns false if another object holds
  // the lock. (Open file description locks, fcntl(2).)
  [[nodiscard]] bool lock_slot(unsigned slot) const;

  // Unlocks a slot that this object has locked.
  void unlock_slot(unsigned slot) const;

  // Returns whether another object, in this process or another process, has locked "slot".
  [[nodiscard]] bool is_locked_elsewhere(unsigned slot) const;

  // Returns the segment as a Layout, which consists of lock-free atomics and arrays of atomics. The
  // address is page-aligned. REQUIRES: the segment is large enough.
  template <typename Layout>
  [[nodiscard]] Layout& as() const {
    static_assert(std::is_standard_layout_v<Layout> && std::is_trivially_destructible_v<Layout>);
    assert(sizeof(Layout) <= size_);
    return *static_cast<Layout*>(memory_);
  }

  // Returns the rest of the segment after "Layout", as an array of Elements.
  template <typename Layout, typename Element>
  [[nodiscard]] std::span<Element> behind() const {
    static_assert(std::is_standard_layout_v<Element> && std::is_trivially_destructible_v<Element>);
    static_assert(sizeof(Layout) % alignof(Element) == 0);
    const std::size_t count = (size_ - sizeof(Layout)) / sizeof(Element);
    return {reinterpret_cast<Element*>(static_cast<char*>(memory_) + sizeof(Layout)), count};
  }

  // Returns the file name of a segment. Different parts result in different names. The parts
  // identify the site and the layout version to which the segment belongs.
  [[nodiscard]] static std::string name_of(std::initializer_list<std::string_view> parts);

  // Removes the segment. Returns false if it does not exist. Throws std::runtime_error if it cannot
  // be removed.
  static bool remove(const std::filesystem::path& path);

 private:
  SharedMemory(int segment, void* memory, std::size_t size)
      : segment_(segment), size_(size), memory_(memory) {}

  int segment_;  // file descriptor
  std::size_t size_;
  void* memory_ = nullptr;
};

}  // namespace runtime
