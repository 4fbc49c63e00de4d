#pragma once

#include <filesystem>

#include "base/descriptor.h"

namespace base {

// Opens a file for reading. Neither this nor reading waits: not for a pipe's other end, and not for
// a kernel log's next line. Returns -1 with the reason in errno: EINVAL - not a file or a character
// device; else as open().
[[nodiscard]] Descriptor open_at_once(const std::filesystem::path& path);

// The same, of a file in other people's hands, such as a customer's wp-config.php. Root may read
// everything, so it does not go where a link of somebody else leads, unless the file belongs to the
// owner of the link. Nobody can exchange the file between this check and the opening. EPERM - there
// is such a link.
[[nodiscard]] Descriptor open_foreign_file(const std::filesystem::path& path);

}  // namespace base
