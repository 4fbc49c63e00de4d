#include "identity/secrets.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "base/bytes.h"
#include "base/crypto.h"

namespace identity {
namespace {

Keys keys_from(const std::string& secret) {
  return {base::derive_key(secret, "ratingd voter cookie"),
          base::derive_key(secret, "ratingd fingerprint"),
          base::derive_key(secret, "ratingd address"),
          base::derive_key(secret, "ratingd proofs"),
          base::derive_key(secret, "ratingd counters"),
          base::derive_key(secret, "ratingd agent"),
          base::derive_key(secret, "ratingd imports")};
}

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw std::runtime_error("secret file " + file.string() + ": " + what);
}

}  // namespace

KeyRing read_secrets(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) {
    fail(file, std::string(std::strerror(errno)) +
                   ". Make one with: ratingctl init-secret --secret-file " + file.string());
  }
  KeyRing ring;
  for (std::string line; std::getline(stream, line);) {
    const auto secret = base::from_hex(line);
    if (!secret || secret->size() != kSecretBytes || ring.size() == 2) {
      fail(file, "must hold one or two lines of 64 hexadecimal digits, the newer secret first");
    }
    ring.push_back(keys_from(*secret));
  }
  if (ring.empty()) fail(file, "is empty; remove it and run: ratingctl init-secret");
  return ring;
}

void make_secret(const std::filesystem::path& file) {
  const std::string line = base::to_hex(base::random_bytes(kSecretBytes)) + "\n";
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
  if (descriptor < 0) fail(file, std::strerror(errno));
  // The mode again, since the process's umask may have taken from it.
  const bool written =
      fchmod(descriptor, 0640) == 0 &&
      write(descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
      fsync(descriptor) == 0;
  const int error = errno;
  close(descriptor);
  if (!written) {
    unlink(file.c_str());
    fail(file, std::strerror(error));
  }
}

}  // namespace identity
