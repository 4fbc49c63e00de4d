#include "wordpress/nonce.h"

#include <chrono>

#include "base/bytes.h"
#include "base/crypto.h"

namespace wordpress {
namespace {

constexpr std::string_view kAction = "wp_rest";
constexpr std::size_t kFirstDigit = 20;
constexpr std::size_t kDigits = 10;

// Half of a nonce's lifetime. A time on the border of two halves belongs to the earlier one.
std::int64_t tick_at(base::Time now) {
  using Tick = std::chrono::duration<std::int64_t, std::ratio<12L * 60 * 60>>;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  return std::chrono::ceil<Tick>(seconds.time_since_epoch()).count();
}

std::string nonce_of(std::int64_t tick, const NonceHolder& holder, std::string_view salt) {
  std::string message = std::to_string(tick);
  message.append("|").append(kAction);
  message.append("|").append(std::to_string(holder.user));
  message.append("|").append(holder.token);
  return base::to_hex(base::hmac_md5(salt, message)).substr(kFirstDigit, kDigits);
}

}  // namespace

std::string create_rest_nonce(const NonceHolder& holder, std::string_view salt, base::Time now) {
  return nonce_of(tick_at(now), holder, salt);
}

bool is_rest_nonce(std::string_view text, const NonceHolder& holder, std::string_view salt,
                   base::Time now) {
  const std::int64_t tick = tick_at(now);
  return base::equals_in_constant_time(nonce_of(tick, holder, salt), text) ||
         base::equals_in_constant_time(nonce_of(tick - 1, holder, salt), text);
}

}  // namespace wordpress
