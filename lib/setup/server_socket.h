#pragma once

#include <filesystem>
#include <string>

namespace setup {

// Why a Unix socket may not be the database server's; empty: it is. A server has an account of the
// system other than that of the web server and of the owner of "wp_config", and only this account
// and root can exchange the socket or a folder above it. A socket at which no process answers is
// not trusted either.
[[nodiscard]] std::string why_not_trusted(const std::filesystem::path& socket,
                                          const std::filesystem::path& wp_config);

}  // namespace setup
