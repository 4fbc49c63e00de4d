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

// DESIGN. A memory segment shared by all processes for a site on one host. The segment is a mapped
// file in a private directory on an in-memory file system. Unlike in /dev/shm, other users can
// neither read the file nor create a file with the same name first.
//
// A new segment contains only zeros, so zeros must be valid initial values for all data in the
// segment. No process has to initialize a new segment, so processes that start at the same time do
// not wait for each other. The segment contains only lock-free atomics, so a killed process leaves
// nothing locked. The directory and the file belong to the user who runs the processes. Other users
// must not be able to write to the file, because write access would allow them to disable all rate
// limits.
//
// No process removes the segment when it exits, because other processes may still use the segment.
// The segment exists until remove() is called or the host restarts. Processes that are already
// running continue to use the removed segment, but processes that start later use a new segment.
// Call remove() only after the last process has stopped.
class SharedMemory {
 public:
  // Maps the file at "path", which is "size" bytes long, into memory. If necessary, creates the
  // file and its directory, but no parent directories. Reserves all memory for the file, so that
  // insufficient memory causes an exception here and not a SIGBUS signal later.
  //
  // Throws std::runtime_error if memory is insufficient, or if the file has a different size. Also
  // throws std::runtime_error if the directory or the file is a symbolic link, belongs to another
  // user or is accessible to other users.
  SharedMemory(const std::filesystem::path& path, std::size_t size);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  // Opens the existing segment at "path" read-only. A process that writes to the read-only segment
  // crashes. Root can also open segments that belong to other users. Returns ENOENT if the segment
  // does not exist, and EACCES if the segment belongs to another user. Returns EINVAL if the
  // segment has a different size or is accessible to other users, or if its directory has a
  // different owner.
  [[nodiscard]] static tl::expected<std::unique_ptr<const SharedMemory>, int> open_read_only(
      const std::filesystem::path& path, std::size_t size);

  // Uses an open file description lock (fcntl(2)) to lock the slot "slot", which may be any number.
  // The slot remains locked until unlock_slot() is called, the SharedMemory object is destroyed, or
  // the process ends. Returns false if the slot is already locked by another SharedMemory object.
  [[nodiscard]] bool lock_slot(unsigned slot) const;

  // Unlocks a slot locked by this SharedMemory object.
  void unlock_slot(unsigned slot) const;

  // Returns whether the slot is locked by another SharedMemory object in any process.
  [[nodiscard]] bool is_locked_elsewhere(unsigned slot) const;

  // Returns the page-aligned segment as a reference to a Layout object. Layout may contain only
  // lock-free atomics and arrays of lock-free atomics. The segment must be at least as large as
  // Layout.
  template <typename Layout>
  [[nodiscard]] Layout& as() const {
    static_assert(std::is_standard_layout_v<Layout> && std::is_trivially_destructible_v<Layout>);
    assert(sizeof(Layout) <= size_);
    return *static_cast<Layout*>(memory_);
  }

  // Returns the part of the segment after the Layout object, as an array of elements.
  template <typename Layout, typename Element>
  [[nodiscard]] std::span<Element> behind() const {
    static_assert(std::is_standard_layout_v<Element> && std::is_trivially_destructible_v<Element>);
    static_assert(sizeof(Layout) % alignof(Element) == 0);
    const std::size_t count = (size_ - sizeof(Layout)) / sizeof(Element);
    return {reinterpret_cast<Element*>(static_cast<char*>(memory_) + sizeof(Layout)), count};
  }

  // Returns the file name of a segment. The strings in "parts" identify the site and the layout
  // version of the segment. Different arguments always result in different names.
  [[nodiscard]] static std::string name_of(std::initializer_list<std::string_view> parts);

  // Removes the segment. Returns false if the segment does not exist. Throws std::runtime_error if
  // the segment cannot be removed.
  static bool remove(const std::filesystem::path& path);

 private:
  SharedMemory(int segment, void* memory, std::size_t size)
      : segment_(segment), size_(size), memory_(memory) {}

  int segment_;  // file descriptor
  std::size_t size_;
  void* memory_ = nullptr;
};

}  // namespace runtime
