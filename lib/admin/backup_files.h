#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

namespace admin {

// The name that stands for standard output or standard input.
inline constexpr const char* kStandardStream = "-";

// Where a backup is written: standard output, or a new file for its owner alone. The file gets its
// name when it is complete, and never replaces a file; without finish(), it is deleted. Errors of
// all functions: std::runtime_error.
class BackupOutput {
 public:
  // Refuses a terminal, which would change what passes through it.
  explicit BackupOutput(const std::string& name);
  BackupOutput(const BackupOutput&) = delete;
  BackupOutput& operator=(const BackupOutput&) = delete;
  ~BackupOutput();

  void write(std::string_view text);
  void finish();

 private:
  class NewFile;

  std::unique_ptr<NewFile> file_;  // nullptr: standard output
};

// Opens a backup for reading. A restore reads it twice, so standard input is first copied into a
// temporary file without a name. Errors: std::runtime_error.
[[nodiscard]] std::ifstream open_backup(const std::filesystem::path& path);

}  // namespace admin
