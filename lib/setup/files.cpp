#include "setup/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/descriptor.h"

namespace setup {
namespace fs = std::filesystem;
namespace {

constexpr mode_t kModeBits = 07777;
constexpr const char* kNewSuffix = ".ratingd-new";  // the suffix of an incomplete file

// The maximum number of bytes read from a file. Setup reads other users' files, and a huge file
// could exhaust memory.
constexpr std::size_t kMaxFile = std::size_t{16} << 20U;

[[noreturn]] void fail(const fs::path& path, int reason) {
  throw std::runtime_error(path.string() + ": " + std::strerror(reason));
}

std::string octal(mode_t mode) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%04o", mode);
  return text.data();
}

bool is_own_link(const fs::path& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode) &&
         (status.st_uid == 0 || status.st_uid == geteuid());
}

// Opens a folder and returns its descriptor. On failure, returns -1 and sets errno. Links are
// accepted only if root owns them (files.h).
int open_folder(const fs::path& path) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  const int folder = open(path.c_str(), kFlags | O_NOFOLLOW);
  if (folder >= 0 || errno != ENOTDIR) return folder;
  if (is_own_link(path)) return open(path.c_str(), kFlags);
  errno = ENOTDIR;
  return -1;
}

[[noreturn]] void fail_to_open(const fs::path& folder, int reason) {
  if (reason != ENOTDIR || !fs::is_symlink(folder)) fail(folder, reason);
  throw std::runtime_error(folder.string() + " is a link that does not belong to root");
}

int open_existing_folder(const fs::path& path) {
  const int folder = open_folder(path);
  if (folder < 0) fail_to_open(path, errno);
  return folder;
}

FileState with_owners(const struct stat& status, FileState::Kind kind, std::string content) {
  return {kind, std::move(content), status.st_mode & kModeBits, status.st_uid, status.st_gid};
}

FileState state_of_link(int folder, const fs::path& path, const struct stat& status) {
  std::array<char, PATH_MAX> target{};
  const ssize_t size = readlinkat(folder, path.filename().c_str(), target.data(), target.size());
  if (size < 0) fail(path, errno);
  return with_owners(status, FileState::Kind::link,
                     std::string(target.data(), static_cast<std::size_t>(size)));
}

// The following functions access the file relative to the open folder "folder", and use "path" only
// for the file name and for error messages.
FileState state_in(int folder, const fs::path& path) {
  struct stat status {};
  if (fstatat(folder, path.filename().c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return {};
    fail(path, errno);
  }
  if (S_ISLNK(status.st_mode)) return state_of_link(folder, path, status);
  // The folder's owner may replace the file with a link or a pipe at any time, so openat() must not
  // follow links or block on pipes.
  const base::Descriptor file(
      openat(folder, path.filename().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open() || fstat(file.number(), &status) != 0) fail(path, errno);
  if (!S_ISREG(status.st_mode)) throw std::runtime_error(path.string() + " is not a file");
  auto content = base::read_all(file, kMaxFile + 1);
  if (!content) fail(path, errno);
  if (content->size() > kMaxFile) fail(path, EFBIG);
  return with_owners(status, FileState::Kind::file, *std::move(content));
}

void replace_file(int folder, const fs::path& path, const FileState& state) {
  const std::string name = path.filename();
  const std::string successor = name + kNewSuffix;
  const base::Descriptor file(openat(folder, successor.c_str(),
                                     O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) fail(path, errno);
  // Only root can change the owner of a file.
  const auto give_away = [&] {
    return geteuid() != 0 || fchown(file.number(), state.user, state.group) == 0;
  };
  if (!base::write_all(file, state.content) || !give_away() ||
      fchmod(file.number(), state.mode) != 0 || fsync(file.number()) != 0 ||
      renameat(folder, successor.c_str(), folder, name.c_str()) != 0) {
    const int reason = errno;
    unlinkat(folder, successor.c_str(), 0);
    fail(path, reason);
  }
  fsync(folder);  // a failure affects only durability
}

void replace_link(int folder, const fs::path& path, const std::string& target) {
  const std::string name = path.filename();
  const std::string successor = name + kNewSuffix;
  if (symlinkat(target.c_str(), folder, successor.c_str()) != 0) fail(path, errno);
  if (renameat(folder, successor.c_str(), folder, name.c_str()) != 0) {
    const int reason = errno;
    unlinkat(folder, successor.c_str(), 0);
    fail(path, reason);
  }
}

void make_in(int folder, const fs::path& path, const FileState& state) {
  // A killed setup process may have left a temporary file behind.
  unlinkat(folder, (path.filename().string() + kNewSuffix).c_str(), 0);
  switch (state.kind) {
    case FileState::Kind::file:
      return replace_file(folder, path, state);
    case FileState::Kind::link:
      return replace_link(folder, path, state.content);
    case FileState::Kind::nothing:
      break;
  }
  if (unlinkat(folder, path.filename().c_str(), 0) != 0 && errno != ENOENT) fail(path, errno);
}

bool is_removed(int folder) {
  struct stat status {};
  return fstat(folder, &status) == 0 && status.st_nlink == 0;
}

// Returns a step that changes the file or link at "path" from the state "before" to the state
// "after". The step fails if the current state differs from "before".
Step change(const fs::path& path, const FileState& before, const FileState& after,
            std::vector<std::string> actions) {
  // The undo function restores the file in the same open folder, even if the folder was moved after
  // the step was applied.
  const auto changed = std::make_shared<std::optional<base::Descriptor>>();
  return {.actions = std::move(actions),
          .apply =
              [=] {
                const int folder = open_existing_folder(path.parent_path());
                changed->emplace(folder);
                if (state_in(folder, path) != before) {
                  changed->reset();
                  throw Error(path.string() +
                              " was changed by somebody else meanwhile. Repeat this command.");
                }
                make_in(folder, path, after);
              },
          .undo =
              [=] {
                if (!*changed) return;
                if (is_removed((*changed)->number())) {  // the folder may have been created again
                  changed->emplace(open_existing_folder(path.parent_path()));
                }
                make_in((*changed)->number(), path, before);
              }};
}

// Changes the owner of a new folder to the owner of "parent". The owner of "parent" may replace the
// new folder, but cannot gain ownership of other folders, because openat() does not follow links
// here, and folders cannot have hard links.
void give_to_owner_of(const base::Descriptor& parent, const fs::path& folder) {
  struct stat of_parent {};
  const base::Descriptor made(openat(parent.number(), folder.filename().c_str(),
                                     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!made.is_open() || fstat(parent.number(), &of_parent) != 0 ||
      fchown(made.number(), of_parent.st_uid, of_parent.st_gid) != 0) {
    fail(folder, errno);
  }
}

}  // namespace

FileState state_of(const fs::path& path) {
  const base::Descriptor folder(open_folder(path.parent_path()));
  if (folder.is_open()) return state_in(folder.number(), path);
  const int reason = errno;
  const bool is_missing = reason == ENOENT || reason == ENOTDIR;
  if (is_missing && !fs::is_symlink(path.parent_path())) return {};
  fail_to_open(path.parent_path(), reason);
}

std::optional<std::string> content_of(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  if (error) return std::nullopt;
  FileState state = state_of(target);
  return std::move(state.content);
}

Step write_file(const fs::path& path, const std::string& content, mode_t mode,
                const std::string& purpose) {
  const FileState before = state_of(path);
  const FileState after = {FileState::Kind::file, content, mode, geteuid(), getegid()};
  if (after == before) return {};
  const bool is_new = before.kind == FileState::Kind::nothing;
  return change(path, before, after,
                {(is_new ? "write " : "replace ") + path.string() + " (" + octal(mode) + ")" +
                 (purpose.empty() ? "" : ": " + purpose)});
}

Step create_file(const fs::path& path, const std::string& content, mode_t mode,
                 const std::string& purpose) {
  if (state_of(path).kind != FileState::Kind::nothing) return {};
  return write_file(path, content, mode, purpose);
}

Step edit_file(const fs::path& path, const std::string& content, const std::string& action) {
  const fs::path target = fs::canonical(path);
  const FileState before = state_of(target);
  if (before.content == content) return {};
  FileState after = before;
  after.content = content;
  return change(target, before, after, {action});
}

Step link_file(const fs::path& path, const fs::path& target) {
  const FileState before = state_of(path);
  if (before.kind == FileState::Kind::link && before.content == target) return {};
  FileState after = before;
  after.kind = FileState::Kind::link;
  after.content = target.string();
  return change(path, before, after, {"link " + path.string() + " to " + target.string()});
}

Step remove_file(const fs::path& path) {
  const FileState before = state_of(path);
  if (before.kind == FileState::Kind::nothing) return {};
  return change(path, before, FileState{}, {"remove " + path.string()});
}

Step create_folder(const fs::path& path, FolderOwner owner) {
  if (fs::is_directory(path)) return {};
  std::vector<fs::path> missing;
  for (fs::path folder = path; !fs::exists(folder); folder = folder.parent_path()) {
    missing.insert(missing.begin(), folder);
  }
  if (missing.empty()) fail(path, ENOTDIR);
  const base::Descriptor first(
      // open_existing_folder() throws an exception if the folder is a link not owned by root.
      open_existing_folder(missing.front().parent_path()));
  const auto created = std::make_shared<std::vector<fs::path>>();
  const auto apply = [=] {
    for (const fs::path& folder : missing) {
      const base::Descriptor parent(open_existing_folder(folder.parent_path()));
      const mode_t before = umask(022);  // independent of the operator's umask
      const bool is_made = mkdirat(parent.number(), folder.filename().c_str(), 0755) == 0;
      umask(before);
      if (is_made) {
        created->push_back(folder);
        if (owner == FolderOwner::as_parent) give_to_owner_of(parent, folder);
      } else if (errno != EEXIST) {  // an earlier step may have created the folder
        fail(folder, errno);
      }
    }
  };
  const auto undo = [=] {
    for (; !created->empty(); created->pop_back()) {
      if (rmdir(created->back().c_str()) != 0 && errno != ENOENT) fail(created->back(), errno);
    }
  };
  return {{"create the folder " + path.string()}, apply, undo};
}

Step remove_empty_folder(const fs::path& path) {
  if (!fs::is_directory(path)) return {};
  const auto removed = std::make_shared<bool>(false);
  return {{"remove the folder " + path.string() + ", if it is empty"},
          [=] { *removed = rmdir(path.c_str()) == 0; },
          [=] {
            if (*removed && mkdir(path.c_str(), 0755) != 0) fail(path, errno);
          }};
}

}  // namespace setup
