#include "base/counted.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(base::counted(0, "second", "seconds"), "0 seconds");
  EXPECT_EQ(base::counted(std::uint64_t{1}, "address", "addresses"), "1 address");
  EXPECT_EQ(base::counted(std::int64_t{2}, "address", "addresses"), "2 addresses");
}

}  // namespace
