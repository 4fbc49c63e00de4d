#pragma once

#include <string>

namespace support {

// Returns the text of a file, whose path is relative to tests/. Empty if the file does not exist.
std::string text_in_tests(const std::string& path);

}  // namespace support
