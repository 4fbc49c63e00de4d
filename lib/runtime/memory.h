#pragma once

#include <malloc.h>

namespace runtime {

// Returns freed memory to the system. Call this function after a peak in memory use, because
// otherwise the C library would keep the memory. Takes a few milliseconds. Safe for concurrent use.
inline void give_back_memory() { malloc_trim(0); }

}  // namespace runtime
