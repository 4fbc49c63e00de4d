#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

#include "base/descriptor.h"
#include "setup/accounts.h"

namespace setup {
namespace fs = std::filesystem;
namespace {

constexpr uid_t kFirstOfPeople = 1000;          // login.defs: UID_MIN
constexpr const char* kWebServer = "www-data";  // systemd/ratingd.socket

// The process that listens at the socket. Nothing: errno says why it is not known.
std::optional<ucred> listener_at(const fs::path& path) {
  sockaddr_un address{};
  if (path.native().size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return std::nullopt;
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.native().size());
  const base::Descriptor connection(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  ucred listener{};
  socklen_t size = sizeof listener;
  if (connect(connection.number(), generic, sizeof address) != 0 ||
      getsockopt(connection.number(), SOL_SOCKET, SO_PEERCRED, &listener, &size) != 0) {
    return std::nullopt;
  }
  return listener;
}

bool is_web_server(uid_t account) {
  const passwd* const web = getpwnam(kWebServer);  // NOLINT(concurrency-mt-unsafe): one thread
  return web != nullptr && web->pw_uid == account;
}

bool is_owner_of(const fs::path& file, uid_t account) {
  struct stat status {};
  return stat(file.c_str(), &status) != 0 || status.st_uid == account;
}

// Whether accounts other than root and the server's may exchange this folder, link or socket.
bool may_be_exchanged(const fs::path& path, const ucred& server) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return true;
  if (status.st_uid != 0 && status.st_uid != server.uid) return true;
  if (!S_ISDIR(status.st_mode)) return false;
  const bool is_of_others = status.st_gid != 0 && status.st_gid != server.gid;
  return (status.st_mode & S_IWOTH) != 0 || (is_of_others && (status.st_mode & S_IWGRP) != 0);
}

// The first part of the path that may be; empty: none.
fs::path exchangeable_part(const fs::path& path, const ucred& server) {
  fs::path part;
  for (const fs::path& name : path) {
    part /= name;
    if (may_be_exchanged(part, server)) return part;
  }
  return {};
}

}  // namespace

std::string why_not_trusted(const fs::path& socket, const fs::path& wp_config) {
  const auto server = listener_at(socket);
  // Not even a full queue of connections: its owner would answer the next one.
  if (!server) return "no process answers there: " + std::generic_category().message(errno);
  if (server->uid != 0 && (server->uid >= kFirstOfPeople || is_web_server(server->uid) ||
                           is_owner_of(wp_config, server->uid))) {
    return "the account " + std::to_string(server->uid) +
           " listens there, which is not one of a database server";
  }
  std::error_code error;
  for (const fs::path& path : {socket, fs::canonical(socket, error)}) {
    const fs::path part = exchangeable_part(path, *server);
    if (!part.empty()) return "other accounts may write to " + part.string();
  }
  return {};
}

}  // namespace setup
