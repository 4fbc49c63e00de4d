#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace support {

// Expects that the running time of the function "read" is linear in the length of its text. If the
// text contains "piece" eight times as often, the function may take at most nine times as many
// steps.
//
// A step is an executed basic block, or a byte that memchr() reads. The number of steps does not
// depend on the load of the machine. Steps are counted only in the program steps_test
// (tests/CMakeLists.txt). Call this function only in a single-threaded program, because all threads
// share the step counter.
void expect_linear_steps(std::string_view piece,
                         const std::function<void(const std::string& text)>& read);

}  // namespace support
