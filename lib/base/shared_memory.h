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

namespace base {

// DESIGN. A segment of memory that the processes of one site on one host share: a file that they
// map, in a directory of their own on a file system in memory. There, other users can neither read
// it nor take its name first, as they could in /dev/shm.
//
// It begins as zeros, and zeros must be a valid beginning of all that is in it: so there is nothing
// to initialise, and processes that start at the same moment need not wait for each other. It holds
// lock-free atomics only: so a process that is killed at any instruction leaves nothing locked.
// Directory and file belong to the user of the processes alone: whoever can write the file could
// lift every limit.
//
// No process removes it on leaving, as others may use it still. It lasts until remove() or until
// the host restarts. Removing it under running processes harms none of them, but those that start
// later share another one: it is for after the last has stopped.
class SharedMemory {
 public:
  // Maps the file "path", which is made, of "size" bytes, if there is none; so is its directory,
  // but not what that is in. All of it is reserved, so that a host short of memory is told here and
  // not by SIGBUS later.
  //
  // Throws std::runtime_error that says why it cannot be had: no memory; a directory or a file that
  // is a symbolic link, belongs to another user or is open to others; a file of another size.
  SharedMemory(const std::filesystem::path& path, std::size_t size);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  // The segment at "path" as it is, to be read only: writing to it would end the process. Also root
  // may look at another user's. Errors: the system's number - ENOENT: there is none, EACCES: it is
  // another user's, EINVAL: it is of another size, open to others or not its directory's owner's.
  [[nodiscard]] static tl::expected<std::unique_ptr<const SharedMemory>, int> look(
      const std::filesystem::path& path, std::size_t size);

  // Makes "place", any number, this object's until it is destroyed or its process ends, however
  // that comes about. False if it is somebody else's. (Open file description locks, fcntl(2).)
  [[nodiscard]] bool take_place(unsigned place) const;

  // Whether "place" is somebody else's.
  [[nodiscard]] bool is_taken(unsigned place) const;

  // The segment as what it holds: lock-free atomics and arrays of them. The address is that of a
  // page. REQUIRES: the segment has room for it.
  template <typename Layout>
  [[nodiscard]] Layout& as() const {
    static_assert(std::is_standard_layout_v<Layout> && std::is_trivially_destructible_v<Layout>);
    assert(sizeof(Layout) <= size_);
    return *static_cast<Layout*>(memory_);
  }

  // What follows "Layout" there: as many "Element"s as there is room for.
  template <typename Layout, typename Element>
  [[nodiscard]] std::span<Element> behind() const {
    static_assert(std::is_standard_layout_v<Element> && std::is_trivially_destructible_v<Element>);
    static_assert(sizeof(Layout) % alignof(Element) == 0);
    const std::size_t count = (size_ - sizeof(Layout)) / sizeof(Element);
    return {reinterpret_cast<Element*>(static_cast<char*>(memory_) + sizeof(Layout)), count};
  }

  // The name of a segment's file for what tells sites, and versions of the segment's layout, apart:
  // other parts, another name.
  [[nodiscard]] static std::string name_of(std::initializer_list<std::string_view> parts);

  // False if there is no such segment. Throws std::runtime_error if it cannot be removed.
  static bool remove(const std::filesystem::path& path);

 private:
  SharedMemory(int segment, void* memory, std::size_t size)
      : segment_(segment), size_(size), memory_(memory) {}

  int segment_;  // file descriptor
  std::size_t size_;
  void* memory_ = nullptr;
};

}  // namespace base
