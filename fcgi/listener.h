#pragma once

#include <sys/types.h>

#include <string>

#include "base/descriptor.h"

namespace fcgi {

// The listening socket on file descriptor 0, which systemd or spawn-fcgi opened, as the FastCGI
// specification says. Errors: config::Error - there is none.
[[nodiscard]] base::Descriptor inherited_listener();

// Listens on an address of config::Config::listen. Every client is trusted as the web server. A
// Unix socket gets this mode; a stale socket file is replaced. Errors: config::Error - another
// process listens there, the path is not a socket, or the address is not one of this host's.
[[nodiscard]] base::Descriptor open_listener(const std::string& address, mode_t mode);

}  // namespace fcgi
