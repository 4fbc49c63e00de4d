// The commands for the secret file: init-secret, rotate-secret, retire-secret and ticket-key.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "admin/commands.h"
#include "admin/output.h"
#include "base/clock.h"
#include "base/crypto.h"
#include "base/message.h"
#include "base/timestamp.h"
#include "identity/secrets.h"
#include "model/rating.h"
#include "setup/files.h"

namespace admin {
namespace {

using identity::TicketAlgorithm;
using identity::TicketKey;

constexpr std::streamsize kMaxPemBytes = 64L * 1024;

std::vector<TicketKey> keys_named(const config::Config& config, const std::string& name) {
  auto keys = identity::read_secret_file(config.secret_file).ticket_keys;
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
                           ". A P-256 public key in PEM format is required. To create it, run: "
                           "openssl pkey -in private.pem -pubout");
}

model::Rights rights_in(const Invocation& call) {
  const auto given = call.value("rights");
  if (!given) return {};
  const auto rights = identity::rights_named(*given);
  if (!rights) {
    throw config::UsageError("--rights must be a list, separated by commas, of " +
                             identity::names_of(model::Rights::all()));
  }
  return *rights;
}

void check_name(const std::string& name) {
  if (model::is_issuer(name)) return;
  throw config::UsageError(
      "the name of a ticket key must be 1 to 64 characters of A-Z, a-z, 0-9, '_', '.' and '-'. "
      "Tickets contain it as \"iss\".");
}

std::string describe(const TicketKey& key) {
  std::string text = key.rights.is_empty() ? "no rights" : identity::names_of(key.rights);
  if (key.may_forward) text += ", may-forward";
  if (key.is_of_cms_users) text += ", cms-users";
  return text + (key.is_sent_by_browsers ? ", sent by browsers" : ", sent by a server");
}

// Returns whether tickets for the new key are sent by browsers rather than by a server. Without the
// --sent-by flag, returns true unless the --may-forward flag is given. Browsers are the safe
// default, because requests from browsers are subject to the limits for each client address.
bool is_sent_by_browsers(const Invocation& call) {
  const auto given = call.value("sent-by");
  if (!given) return !call.has("may-forward");
  if (given == "browsers") return true;
  if (given == "server") return false;
  throw config::UsageError("--sent-by must be browsers or server");
}

TicketKey new_key(const std::string& name, const Invocation& call,
                  const std::vector<TicketKey>& present) {
  TicketKey key;
  const bool has_properties =
      std::ranges::any_of(std::to_array({"rights", "may-forward", "cms-users", "sent-by"}),
                          [&](const char* flag) { return call.has(flag); });
  if (!has_properties && !present.empty()) {
    key = present.back();
  } else {
    key.rights = rights_in(call);
    key.may_forward = call.has("may-forward");
    key.is_of_cms_users = call.has("cms-users");
    key.is_sent_by_browsers = is_sent_by_browsers(call);
  }
  key.name = name;
  key.added = std::chrono::floor<std::chrono::seconds>(base::SystemClock().now());
  // The new key must have the latest time of all keys, even if a key was added in the same second
  // or the clock was set back.
  if (!present.empty()) {
    key.added = std::max(key.added, present.back().added + std::chrono::seconds(1));
  }
  const auto file = call.value("public-key");
  key.algorithm = file ? TicketAlgorithm::es256 : TicketAlgorithm::hs256;
  key.key = file ? read_public_key(*file) : identity::new_shared_secret();
  return key;
}

// Returns the ticket key to remove.
TicketKey chosen_key(const std::vector<TicketKey>& keys, const std::string& name,
                     const Invocation& call) {
  if (keys.empty()) throw std::runtime_error("there is no ticket key \"" + name + "\"");
  if (call.has("older")) {
    if (keys.size() == 2) return keys.front();
    throw std::runtime_error("there is only one key \"" + name +
                             "\". Leave out --older to remove it.");
  }
  if (const auto added = call.value("added")) {
    for (const TicketKey& key : keys) {
      if (base::to_rfc3339(key.added) == added) return key;
    }
    throw std::runtime_error(
        "no key \"" + name +
        "\" was added at this time. To see the times, run: ratingctl ticket-key list");
  }
  if (keys.size() == 1) return keys.front();
  throw std::runtime_error(
      "there are two keys \"" + name + "\", added " + base::to_rfc3339(keys.front().added) +
      " and " + base::to_rfc3339(keys.back().added) + ". Choose one with --older or --added TIME.");
}

// Prints the key's secret. If the secret cannot be printed, removes the key, because the secret is
// not shown again.
void print_secret(const config::Config& config, const TicketKey& key) {
  try {
    fmt::print("{}\n", key.key);
    flush_output();
  } catch (const std::exception&) {
    identity::remove_ticket_key(config.secret_file, key);
    throw;
  }
}

}  // namespace

int init_secret(const Invocation& call) {
  const auto folder = std::filesystem::absolute(call.config.secret_file).parent_path();
  if (const setup::Step step = setup::create_folder(folder); step.apply) step.apply();
  identity::make_secret(call.config.secret_file);
  fmt::print("Created {}. Keep it secret, and use the same file on all hosts of this site.\n",
             call.config.secret_file.native());
  return 0;
}

int rotate_secret(const Invocation& call) {
  identity::rotate_secret(call.config.secret_file);
  fmt::print("{} has a new secret; the previous secret is still valid.\n",
             call.config.secret_file.native());
  return 0;
}

int retire_secret(const Invocation& call) {
  identity::retire_secret(call.config.secret_file);
  fmt::print("Removed the older secret from {}.\n", call.config.secret_file.native());
  return 0;
}

int add_ticket_key(const Invocation& call) {
  const std::string& name = call.arguments.front();
  check_name(name);
  const TicketKey key = new_key(name, call, keys_named(call.config, name));
  identity::add_ticket_key(call.config.secret_file, key);
  const bool is_shared = key.algorithm == TicketAlgorithm::hs256;
  if (is_shared) print_secret(call.config, key);
  print_text(
      fmt::format(
          "Added {} ({}; {}) to {}.{} Reload the workers; if the site has several hosts, first "
          "copy the file to each of them.",
          name, name_of(key.algorithm), describe(key), call.config.secret_file.native(),
          is_shared ? " The front end signs with the text above, which is not shown again." : ""),
      stderr);
  return 0;
}

int list_ticket_keys(const Invocation& call) {
  const auto keys = identity::read_secret_file(call.config.secret_file).ticket_keys;
  const auto now = base::SystemClock().now();
  for (const TicketKey& key : keys) {
    fmt::print("{:<20} {} added {} ({} ago): {}\n", key.name, name_of(key.algorithm),
               base::to_rfc3339(key.added),
               base::counted(std::chrono::floor<std::chrono::days>(now - key.added).count(), "day",
                             "days"),
               describe(key));
  }
  if (keys.empty()) fmt::print("{} has no ticket keys.\n", call.config.secret_file.native());
  return 0;
}

int remove_ticket_key(const Invocation& call) {
  const std::string& name = call.arguments.front();
  const TicketKey key = chosen_key(keys_named(call.config, name), name, call);
  identity::remove_ticket_key(call.config.secret_file, key);
  fmt::print("Removed the key {} that was added {}. It is valid until the workers are reloaded.\n",
             name, base::to_rfc3339(key.added));
  return 0;
}

}  // namespace admin
