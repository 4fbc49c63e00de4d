#pragma once

#include <filesystem>
#include <string>

namespace setup {

// Why a Unix socket may be anybody's and not the database server's; empty: it is not. A server has
// an account of the system other than that of the web server and of the owner of "wp_config", and
// only this account and root can exchange the socket or a folder above it. Empty, too, if nobody
// listens: who connects next is told.
[[nodiscard]] std::string why_not_trusted(const std::filesystem::path& socket,
                                          const std::filesystem::path& wp_config);

}  // namespace setup
