#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/memory_folder.h"

namespace support {

// Creates a new folder for each test.
class FolderTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path path(const std::string& name) const {
    return folder_.path() / name;
  }
  // Writes a file. Creates missing folders.
  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(path(name).parent_path());
    std::ofstream(path(name)) << text;
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const MemoryFolder folder_;
};

}  // namespace support
