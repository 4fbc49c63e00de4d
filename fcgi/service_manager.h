#pragma once

#include <string_view>

namespace fcgi {

// Tells the service manager, if one started this process and asked for it (sd_notify(3)): a line
// such as "READY=1" to the datagram socket that the environment variable NOTIFY_SOCKET names. What
// cannot be told is not: the manager notices silence itself.
void tell_service_manager(std::string_view state);

}  // namespace fcgi
