#pragma once

#include <malloc.h>

namespace runtime {

// Returns freed memory to the system after a peak in use. Otherwise the C library would keep it.
// Takes a few milliseconds. Safe for concurrent use.
inline void give_back_memory() { malloc_trim(0); }

}  // namespace runtime
