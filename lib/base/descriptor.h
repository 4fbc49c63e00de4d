#pragma once

#include <unistd.h>

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

}  // namespace base
