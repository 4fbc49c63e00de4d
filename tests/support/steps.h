#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace support {

// Expects that the work of "read" grows no faster than the length of its text. For eight times as
// many repetitions of "piece", "read" may take at most nine times as many steps.
//
// A step is a basic block that runs, or a byte that memchr() reads. A busy machine does not change
// the number of steps. Steps are counted only in the program steps_test (tests/CMakeLists.txt).
// REQUIRES: no other thread runs.
void expect_linear_steps(std::string_view piece,
                         const std::function<void(const std::string& text)>& read);

}  // namespace support
