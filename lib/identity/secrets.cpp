#include "identity/secrets.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "base/bytes.h"
#include "base/crypto.h"

namespace identity {
namespace {

constexpr std::string_view kDeviceLabel = "device-token ";

// The lines of a secret file, as bytes.
struct SecretFile {
  std::vector<std::string> secrets;  // the newer first
  std::optional<std::string> device_key;
};

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw std::runtime_error("secret file " + file.string() + ": " + what);
}

std::optional<std::string> key_in(std::string_view hex) {
  auto key = base::from_hex(hex);
  if (key && key->size() != kSecretBytes) return std::nullopt;
  return key;
}

// Whether the file may have "line" at this position.
bool take_line(std::string_view line, SecretFile& content) {
  if (line.starts_with(kDeviceLabel)) {
    if (content.device_key) return false;
    content.device_key = key_in(line.substr(kDeviceLabel.size()));
    return content.device_key.has_value();
  }
  const auto secret = key_in(line);
  if (!secret || content.secrets.size() == 2) return false;
  content.secrets.push_back(*secret);
  return true;
}

SecretFile read_file(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) {
    fail(file, std::string(std::strerror(errno)) +
                   ". Make one with: ratingctl init-secret --secret-file " + file.string());
  }
  SecretFile content;
  for (std::string line; std::getline(stream, line);) {
    if (take_line(line, content)) continue;
    fail(file,
         "must hold one or two lines of 64 hexadecimal digits, the newer secret first, and at most "
         "one line \"device-token\" with 64 hexadecimal digits");
  }
  if (content.secrets.empty()) fail(file, "is empty; remove it and run: ratingctl init-secret");
  return content;
}

// Files of version 0.1 have no such line until they are rotated. The key is then derived from the
// older secret, which stays when a newer one is added.
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
          device_key};
}

std::string text_of(const SecretFile& content) {
  std::string text;
  for (const std::string& secret : content.secrets) text += base::to_hex(secret) + "\n";
  return text += std::string(kDeviceLabel) + base::to_hex(device_key_of(content)) + "\n";
}

// Creates "file" with exactly this mode and writes "text" to disk.
void create_file(const std::filesystem::path& file, const std::string& text, mode_t mode) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) fail(file, std::strerror(errno));
  const bool written =
      write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      fchmod(descriptor, mode) == 0 && fsync(descriptor) == 0;
  const int error = errno;
  close(descriptor);
  if (!written) {
    unlink(file.c_str());
    fail(file, std::strerror(error));
  }
}

// A rename is durable after its directory was synced.
void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // the new file is in place; only durability is at risk
  fsync(descriptor);
  close(descriptor);
}

// Replaces the file atomically; keeps mode and owners.
void replace_file(const std::filesystem::path& name, const SecretFile& content) {
  const std::filesystem::path file = std::filesystem::canonical(name);  // resolves links
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) fail(file, std::strerror(errno));
  const std::filesystem::path successor = file.string() + ".new";
  if (std::filesystem::exists(successor)) {
    fail(successor, "is left over from an interrupted command; remove it and repeat this one");
  }
  create_file(successor, text_of(content), status.st_mode & 07777U);
  const bool replaced = chown(successor.c_str(), status.st_uid, status.st_gid) == 0 &&
                        rename(successor.c_str(), file.c_str()) == 0;
  if (replaced) return sync_folder(file.parent_path());
  const int error = errno;
  unlink(successor.c_str());
  fail(file, std::strerror(error));
}

}  // namespace

KeyRing read_secrets(const std::filesystem::path& file) {
  const SecretFile content = read_file(file);
  KeyRing ring;
  for (const std::string& secret : content.secrets) {
    ring.push_back(keys_from(secret, device_key_of(content)));
  }
  return ring;
}

void make_secret(const std::filesystem::path& file) {
  const SecretFile content{{base::random_bytes(kSecretBytes)}, base::random_bytes(kSecretBytes)};
  create_file(file, text_of(content), 0640);
}

void rotate_secret(const std::filesystem::path& file) {
  SecretFile content = read_file(file);
  if (content.secrets.size() == 2) {
    fail(file, "has two secrets already; first run: ratingctl retire-secret");
  }
  content.device_key = device_key_of(content);
  content.secrets.insert(content.secrets.begin(), base::random_bytes(kSecretBytes));
  replace_file(file, content);
}

void retire_secret(const std::filesystem::path& file) {
  SecretFile content = read_file(file);
  if (content.secrets.size() < 2) fail(file, "has one secret only; nothing to retire");
  content.device_key = device_key_of(content);
  content.secrets.pop_back();
  replace_file(file, content);
}

}  // namespace identity
