#include "analytics/packed.h"

#include <gtest/gtest.h>

#include <limits>

namespace {

using analytics::Packer;
using analytics::Unpacker;

TEST(Packed, ComesBackAsItWas) {
  constexpr std::int64_t kNumbers[] = {0,
                                       1,
                                       -1,
                                       63,
                                       64,
                                       -64,
                                       -65,
                                       1000,
                                       -1000,
                                       std::numeric_limits<std::int64_t>::max(),
                                       std::numeric_limits<std::int64_t>::min()};
  Packer packer;
  for (const std::int64_t number : kNumbers) {
    packer.add_signed(number);
    packer.add(static_cast<std::uint64_t>(number));
    packer.add_fixed(number);
  }
  packer.add(std::string_view("post"));
  packer.add(std::string_view());
  Unpacker unpacker(packer.bytes());
  for (const std::int64_t number : kNumbers) {
    EXPECT_EQ(unpacker.signed_number(), number);
    EXPECT_EQ(unpacker.number(), static_cast<std::uint64_t>(number));
    EXPECT_EQ(unpacker.fixed_number(), number);
  }
  EXPECT_EQ(unpacker.text(), "post");
  EXPECT_EQ(unpacker.text(), "");
  EXPECT_TRUE(unpacker.is_at_end());
}

TEST(Packed, SmallNumbersTakeOneByte) {
  Packer packer;
  packer.add(std::uint64_t{127});
  packer.add_signed(-64);
  EXPECT_EQ(packer.bytes().size(), 2U);
}

TEST(Packed, DamagedBytesEnd) {
  const std::string bytes(40, '\xff');
  Unpacker unpacker(bytes);
  static_cast<void>(unpacker.number());
  EXPECT_TRUE(unpacker.is_at_end());
  Unpacker text("\x7fpost");
  EXPECT_EQ(text.text(), "post");
  EXPECT_TRUE(text.is_at_end());
}

}  // namespace
