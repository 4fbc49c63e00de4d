#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace analytics {

// Serializes numbers and strings with varints and zigzag encoding, as in Protocol Buffers.
class Packer {
 public:
  void add(std::uint64_t number) {
    for (; number >= kMore; number >>= kBits) {
      bytes_ += static_cast<char>((number & (kMore - 1)) | kMore);
    }
    bytes_ += static_cast<char>(number);
  }
  void add_signed(std::int64_t number) {
    const auto bits = static_cast<std::uint64_t>(number);
    add(bits << 1U ^ (number < 0 ? ~std::uint64_t{0} : 0));
  }
  // Adds a number as eight bytes, because a varint for a large number can be longer.
  void add_fixed(std::int64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      bytes_ += static_cast<char>(static_cast<std::uint64_t>(number) >> shift);
    }
  }
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    bytes_ += text;
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  friend class Unpacker;
  static constexpr std::uint64_t kMore = 0x80;
  static constexpr unsigned kBits = 7;

  std::string bytes_;
};

// Deserializes the output of Packer. The values must be read in the order in which they were added.
// Damaged input results in arbitrary numbers, but nothing is read beyond the end of the input.
class Unpacker {
 public:
  // "bytes" must outlive this object.
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }

  std::uint64_t number() {
    const bool is_short =
        !rest_.empty() && static_cast<unsigned char>(rest_.front()) < Packer::kMore;
    return is_short ? byte() : long_number();
  }
  std::int64_t signed_number() {
    const std::uint64_t bits = number();
    return static_cast<std::int64_t>(bits >> 1U ^ ((bits & 1U) != 0 ? ~std::uint64_t{0} : 0));
  }
  std::int64_t fixed_number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 8) {
      number |= std::uint64_t{byte()} << shift;
    }
    return static_cast<std::int64_t>(number);
  }
  std::string_view text() {
    const std::uint64_t size = number();
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(text.size());
    return text;
  }

 private:
  unsigned char byte() {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }
  std::uint64_t long_number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; !rest_.empty(); shift += Packer::kBits) {
      const std::uint64_t next = byte();
      if (shift < 64) number |= (next & (Packer::kMore - 1)) << shift;
      if (next < Packer::kMore) break;
    }
    return number;
  }

  std::string_view rest_;
};

}  // namespace analytics
