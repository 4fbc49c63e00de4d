#pragma once

#include <string>

namespace support {

// The text of a file, which is named by its path below tests/. Empty if there is none.
std::string text_in_tests(const std::string& path);

}  // namespace support
