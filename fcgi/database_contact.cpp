#include "fcgi/database_contact.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace fcgi {
namespace {

base::Descriptor open_folder(const std::filesystem::path& path) {
  const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) throw std::system_error(errno, std::generic_category(), path.string());
  return base::Descriptor(folder);
}

// Returns the lock as fcntl() leaves it.
struct flock call(const base::Descriptor& folder, int command, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  if (fcntl(folder.number(), command, &lock) != 0) {
    throw std::system_error(errno, std::generic_category(), "fcntl");
  }
  return lock;
}

}  // namespace

DatabaseContact::DatabaseContact(const std::filesystem::path& runtime_dir)
    : folder_(open_folder(runtime_dir)) {}

// No process takes an exclusive lock, so this succeeds.
void DatabaseContact::set(bool has_contact) {
  call(folder_, F_OFD_SETLK, has_contact ? F_RDLCK : F_UNLCK);
}

bool DatabaseContact::has_another() const {
  return call(folder_, F_OFD_GETLK, F_WRLCK).l_type != F_UNLCK;
}

}  // namespace fcgi
