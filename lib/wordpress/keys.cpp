#include "wordpress/keys.h"

#include <algorithm>
#include <array>
#include <utility>

namespace wordpress {
namespace {

// WordPress also recognises translations of the phrase; but a site that never changed the phrase
// has it in more than one constant, which disqualifies it anyway.
constexpr std::string_view kSamplePhrase = "put your unique phrase here";

struct Half {
  std::string_view constant;
  std::string_view fallback;  // another constant, empty for none
  std::string_view option;    // its name
};

// The key and the salt.
std::pair<Half, Half> halves_of(KeyScheme scheme, const config::WordPressKeys& constants) {
  const std::string& key = constants.secret_key;
  switch (scheme) {
    case KeyScheme::auth:
      return {{constants.auth_key, key, "auth_key"},
              {constants.auth_salt, constants.secret_salt, "auth_salt"}};
    case KeyScheme::logged_in:
      return {{constants.logged_in_key, key, "logged_in_key"},
              {constants.logged_in_salt, {}, "logged_in_salt"}};
    case KeyScheme::nonce:
      break;
  }
  return {{constants.nonce_key, key, "nonce_key"}, {constants.nonce_salt, {}, "nonce_salt"}};
}

// Whether WordPress accepts the value of a constant as a secret.
bool is_secret(std::string_view value, const config::WordPressKeys& k) {
  if (value.empty() || value == kSamplePhrase) return false;
  const std::array<std::string_view, 10> all = {
      k.auth_key,  k.secure_auth_key,  k.logged_in_key,  k.nonce_key,  k.secret_key,
      k.auth_salt, k.secure_auth_salt, k.logged_in_salt, k.nonce_salt, k.secret_salt};
  return std::ranges::count(all, value) == 1;
}

std::optional<std::string> resolve(const Half& half, const config::WordPressKeys& constants,
                                   const FindOption& find_option) {
  if (is_secret(half.constant, constants)) return std::string(half.constant);
  if (is_secret(half.fallback, constants)) return std::string(half.fallback);
  return find_option(half.option);
}

}  // namespace

std::optional<std::string> wp_salt(KeyScheme scheme, const config::WordPressKeys& constants,
                                   const FindOption& find_option) {
  const auto [of_key, of_salt] = halves_of(scheme, constants);
  const auto key = resolve(of_key, constants, find_option);
  const auto salt = resolve(of_salt, constants, find_option);
  if (!key || !salt) return std::nullopt;
  return *key + *salt;
}

}  // namespace wordpress
