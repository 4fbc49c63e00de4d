#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "identity/ticket_key.h"

namespace identity {

// The keys of tickets are lines of the site's secret file (secrets.h). All functions throw
// std::runtime_error that names the file and the problem.

// In the order in which they were added.
[[nodiscard]] std::vector<TicketKey> read_ticket_keys(const std::filesystem::path& file);

// The names of keys that were removed, in the order in which they were.
[[nodiscard]] std::vector<std::string> read_removed_ticket_keys(const std::filesystem::path& file);

// Adds or removes a key; the file is replaced atomically and keeps its mode and owners. The last 64
// removed names are remembered. Errors: also if the key cannot be added (refusal_to_add()), or is
// not there. The file is then unchanged.
void add_ticket_key(const std::filesystem::path& file, const TicketKey& key);
void remove_ticket_key(const std::filesystem::path& file, const TicketKey& key);

}  // namespace identity
