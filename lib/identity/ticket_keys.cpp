#include "identity/ticket_keys.h"

#include <algorithm>

#include "identity/secret_file.h"

namespace identity {
namespace {

constexpr std::size_t kMaxRemovedNames = 64;

void remember_removed(const std::string& name, SecretFile& content) {
  if (std::ranges::find(content.ticket_keys, name, &TicketKey::name) != content.ticket_keys.end()) {
    return;  // another key has the name
  }
  std::vector<std::string>& names = content.removed_ticket_keys;
  names.push_back(name);
  if (names.size() > kMaxRemovedNames) names.erase(names.begin());
}

}  // namespace

std::vector<TicketKey> read_ticket_keys(const std::filesystem::path& file) {
  return read_secret_file(file).ticket_keys;
}

std::vector<std::string> read_removed_ticket_keys(const std::filesystem::path& file) {
  return read_secret_file(file).removed_ticket_keys;
}

void add_ticket_key(const std::filesystem::path& file, const TicketKey& key) {
  change_secret_file(file, [&](SecretFile& content) {
    if (const auto refusal = refusal_to_add(key, content.ticket_keys)) {
      fail_for_secret_file(file, *refusal);
    }
    content.ticket_keys.push_back(key);
    std::erase(content.removed_ticket_keys, key.name);
  });
}

void remove_ticket_key(const std::filesystem::path& file, const TicketKey& key) {
  change_secret_file(file, [&](SecretFile& content) {
    const auto found = std::ranges::find(content.ticket_keys, key);
    if (found == content.ticket_keys.end()) fail_for_secret_file(file, "has no such ticket key");
    content.ticket_keys.erase(found);
    remember_removed(key.name, content);
  });
}

}  // namespace identity
