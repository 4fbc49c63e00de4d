#pragma once

#include <string>

namespace support {

// Returns the text of a file. "path" is relative to tests/. Returns an empty text if there is no
// such file.
std::string text_in_tests(const std::string& path);

}  // namespace support
