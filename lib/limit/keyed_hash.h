#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace limit {

// A random key in shared memory, on which processes agree without being told: zeros until the first
// of them looks.
struct SharedKey {
  std::array<std::atomic<std::uint64_t>, 2> words;
};

// Where things go in a table: a hash under a key that no client knows, so that none can choose keys
// that meet in one place. Safe for concurrent use.
class KeyedHash {
 public:
  // Draws the key if nobody has yet.
  explicit KeyedHash(SharedKey& shared);

  [[nodiscard]] std::uint64_t operator()(std::string_view message) const;

 private:
  std::string key_;
};

}  // namespace limit
