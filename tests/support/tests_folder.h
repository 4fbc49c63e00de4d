#pragma once

#include <string>

namespace support {

// Returns the text of a file, or an empty string if the file does not exist. "path" is relative to
// tests/.
std::string text_in_tests(const std::string& path);

}  // namespace support
