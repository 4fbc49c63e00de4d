#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

namespace admin {

// The argument that stands for standard input or standard output.
inline constexpr const char* kStandardStream = "-";

// The destination of a backup: standard output, or a new file that only its owner can read. The
// file never replaces an existing file, and has a temporary name until finish() is called. The
// destructor deletes the file unless finish() was called. All functions throw std::runtime_error if
// they fail.
class BackupOutput {
 public:
  // Fails if standard output is a terminal, because a terminal would corrupt the backup.
  explicit BackupOutput(const std::string& name);
  BackupOutput(const BackupOutput&) = delete;
  BackupOutput& operator=(const BackupOutput&) = delete;
  ~BackupOutput();

  void write(std::string_view text);
  void finish();

 private:
  class NewFile;

  std::unique_ptr<NewFile> file_;  // nullptr for standard output
};

// Opens a backup for reading. Standard input is first copied to an unnamed temporary file, because
// a restore reads the backup twice. Throws std::runtime_error if the backup cannot be opened.
[[nodiscard]] std::ifstream open_backup(const std::filesystem::path& path);

}  // namespace admin
