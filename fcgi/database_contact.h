#pragma once

#include <filesystem>

#include "base/descriptor.h"

namespace fcgi {

// Which workers of this host can use the site's database at the moment: a lock that they share, on
// their runtime directory. It does not depend on the database that a worker is configured for, as
// shared memory does, and ends with the process. Errors: std::system_error.
class DatabaseContact {
 public:
  explicit DatabaseContact(const std::filesystem::path& runtime_dir);

  // Whether this worker can use the database now.
  void set(bool has_contact);

  // Whether another worker can.
  [[nodiscard]] bool has_another() const;

 private:
  const base::Descriptor folder_;
};

}  // namespace fcgi
