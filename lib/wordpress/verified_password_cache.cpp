#include "wordpress/verified_password_cache.h"

#include <algorithm>

#include "base/crypto.h"

namespace wordpress {
namespace {

// The slot of a digest: its bytes are as good as random.
std::size_t slot_of(const std::string& digest, std::size_t places) {
  return static_cast<unsigned char>(digest.front()) % places;
}

}  // namespace

bool VerifiedPasswordCache::contains(std::string_view password, std::string_view stored,
                                     base::Time now) {
  const std::string digest = digest_of(password, stored);
  const base::MutexLock lock(mutex_);
  Entry& entry = entries_[slot_of(digest, kEntries)];
  if (now >= entry.until || !base::equals_in_constant_time(entry.digest, digest)) return false;
  entry.until = std::max(entry.until, now + kLife);
  return true;
}

void VerifiedPasswordCache::fill(std::string_view password, std::string_view stored,
                                 base::Time now) {
  std::string digest = digest_of(password, stored);
  const base::MutexLock lock(mutex_);
  Entry& entry = entries_[slot_of(digest, kEntries)];
  entry = {std::move(digest), now + kLife};
}

std::string VerifiedPasswordCache::digest_of(std::string_view password,
                                             std::string_view stored) const {
  // Digests of the parts have a fixed length, so different pairs give different texts.
  return base::hmac_sha256(key_, base::sha256(password) + base::sha256(stored));
}

}  // namespace wordpress
