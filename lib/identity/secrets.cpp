#include "identity/secrets.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "base/crypto.h"
#include "base/descriptor.h"
#include "base/text.h"
#include "model/rating.h"

namespace identity {
namespace {

constexpr std::string_view kDeviceLabel = "device-token ";
constexpr std::string_view kTicketLabel = "ticket-key ";
constexpr std::string_view kRemovedTicketLabel = "removed-ticket-key ";
constexpr std::size_t kMaxSecrets = 2;
constexpr std::size_t kMaxRemovedNames = 64;

std::optional<std::string> key_in(std::string_view hex) {
  auto key = base::from_hex(hex);
  if (key && key->size() != kSecretBytes) return std::nullopt;
  return key;
}

// Each of the following functions parses one line of a secret file and adds the result to
// "content". If the line is invalid, the function returns the error.

std::optional<std::string> take_device_key(std::string_view hex, SecretFile& content) {
  if (content.device_key) return "there may be one line \"device-token\" only";
  content.device_key = key_in(hex);
  if (content.device_key) return std::nullopt;
  return "\"device-token\" is followed by 64 hexadecimal digits";
}

std::optional<std::string> take_ticket_key(std::string_view text, SecretFile& content) {
  auto key = parse_ticket_key(text);
  if (!key) return key.error();
  if (auto refusal = refusal_to_add(*key, content.ticket_keys)) return refusal;
  content.ticket_keys.push_back(std::move(*key));
  return std::nullopt;
}

std::optional<std::string> take_removed_ticket_key(std::string_view name, SecretFile& content) {
  if (!model::is_issuer(name)) return "\"removed-ticket-key\" is followed by the name of a key";
  content.removed_ticket_keys.emplace_back(name);
  return std::nullopt;
}

std::optional<std::string> take_line(std::string_view line, SecretFile& content) {
  if (line.starts_with(kDeviceLabel)) {
    return take_device_key(line.substr(kDeviceLabel.size()), content);
  }
  if (line.starts_with(kTicketLabel)) {
    return take_ticket_key(line.substr(kTicketLabel.size()), content);
  }
  if (line.starts_with(kRemovedTicketLabel)) {
    return take_removed_ticket_key(line.substr(kRemovedTicketLabel.size()), content);
  }
  auto secret = key_in(line);
  if (!secret) {
    return "a line is a secret of 64 hexadecimal digits, or begins with \"device-token \", "
           "\"ticket-key \" or \"removed-ticket-key \"";
  }
  if (content.secrets.size() == kMaxSecrets) {
    return "there may be one or two secrets, the newer first";
  }
  content.secrets.push_back(std::move(*secret));
  return std::nullopt;
}

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw std::runtime_error("secret file " + file.string() + ": " + what);
}

// Creates "file" with exactly the mode "mode" and writes "text" to disk.
void create_file(const std::filesystem::path& file, const std::string& text, mode_t mode) {
  const base::Descriptor created(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!created.is_open()) fail(file, std::strerror(errno));
  if (base::write_all(created, text) && fchmod(created.number(), mode) == 0 &&
      fsync(created.number()) == 0) {
    return;
  }
  const int error = errno;
  unlink(file.c_str());
  fail(file, std::strerror(error));
}

// "folder" must be the folder that contains "target".
void replace(const std::filesystem::path& target, const SecretFile& content,
             const base::Descriptor& folder) {
  struct stat status {};
  if (stat(target.c_str(), &status) != 0) fail(target, std::strerror(errno));
  const std::filesystem::path successor = target.string() + ".new";
  if (std::filesystem::exists(successor)) {
    fail(successor, "is left over from an interrupted command. Remove it and repeat this command");
  }
  create_file(successor, text_of(content), status.st_mode & 07777U);
  const bool replaced = chown(successor.c_str(), status.st_uid, status.st_gid) == 0 &&
                        rename(successor.c_str(), target.c_str()) == 0;
  if (replaced) {
    // A rename is durable only after the directory has been synced to disk. Even if fsync() fails,
    // the new file has replaced the old file.
    fsync(folder.number());
    return;
  }
  const int error = errno;
  unlink(successor.c_str());
  fail(target, std::strerror(error));
}

void remember_removed(const std::string& name, SecretFile& content) {
  if (std::ranges::find(content.ticket_keys, name, &TicketKey::name) != content.ticket_keys.end()) {
    return;  // another key still has the name
  }
  std::vector<std::string>& names = content.removed_ticket_keys;
  names.push_back(name);
  if (names.size() > kMaxRemovedNames) names.erase(names.begin());
}

// Secret files from version 0.1 have no line for the device token key until the secret is rotated.
// If a file has no device token key, the key is derived from the older secret, because the older
// secret remains when a newer secret is added.
std::string device_key_of(const SecretFile& content) {
  if (content.device_key) return *content.device_key;
  return base::derive_key(content.secrets.back(), "ratingd device token");
}

Keys keys_from(const std::string& secret, const std::string& device_key) {
  return {base::derive_key(secret, "ratingd voter cookie"),
          base::derive_key(secret, "ratingd new voter"),
          base::derive_key(secret, "ratingd address"),
          base::derive_key(secret, "ratingd counters"),
          base::derive_key(secret, "ratingd agent"),
          base::derive_key(secret, "ratingd imports"),
          device_key,
          base::derive_key(device_key, "ratingd visitor"),
          base::derive_key(device_key, "ratingd network voter"),
          base::derive_key(secret, "ratingd health")};
}

}  // namespace

tl::expected<SecretFile, std::string> parse_secret_file(std::string_view text) {
  SecretFile content;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto problem = take_line(base::take_until(text, '\n'), content);
    if (!problem) continue;
    return tl::unexpected("line " + std::to_string(number) + ": " + *problem);
  }
  if (content.secrets.empty()) {
    return tl::unexpected<std::string>(
        "it has no secret; copy the file from a backup or from another host of the site "
        "(docs/several-hosts.md)");
  }
  return content;
}

std::string text_of(const SecretFile& content) {
  std::string text;
  for (const std::string& secret : content.secrets) text += base::to_hex(secret) + "\n";
  if (content.device_key) {
    text += std::string(kDeviceLabel) + base::to_hex(*content.device_key) + "\n";
  }
  for (const TicketKey& key : content.ticket_keys) {
    text += std::string(kTicketLabel) + text_of(key) + "\n";
  }
  for (const std::string& name : content.removed_ticket_keys) {
    text += std::string(kRemovedTicketLabel) + name + "\n";
  }
  return text;
}

SecretFile read_secret_file(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) {
    const int reason = errno;
    std::string what = std::strerror(reason);
    if (reason == ENOENT) {
      what +=
          ". If the site has votes, copy the file from a backup or from another host of the "
          "site (docs/several-hosts.md). Only if the site is new, or the file is lost and all "
          "voters may become new ones, run: ratingctl init-secret --secret-file " +
          base::shell_quoted(file.string());
    }
    fail(file, what);
  }
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  auto content = parse_secret_file(text);
  if (!content) fail(file, content.error());
  return std::move(*content);
}

void create_secret_file(const std::filesystem::path& file, const SecretFile& content) {
  create_file(file, text_of(content), 0640);
}

void change_secret_file(const std::filesystem::path& file,
                        const std::function<void(SecretFile&)>& change) {
  const std::filesystem::path target =
      std::filesystem::exists(file) ? std::filesystem::canonical(file) : file;  // resolves links
  const std::filesystem::path parent = target.has_parent_path() ? target.parent_path() : ".";
  const base::Descriptor folder(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Closing the descriptor releases the lock. Lock the folder instead of the secret file, because
  // each change replaces the file.
  if (!folder.is_open() || flock(folder.number(), LOCK_EX) != 0) {
    fail(target, std::strerror(errno));
  }
  SecretFile content = read_secret_file(target);
  change(content);
  replace(target, content, folder);
}

void add_ticket_key(const std::filesystem::path& file, const TicketKey& key) {
  change_secret_file(file, [&](SecretFile& content) {
    if (const auto refusal = refusal_to_add(key, content.ticket_keys)) {
      fail(file, *refusal);
    }
    content.ticket_keys.push_back(key);
    std::erase(content.removed_ticket_keys, key.name);
  });
}

void remove_ticket_key(const std::filesystem::path& file, const TicketKey& key) {
  change_secret_file(file, [&](SecretFile& content) {
    const auto found = std::ranges::find(content.ticket_keys, key);
    if (found == content.ticket_keys.end()) fail(file, "has no such ticket key");
    content.ticket_keys.erase(found);
    remember_removed(key.name, content);
  });
}

KeyRing keys_of(const SecretFile& content, unsigned site) {
  const auto of_site = [&](const std::string& secret) {
    return site == 1 ? secret : base::derive_key(secret, "ratingd site " + std::to_string(site));
  };
  KeyRing ring;
  for (const std::string& secret : content.secrets) {
    ring.push_back(keys_from(of_site(secret), of_site(device_key_of(content))));
  }
  return ring;
}

KeyRing read_secrets(const std::filesystem::path& file, unsigned site) {
  return keys_of(read_secret_file(file), site);
}

std::string challenge_response(const Keys& keys, std::string_view challenge) {
  return base::to_hex(base::hmac_sha256(keys.health, challenge));
}

void make_secret(const std::filesystem::path& file) {
  create_secret_file(file,
                     {{base::random_bytes(kSecretBytes)}, base::random_bytes(kSecretBytes), {}});
}

void rotate_secret(const std::filesystem::path& file) {
  change_secret_file(file, [&](SecretFile& content) {
    if (content.secrets.size() == 2) {
      fail(file,
           "has two secrets already. The older secret identifies voters from before the last "
           "rotation. If it is no longer needed (docs/operations.md, Rotating the secret), run: "
           "ratingctl retire-secret --secret-file " +
               base::shell_quoted(file.string()));
    }
    content.device_key = device_key_of(content);
    content.secrets.insert(content.secrets.begin(), base::random_bytes(kSecretBytes));
  });
}

void retire_secret(const std::filesystem::path& file) {
  change_secret_file(file, [&](SecretFile& content) {
    if (content.secrets.size() < 2) {
      fail(file, "has only one secret, which cannot be removed");
    }
    content.device_key = device_key_of(content);
    content.secrets.pop_back();
  });
}

}  // namespace identity
