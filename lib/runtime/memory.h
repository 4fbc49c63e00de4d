#pragma once

#include <malloc.h>

namespace runtime {

// Returns freed memory to the operating system within a few milliseconds. Call this function after
// a peak in memory use, because otherwise the C library keeps the freed memory. The function is
// thread-safe.
inline void give_back_memory() { malloc_trim(0); }

}  // namespace runtime
