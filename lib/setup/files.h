#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "setup/step.h"

// DESIGN. Root also writes below folders that others own, such as WordPress's wp-content. The
// folder's owner may exchange a file or a folder there at any time. So a file's folder is opened
// once, and all operations are relative to the open folder. A file must not be a link. Its folder
// must not be a link either, unless root owns the link. Links earlier in the path are followed. The
// owner of such a link can choose where the folder is, but not the names of the folder and the
// file.

namespace setup {

// The state of a path: a file, a link or nothing.
struct FileState {
  enum class Kind { nothing, file, link };

  Kind kind = Kind::nothing;
  std::string content;  // the file's content or the link's target
  mode_t mode = 0644;   // the file's mode
  uid_t user = 0;
  gid_t group = 0;

  bool operator==(const FileState&) const = default;
};

// Errors (all functions): std::runtime_error, whose text names the path and the reason. Steps also
// throw Error if the path has changed since the step was created.

[[nodiscard]] FileState state_of(const std::filesystem::path& path);

// Returns the content of a file, or nothing if there is no file.
[[nodiscard]] std::optional<std::string> content_of(const std::filesystem::path& path);

// Each of these steps changes one path. Undo restores the previous state. "purpose" is a string
// that follows the path in the action. A file is replaced atomically and is on disk afterwards.

// Writes a file that belongs to root, with this content and mode. The file may have belonged to
// somebody else.
[[nodiscard]] Step write_file(const std::filesystem::path& path, const std::string& content,
                              mode_t mode, const std::string& purpose);

// Does the same as write_file(), but leaves an existing file unchanged.
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

// The owner of a new folder: root, or the owner of the parent folder, who may replace the new
// folder anyway.
enum class FolderOwner { root, as_parent };

// Creates a folder with mode 0755, and its missing parent folders. Undo removes the new folders.
[[nodiscard]] Step create_folder(const std::filesystem::path& path,
                                 FolderOwner owner = FolderOwner::root);

// If the folder is empty when the step is applied, removes it.
[[nodiscard]] Step remove_empty_folder(const std::filesystem::path& path);

}  // namespace setup
