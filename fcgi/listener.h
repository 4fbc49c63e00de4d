#pragma once

#include <sys/types.h>

#include <string>

#include "base/descriptor.h"

namespace fcgi {

// Returns the listening socket that systemd or spawn-fcgi opened as file descriptor 0, as the
// FastCGI specification requires. Throws config::Error if descriptor 0 is not a listening socket.
[[nodiscard]] base::Descriptor inherited_listener();

// Listens on an address from config::Config::listen. Every client that connects to the address is
// trusted as much as the web server. A Unix socket is created with the mode "mode" and replaces a
// socket file left by a process that has ended. Throws config::Error if another process listens on
// the address, if the path is not a socket, or if the address does not belong to this host.
[[nodiscard]] base::Descriptor open_listener(const std::string& address, mode_t mode);

}  // namespace fcgi
