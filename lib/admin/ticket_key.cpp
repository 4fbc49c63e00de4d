#include "admin/ticket_key.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/counted.h"
#include "base/crypto.h"
#include "base/timestamp.h"
#include "identity/ticket_keys.h"
#include "model/visitor.h"

namespace admin {
namespace {

using identity::TicketAlgorithm;
using identity::TicketKey;

constexpr std::streamsize kMaxPemBytes = 64L * 1024;

std::vector<TicketKey> keys_named(const config::Config& config, const std::string& name) {
  auto keys = identity::read_ticket_keys(config.secret_file);
  std::erase_if(keys, [&](const TicketKey& key) { return key.name != name; });
  std::ranges::stable_sort(keys, {}, &TicketKey::added);
  return keys;
}

std::string read_pem(const std::string& name) {
  std::ifstream stream(name);
  std::string pem(static_cast<std::size_t>(kMaxPemBytes), '\0');
  stream.read(pem.data(), kMaxPemBytes);
  if (stream.gcount() == 0) throw std::runtime_error(name + " cannot be read, or is empty");
  pem.resize(static_cast<std::size_t>(stream.gcount()));
  return pem;
}

std::string read_public_key(const std::string& name) {
  auto key = base::p256_public_key(read_pem(name));
  if (key) return *key;
  throw std::runtime_error(name + ": " + key.error() +
                           ". A public key on the curve P-256 in PEM is required, as this makes "
                           "it: openssl pkey -in private.pem -pubout");
}

model::Rights rights_in(const Flags& flags) {
  const auto given = flags.find("rights");
  if (given == flags.end()) return {};
  const auto rights = identity::rights_named(given->second);
  if (!rights) {
    throw std::runtime_error("--rights is a list with commas of " +
                             identity::names_of(model::Rights::all()));
  }
  return *rights;
}

void check_name(const std::string& name) {
  if (model::is_issuer(name)) return;
  throw std::runtime_error(
      "the name of a ticket key is 1 to 64 of A-Z, a-z, 0-9, '_', '.' and '-'; tickets have it as "
      "\"iss\"");
}

std::string describe(const TicketKey& key) {
  std::string text = key.rights.is_empty() ? "no rights" : identity::names_of(key.rights);
  if (key.may_forward) text += ", may-forward";
  if (key.is_of_cms_users) text += ", cms-users";
  return text + (key.is_sent_by_browsers ? ", sent by browsers" : ", sent by a server");
}

// Whether browsers send the tickets of a key: as --sent-by says. Without it, a key that may forward
// addresses is a server's, and any other key is not, so that the limits of an address
// apply to its tickets.
bool is_sent_by_browsers(const Flags& flags) {
  const auto given = flags.find("sent-by");
  if (given == flags.end()) return !flags.contains("may-forward");
  if (given->second == "browsers") return true;
  if (given->second == "server") return false;
  throw std::runtime_error("--sent-by is browsers or server");
}

TicketKey new_key(const std::string& name, const Flags& flags,
                  const std::vector<TicketKey>& present) {
  TicketKey key;
  const bool has_properties =
      std::ranges::any_of(std::to_array({"rights", "may-forward", "cms-users", "sent-by"}),
                          [&](const char* flag) { return flags.contains(flag); });
  if (!has_properties && !present.empty()) {
    key = present.back();
  } else {
    key.rights = rights_in(flags);
    key.may_forward = flags.contains("may-forward");
    key.is_of_cms_users = flags.contains("cms-users");
    key.is_sent_by_browsers = is_sent_by_browsers(flags);
  }
  key.name = name;
  key.added = std::chrono::floor<std::chrono::seconds>(base::SystemClock().now());
  // Also within a second, and after the clock was set back, it is the newer one.
  if (!present.empty()) {
    key.added = std::max(key.added, present.back().added + std::chrono::seconds(1));
  }
  const auto file = flags.find("public-key");
  const bool is_shared = file == flags.end();
  key.algorithm = is_shared ? TicketAlgorithm::hs256 : TicketAlgorithm::es256;
  key.key = is_shared ? identity::new_shared_secret() : read_public_key(file->second);
  return key;
}

// The key that is to be removed.
TicketKey chosen_key(const std::vector<TicketKey>& keys, const std::string& name,
                     const Flags& flags) {
  if (keys.empty()) throw std::runtime_error("there is no ticket key \"" + name + "\"");
  if (flags.contains("older")) {
    if (keys.size() == 2) return keys.front();
    throw std::runtime_error("there is only one key \"" + name + "\"; --older would remove none");
  }
  if (const auto added = flags.find("added"); added != flags.end()) {
    for (const TicketKey& key : keys) {
      if (base::to_rfc3339(key.added) == added->second) return key;
    }
    throw std::runtime_error("no key \"" + name +
                             "\" was added at this time; see: ratingctl ticket-key list");
  }
  if (keys.size() == 1) return keys.front();
  throw std::runtime_error(
      "there are two keys \"" + name + "\", added " + base::to_rfc3339(keys.front().added) +
      " and " + base::to_rfc3339(keys.back().added) + "; say which: --older, or --added TIME");
}

}  // namespace

int add_ticket_key(const config::Config& config, Arguments arguments, const Flags& flags) {
  const std::string& name = arguments.front();
  check_name(name);
  const TicketKey key = new_key(name, flags, keys_named(config, name));
  identity::add_ticket_key(config.secret_file, key);
  const bool is_shared = key.algorithm == TicketAlgorithm::hs256;
  if (is_shared) fmt::print("{}\n", key.key);
  fmt::print(
      stderr,
      "Added {} ({}; {}) to {}.{} Reload the workers; if the site has several hosts, first "
      "copy the file to each of them.\n",
      name, name_of(key.algorithm), describe(key), config.secret_file.native(),
      is_shared ? " The front end signs with the text above, which is not shown again." : "");
  return 0;
}

int list_ticket_keys(const config::Config& config) {
  const auto keys = identity::read_ticket_keys(config.secret_file);
  const auto now = base::SystemClock().now();
  for (const TicketKey& key : keys) {
    fmt::print("{:<20} {} added {} ({} ago): {}\n", key.name, name_of(key.algorithm),
               base::to_rfc3339(key.added),
               base::counted(std::chrono::floor<std::chrono::days>(now - key.added).count(), "day",
                             "days"),
               describe(key));
  }
  if (keys.empty()) fmt::print("{} has no ticket keys.\n", config.secret_file.native());
  return 0;
}

int remove_ticket_key(const config::Config& config, Arguments arguments, const Flags& flags) {
  const std::string& name = arguments.front();
  const TicketKey key = chosen_key(keys_named(config, name), name, flags);
  identity::remove_ticket_key(config.secret_file, key);
  fmt::print("Removed the key {} that was added {}. It is valid until the workers are reloaded.\n",
             name, base::to_rfc3339(key.added));
  return 0;
}

}  // namespace admin
