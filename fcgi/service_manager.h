#pragma once

#include <string_view>

namespace fcgi {

// Sends "state", such as "READY=1", to the service manager (sd_notify(3)): a datagram to the socket
// that the environment variable NOTIFY_SOCKET names. Does nothing without that variable. Errors are
// ignored, because the service manager detects missing notifications itself.
void notify_service_manager(std::string_view state);

}  // namespace fcgi
