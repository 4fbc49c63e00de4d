#pragma once

#include <malloc.h>

namespace base {

// Gives back to the system what was freed after much was held for a moment: the C library keeps it
// otherwise. Takes some milliseconds. Safe for concurrent use.
inline void give_back_memory() { malloc_trim(0); }

}  // namespace base
