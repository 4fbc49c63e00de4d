#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "setup/step.h"

namespace setup {

// What is at a path: a file, a link or nothing.
struct FileState {
  enum class Kind { nothing, file, link };

  Kind kind = Kind::nothing;
  std::string content;  // of the file, or the target of the link
  mode_t mode = 0644;   // of the file
  uid_t user = 0;
  gid_t group = 0;

  bool operator==(const FileState&) const = default;
};

// Errors of all functions: std::runtime_error that names the path and the reason.

[[nodiscard]] FileState state_of(const std::filesystem::path& path);

// Makes the path what "state" says. A file is replaced atomically and is on disk afterwards.
void make(const std::filesystem::path& path, const FileState& state);

// The content of a file; nothing if there is none.
[[nodiscard]] std::optional<std::string> content_of(const std::filesystem::path& path);

// Steps that change one path; undone, it is what it was. "purpose" is for the action, after the
// path.

// A file of root with this content. An existing file keeps its owners; its mode becomes "mode".
[[nodiscard]] Step write_file(const std::filesystem::path& path, const std::string& content,
                              mode_t mode, const std::string& purpose);

// As write_file(), but an existing file stays as it is.
[[nodiscard]] Step create_file(const std::filesystem::path& path, const std::string& content,
                               mode_t mode, const std::string& purpose);

// A new content for an existing file, which keeps its mode. A link's target is changed.
[[nodiscard]] Step edit_file(const std::filesystem::path& path, const std::string& content,
                             const std::string& action);

[[nodiscard]] Step link_file(const std::filesystem::path& path,
                             const std::filesystem::path& target);

// A file or a link.
[[nodiscard]] Step remove_file(const std::filesystem::path& path);

// A folder of root with mode 0755, and those that it is in. Undone, the new ones are removed.
[[nodiscard]] Step create_folder(const std::filesystem::path& path);

// Removes the folder if it is empty by then.
[[nodiscard]] Step remove_empty_folder(const std::filesystem::path& path);

}  // namespace setup
