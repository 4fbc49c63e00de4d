#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace base {

// A random key in shared memory that all processes use. It is zero until the first process sets it.
struct SharedKey {
  std::array<std::atomic<std::uint64_t>, 2> words;
};

// A keyed hash for hash tables (SipHash-2-4, https://www.aumasson.jp/siphash/siphash.pdf). Clients
// do not know the key, so they cannot choose keys that collide. Safe for concurrent use.
class KeyedHash {
 public:
  // Sets a random key if no process has set one yet.
  explicit KeyedHash(SharedKey& shared);
  explicit KeyedHash(std::array<std::uint64_t, 2> key) : key_(key) {}

  [[nodiscard]] std::uint64_t operator()(std::string_view message) const;

 private:
  std::array<std::uint64_t, 2> key_;
};

}  // namespace base
