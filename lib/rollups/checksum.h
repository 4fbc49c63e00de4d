#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace rollups {

// A checksum over sums by key. It is the sum over all rows of (value * random number of the key),
// modulo 2^64. Rows may come in any order and in parts. If two sides have the same sums by key, the
// checksum of their difference is zero. Otherwise, it is zero with a probability of about 2^-60. A
// value type.
class Checksum {
 public:
  // Computes the random numbers for a key. The parts of the key are added in their order.
  class Key {
   public:
    explicit Key(std::uint64_t seed) : hash_(seed) {}
    Key& add(std::uint64_t part) {
      hash_ = mixed(hash_ ^ mixed(part));
      return *this;
    }
    Key& add(std::string_view part) {
      add(part.size());
      for (; !part.empty(); part.remove_prefix(std::min(part.size(), sizeof(std::uint64_t)))) {
        std::uint64_t word = 0;
        std::memcpy(&word, part.data(), std::min(part.size(), sizeof word));
        add(word);
      }
      return *this;
    }

   private:
    friend class Checksum;
    std::uint64_t hash_;
  };

  // Adds the sums in a row to the checksum.
  void count(const Key& key, const std::vector<std::int64_t>& sums) {
    std::uint64_t place = 0;
    for (const std::int64_t sum : sums) {
      const std::uint64_t random = mixed(key.hash_ + ++place * kGolden) | 1U;
      sum_ += random * static_cast<std::uint64_t>(sum);
    }
  }
  Checksum& operator+=(const Checksum& more) {
    sum_ += more.sum_;
    return *this;
  }
  [[nodiscard]] bool is_zero() const { return sum_ == 0; }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;

  // The finalizer of SplitMix64 (Steele, Lea, Flood, 2014).
  static constexpr std::uint64_t mixed(std::uint64_t value) {
    value = (value + kGolden) ^ ((value + kGolden) >> 30U);
    value *= 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31U);
  }

  std::uint64_t sum_ = 0;
};

}  // namespace rollups
