#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "setup/step.h"

// DESIGN. Root also writes below folders that others own, such as WordPress's wp-content, and they
// may exchange what is there at any time. So the folder of a file is opened once, what is done
// there is done relative to it, and no link is followed: neither at the file nor at its folder,
// unless that link belongs to root. Links earlier in the path are followed: the account that owns
// one can choose where the folder is, but not the names of the folder and the file.

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

// Errors of all functions: std::runtime_error that names the path and the reason; of the steps also
// Error - the path is not what it was when the step was made.

[[nodiscard]] FileState state_of(const std::filesystem::path& path);

// The content of a file; nothing if there is none.
[[nodiscard]] std::optional<std::string> content_of(const std::filesystem::path& path);

// Steps that change one path; undone, it is what it was. "purpose" is for the action, after the
// path. A file is replaced atomically and is on disk afterwards.

// A file of root with this content and mode, also if the file belonged to somebody else.
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

// Who owns a new folder: root, or the owner of the folder that it is in, who may replace it anyway.
enum class FolderOwner { root, as_parent };

// A folder with mode 0755, and those that it is in. Undone, the new ones are removed.
[[nodiscard]] Step create_folder(const std::filesystem::path& path,
                                 FolderOwner owner = FolderOwner::root);

// Removes the folder if it is empty by then.
[[nodiscard]] Step remove_empty_folder(const std::filesystem::path& path);

}  // namespace setup
