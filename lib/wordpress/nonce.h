#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace wordpress {

// The user and session of a nonce.
struct NonceHolder {
  std::uint64_t user = 0;  // 0: nobody is logged in
  std::string_view token;  // of the logged-in cookie, valid or not; empty without one
};

// WordPress's nonces for its REST API (pluggable.php, wp_create_nonce and wp_verify_nonce, with
// the action "wp_rest"): 10 lower-case hexadecimal digits, valid for 12 to 24 hours. "salt" is
// wp_salt() of KeyScheme::nonce.
[[nodiscard]] std::string create_rest_nonce(const NonceHolder& holder, std::string_view salt,
                                            base::Time now);
[[nodiscard]] bool is_rest_nonce(std::string_view text, const NonceHolder& holder,
                                 std::string_view salt, base::Time now);

}  // namespace wordpress
