#include "admin/backup_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <stdexcept>

#include "admin/output.h"
#include "base/descriptor.h"

namespace admin {
namespace {

namespace fs = std::filesystem;

// Copies standard input into an unnamed temporary file, because a restore reads the backup twice.
std::ifstream copy_of_input() {
  std::string name = (fs::temp_directory_path() / "ratingd.XXXXXX").string();
  const base::Descriptor file(mkostemp(name.data(), O_CLOEXEC));  // with mode 0600
  if (!file.is_open()) throw file_error(name);
  std::ifstream copy(name, std::ios::binary);
  unlink(name.c_str());
  std::array<char, 65536> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), stdin)) {
    if (!base::write_all(file, {buffer.data(), count})) throw file_error(name);
  }
  if (std::ferror(stdin) != 0) throw file_error("standard input");
  return copy;
}

}  // namespace

class BackupOutput::NewFile {
 public:
  explicit NewFile(const fs::path& path)
      : path_(path), unfinished_(path.string() + ".XXXXXX"), file_(make()) {}
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (!is_finished_) unlink(unfinished_.c_str());
  }

  void write(std::string_view text) {
    if (!base::write_all(file_, text)) throw file_error(path_);
  }

  void finish() {
    if (fsync(file_.number()) != 0 || !give_name()) throw file_error(path_);
    is_finished_ = true;
    const base::Descriptor folder(
        open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.is_open() || fsync(folder.number()) != 0) throw file_error(path_);
  }

 private:
  static fs::path folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
  }

  int make() {
    if (fs::exists(fs::symlink_status(path_))) {
      throw std::runtime_error(
          path_.string() +
          " exists already, and backup never overwrites a file. Choose another name.");
    }
    const int file = mkostemp(unfinished_.data(), O_CLOEXEC);  // with mode 0600
    if (file < 0) throw file_error(path_);
    return file;
  }

  // Renames the file to its final name without overwriting an existing file. Tries two system
  // calls, because NFS does not support RENAME_NOREPLACE, and some other file systems do not
  // support hard links.
  bool give_name() {
    const char* const old_name = unfinished_.c_str();
    if (renameat2(AT_FDCWD, old_name, AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) == 0) return true;
    return errno == EINVAL && link(old_name, path_.c_str()) == 0 && unlink(old_name) == 0;
  }

  const fs::path path_;
  std::string unfinished_;
  const base::Descriptor file_;
  bool is_finished_ = false;
};

BackupOutput::BackupOutput(const std::string& name) {
  if (name != kStandardStream) {
    file_ = std::make_unique<NewFile>(name);
  } else if (isatty(STDOUT_FILENO) == 1) {
    throw std::runtime_error(
        "Standard output is a terminal, which would damage the backup. Write it to a file, as in: "
        "ratingctl backup - >FILE (docker compose exec requires -T)");
  }
}

BackupOutput::~BackupOutput() = default;

void BackupOutput::write(std::string_view text) {
  if (file_) return file_->write(text);
  const base::Descriptor out(dup(STDOUT_FILENO));
  if (!out.is_open() || !base::write_all(out, text)) throw file_error("standard output");
}

void BackupOutput::finish() {
  if (file_) file_->finish();
}

std::ifstream open_backup(const fs::path& path) {
  if (path == kStandardStream) return copy_of_input();
  if (!fs::is_regular_file(path)) throw std::runtime_error(path.string() + " is not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw file_error(path);
  return file;
}

}  // namespace admin
