#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "setup/step.h"

// DESIGN. Setup runs as root, but also writes to folders owned by other users, such as WordPress's
// wp-content. The owner of a folder may replace the files and subfolders in it at any time, so
// setup opens each folder once and performs all operations relative to the open folder. No
// operation follows a link that has replaced a file. The last folder in a path may be a link only
// if root owns the link. Links in earlier parts of the path are followed. The owner of a link in an
// earlier part of the path can redirect the operation to a different place, but cannot change the
// names of the last folder and the file.

namespace setup {

// The file or link at a path. If the path does not exist, "kind" is "nothing".
struct FileState {
  enum class Kind { nothing, file, link };

  Kind kind = Kind::nothing;
  std::string content;  // the content of the file or the target of the link
  mode_t mode = 0644;   // the mode of the file
  uid_t user = 0;
  gid_t group = 0;

  bool operator==(const FileState&) const = default;
};

// On failure, all functions throw std::runtime_error with the path and the reason. A step throws
// setup::Error if the path has changed since the step was created.

[[nodiscard]] FileState state_of(const std::filesystem::path& path);

// Returns the content of a file, or nothing if the file does not exist.
[[nodiscard]] std::optional<std::string> content_of(const std::filesystem::path& path);

// Each of the following functions returns a step that changes one file or link. The undo function
// restores the previous file or link. The step's description for the operator contains the path and
// "purpose". Files are replaced atomically and flushed to disk.

// Writes a file with the given content and mode. Root owns the new file, even if a different user
// owned the old file.
[[nodiscard]] Step write_file(const std::filesystem::path& path, const std::string& content,
                              mode_t mode, const std::string& purpose);

// Like write_file(), but leaves an existing file unchanged.
[[nodiscard]] Step create_file(const std::filesystem::path& path, const std::string& content,
                               mode_t mode, const std::string& purpose);

// Changes the content of an existing file and preserves its mode. If the path is a link, changes
// the link's target.
[[nodiscard]] Step edit_file(const std::filesystem::path& path, const std::string& content,
                             const std::string& action);

[[nodiscard]] Step link_file(const std::filesystem::path& path,
                             const std::filesystem::path& target);

// Removes a file or a link.
[[nodiscard]] Step remove_file(const std::filesystem::path& path);

// The owner of a new folder: either root or the owner of the parent folder. Root's ownership does
// not protect a folder, because the owner of the parent folder can replace the folder.
enum class FolderOwner { root, as_parent };

// Creates a folder and its missing parent folders with mode 0755. The undo function removes the new
// folders.
[[nodiscard]] Step create_folder(const std::filesystem::path& path,
                                 FolderOwner owner = FolderOwner::root);

// Removes the folder if it is empty when the step is applied.
[[nodiscard]] Step remove_empty_folder(const std::filesystem::path& path);

}  // namespace setup
