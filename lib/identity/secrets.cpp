#include "identity/secrets.h"

#include "base/bytes.h"
#include "base/crypto.h"
#include "base/shell.h"
#include "identity/secret_file.h"

namespace identity {
namespace {

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
          device_key,
          base::derive_key(device_key, "ratingd visitor"),
          base::derive_key(secret, "ratingd health")};
}

}  // namespace

KeyRing read_secrets(const std::filesystem::path& file) {
  const SecretFile content = read_secret_file(file);
  KeyRing ring;
  for (const std::string& secret : content.secrets) {
    ring.push_back(keys_from(secret, device_key_of(content)));
  }
  return ring;
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
      fail_for_secret_file(
          file,
          "has two secrets already; the older one identifies voters of before the last rotation. "
          "If "
          "it is not needed any more (docs/operations.md, Rotating the secret), run: ratingctl "
          "retire-secret --secret-file " +
              base::shell_quoted(file.string()));
    }
    content.device_key = device_key_of(content);
    content.secrets.insert(content.secrets.begin(), base::random_bytes(kSecretBytes));
  });
}

void retire_secret(const std::filesystem::path& file) {
  change_secret_file(file, [&](SecretFile& content) {
    if (content.secrets.size() < 2) {
      fail_for_secret_file(file, "has one secret only; nothing to retire");
    }
    content.device_key = device_key_of(content);
    content.secrets.pop_back();
  });
}

}  // namespace identity
