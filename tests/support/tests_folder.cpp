#include "support/tests_folder.h"

#include <fstream>
#include <iterator>

namespace support {

std::string text_in_tests(const std::string& path) {
  std::ifstream file(RATINGD_TESTS_FOLDER "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace support
