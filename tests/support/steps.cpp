#include "support/steps.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace {

std::uint64_t steps = 0;

}  // namespace

// The compiler option -fsanitize-coverage=trace-pc adds a call to __sanitizer_cov_trace_pc() to
// each basic block. The linker option --wrap=memchr replaces calls to memchr() with calls to
// __wrap_memchr().
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)
extern "C" {

void __sanitizer_cov_trace_pc() { ++steps; }

void* __real_memchr(const void* bytes, int byte, std::size_t size);

void* __wrap_memchr(const void* bytes, int byte, std::size_t size) {
  void* const found = __real_memchr(bytes, byte, size);
  const auto* const begin = static_cast<const char*>(bytes);
  steps += found == nullptr ? size : static_cast<std::size_t>(static_cast<char*>(found) - begin);
  return found;
}
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)

namespace support {

void expect_linear_steps(std::string_view piece,
                         const std::function<void(const std::string& text)>& read) {
  const auto steps_for = [&](std::size_t repetitions) {
    std::string text;
    for (std::size_t i = 0; i < repetitions; ++i) text += piece;
    const std::uint64_t before = steps;
    read(text);
    return steps - before;
  };
  // Repeat the piece an even number of times, so that all quotation marks are paired.
  const std::size_t repetitions = 4096 / piece.size() * 2;
  const std::uint64_t few = steps_for(repetitions);
  EXPECT_GT(few, 0U) << "The code that reads the text is not counted.";
  EXPECT_LE(steps_for(8 * repetitions), 9 * few) << piece;
}

}  // namespace support
