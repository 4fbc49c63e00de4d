#include "setup/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

namespace setup {
namespace fs = std::filesystem;
namespace {

constexpr mode_t kModeBits = 07777;

[[noreturn]] void fail(const fs::path& path, int reason) {
  throw std::runtime_error(path.string() + ": " + std::strerror(reason));
}

std::string octal(mode_t mode) {
  std::string text;
  for (int shift = 9; shift >= 0; shift -= 3) {
    text += static_cast<char>('0' + ((mode >> static_cast<unsigned>(shift)) & 7U));
  }
  return text;
}

// A rename is durable after its folder was synced. If that fails, only durability is at risk.
void sync_folder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void replace_file(const fs::path& path, const FileState& state) {
  const fs::path successor = path.string() + ".ratingd-new";
  unlink(successor.c_str());  // of a run that was killed
  const int descriptor =
      open(successor.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) fail(successor, errno);
  errno = 0;
  write_all(descriptor, state.content);
  // Only root can give a file away; others own what they write.
  const bool owned = geteuid() != 0 || fchown(descriptor, state.user, state.group) == 0;
  const bool complete =
      errno == 0 && owned && fchmod(descriptor, state.mode) == 0 && fsync(descriptor) == 0;
  const int reason = errno;
  close(descriptor);
  if (!complete || rename(successor.c_str(), path.c_str()) != 0) {
    const int cause = complete ? errno : reason;
    unlink(successor.c_str());
    fail(path, cause);
  }
  sync_folder(path.parent_path());
}

void replace_link(const fs::path& path, const fs::path& target) {
  const fs::path successor = path.string() + ".ratingd-new";
  unlink(successor.c_str());
  if (symlink(target.c_str(), successor.c_str()) != 0) fail(successor, errno);
  if (rename(successor.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    unlink(successor.c_str());
    fail(path, reason);
  }
}

// The step that makes "path" what "after" says.
Step change(const fs::path& path, const FileState& after, std::vector<std::string> actions) {
  const auto before = std::make_shared<std::optional<FileState>>();
  return {.actions = std::move(actions),
          .apply =
              [=] {
                *before = state_of(path);
                make(path, after);
              },
          .undo =
              [=] {
                if (*before) make(path, **before);
              }};
}

}  // namespace

FileState state_of(const fs::path& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    fail(path, errno);
  }
  FileState state;
  state.mode = status.st_mode & kModeBits;
  state.user = status.st_uid;
  state.group = status.st_gid;
  if (S_ISLNK(status.st_mode)) {
    state.kind = FileState::Kind::link;
    state.content = fs::read_symlink(path).string();
    return state;
  }
  if (!S_ISREG(status.st_mode)) throw std::runtime_error(path.string() + " is not a file");
  state.kind = FileState::Kind::file;
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, errno);
  state.content.assign(std::istreambuf_iterator<char>(file), {});
  return state;
}

void make(const fs::path& path, const FileState& state) {
  switch (state.kind) {
    case FileState::Kind::file:
      return replace_file(path, state);
    case FileState::Kind::link:
      return replace_link(path, state.content);
    case FileState::Kind::nothing:
      break;
  }
  if (unlink(path.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR) fail(path, errno);
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
  FileState after = state_of(path);
  const FileState before = after;
  if (before.kind != FileState::Kind::file) after = FileState{};  // of root
  after.kind = FileState::Kind::file;
  after.content = content;
  after.mode = mode;
  if (after == before) return {};
  const bool is_new = before.kind == FileState::Kind::nothing;
  return change(path, after,
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
  FileState after = state_of(target);
  if (after.content == content) return {};
  after.content = content;
  return change(target, after, {action});
}

Step link_file(const fs::path& path, const fs::path& target) {
  FileState after = state_of(path);
  if (after.kind == FileState::Kind::link && after.content == target) return {};
  after.kind = FileState::Kind::link;
  after.content = target.string();
  return change(path, after, {"link " + path.string() + " to " + target.string()});
}

Step remove_file(const fs::path& path) {
  if (state_of(path).kind == FileState::Kind::nothing) return {};
  return change(path, FileState{}, {"remove " + path.string()});
}

Step create_folder(const fs::path& path) {
  if (fs::is_directory(path)) return {};
  const auto created = std::make_shared<std::vector<fs::path>>();
  const auto apply = [=] {
    std::vector<fs::path> missing;
    for (fs::path folder = path; !fs::exists(folder); folder = folder.parent_path()) {
      missing.push_back(folder);
    }
    for (; !missing.empty(); missing.pop_back()) {
      if (mkdir(missing.back().c_str(), 0755) != 0) fail(missing.back(), errno);
      created->push_back(missing.back());
      if (chmod(missing.back().c_str(), 0755) != 0) fail(missing.back(), errno);  // any umask
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
