#include "base/keyed_hash.h"

#include <bit>
#include <cstring>

#include "base/crypto.h"

namespace base {
namespace {

static_assert(std::endian::native == std::endian::little);

// Returns the word that all processes use. The first process sets it.
std::uint64_t agree_on(std::atomic<std::uint64_t>& word) {
  const std::uint64_t proposed = random_u64() | 1U;  // zero means unset
  std::uint64_t found = 0;
  return word.compare_exchange_strong(found, proposed) ? proposed : found;
}

// SipHash's state, v0 ... v3.
struct State {
  std::uint64_t a, b, c, d;

  void mix(int rounds) {
    for (; rounds > 0; --rounds) {
      a += b;
      c += d;
      b = std::rotl(b, 13) ^ a;
      d = std::rotl(d, 16) ^ c;
      a = std::rotl(a, 32) + d;
      c += b;
      d = std::rotl(d, 21) ^ a;
      b = std::rotl(b, 17) ^ c;
      c = std::rotl(c, 32);
    }
  }

  void add(std::uint64_t word) {
    d ^= word;
    mix(2);
    a ^= word;
  }
};

}  // namespace

KeyedHash::KeyedHash(SharedKey& shared) : key_{} {
  for (std::size_t i = 0; i < key_.size(); ++i) key_[i] = agree_on(shared.words[i]);
}

std::uint64_t KeyedHash::operator()(std::string_view message) const {
  State state{key_[0] ^ 0x736f6d6570736575U, key_[1] ^ 0x646f72616e646f6dU,
              key_[0] ^ 0x6c7967656e657261U, key_[1] ^ 0x7465646279746573U};
  std::uint64_t word = 0;
  const std::uint64_t last = std::uint64_t{message.size()} << 56U;
  for (; message.size() >= sizeof word; message.remove_prefix(sizeof word)) {
    std::memcpy(&word, message.data(), sizeof word);
    state.add(word);
  }
  word = 0;
  std::memcpy(&word, message.data(), message.size());
  state.add(word | last);
  state.c ^= 0xffU;
  state.mix(4);
  return state.a ^ state.b ^ state.c ^ state.d;
}

}  // namespace base
