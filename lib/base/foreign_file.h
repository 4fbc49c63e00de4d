#pragma once

#include <filesystem>

#include "base/descriptor.h"

namespace base {

// Opens a file for reading. Neither this nor reading waits: not for a pipe's other end, and not for
// a kernel log's next line. Returns -1 with the reason in errno: EINVAL - not a file or a character
// device; else as open().
[[nodiscard]] Descriptor open_at_once(const std::filesystem::path& path);

// The same, of a file of another account, such as a customer's wp-config.php. Root may read
// everything, so it follows a link of another account only to a file of the link's owner. The file
// that was checked is the one that is opened, even if the path is changed meanwhile. EPERM - there
// is a link that is not followed.
[[nodiscard]] Descriptor open_foreign_file(const std::filesystem::path& path);

}  // namespace base
