#include "limit/keyed_hash.h"

#include <cstring>

#include "base/crypto.h"

namespace limit {
namespace {

// The word all processes use from now on: that of the first who came.
std::uint64_t agree_on(std::atomic<std::uint64_t>& word) {
  const std::uint64_t proposed = base::random_u64() | 1U;  // zero means that nobody has come
  std::uint64_t found = 0;
  return word.compare_exchange_strong(found, proposed) ? proposed : found;
}

}  // namespace

KeyedHash::KeyedHash(SharedKey& shared) {
  for (std::atomic<std::uint64_t>& word : shared.words) {
    const std::uint64_t agreed = agree_on(word);
    key_.append(reinterpret_cast<const char*>(&agreed), sizeof agreed);
  }
}

std::uint64_t KeyedHash::operator()(std::string_view message) const {
  std::uint64_t hash = 0;
  std::memcpy(&hash, base::hmac_sha256(key_, message).data(), sizeof hash);
  return hash;
}

}  // namespace limit
