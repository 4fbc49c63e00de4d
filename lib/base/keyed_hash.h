#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace base {

// A random key in shared memory, on which processes agree without being told: zeros until the first
// of them looks.
struct SharedKey {
  std::array<std::atomic<std::uint64_t>, 2> words;
};

// Where things go in a table: a hash under a key that no client knows, so that none can choose keys
// that meet in one place (SipHash-2-4, https://www.aumasson.jp/siphash/siphash.pdf). Safe for
// concurrent use.
class KeyedHash {
 public:
  // Draws the key if nobody has yet.
  explicit KeyedHash(SharedKey& shared);
  explicit KeyedHash(std::array<std::uint64_t, 2> key) : key_(key) {}

  [[nodiscard]] std::uint64_t operator()(std::string_view message) const;

 private:
  std::array<std::uint64_t, 2> key_;
};

}  // namespace base
