#include "identity/asker.h"

#include <algorithm>

#include "base/crypto.h"
#include "http/parse.h"

namespace identity {
namespace {

constexpr std::size_t kDigestBytes = 16;

}  // namespace

Asker recognise(const http::Request& request, const KeyRing& keys,
                const model::Settings& settings) {
  Asker asker;
  asker.address = base::Address::parse(request.remote_address);
  // A cookie of another path or host may have the same name.
  for (const std::string& text : http::find_cookies(request.cookie, kVoterCookieName)) {
    asker.cookie = read_voter_cookie(text, keys, request.received_at, settings.voter_cookie_life);
    if (asker.cookie) break;
  }
  return asker;
}

std::string fingerprint_of(const base::Address& address, std::string_view user_agent,
                           const Keys& keys) {
  const std::string_view network = address.network();
  if (network.empty()) return {};
  // The network's length in front keeps it apart from the user agent.
  std::string visible(1, static_cast<char>(network.size()));
  visible += network;
  visible += user_agent;
  return base::hmac_sha256(keys.fingerprint, visible).substr(0, kDigestBytes);
}

model::VoterId random_voter() { return base::random_u64() | model::kAnonymousBit; }

std::string stored_address(const base::Address& address, const Keys& keys,
                           model::StoreAddress form) {
  if (address.bytes.empty() || form == model::StoreAddress::none) return {};
  if (form == model::StoreAddress::full) {
    return (address.bytes.size() == 4 ? "4" : "6") + address.bytes;
  }
  return "h" + base::hmac_sha256(keys.address, address.network()).substr(0, kDigestBytes);
}

std::uint16_t stored_agent(std::string_view user_agent, const Keys& keys) {
  const std::string hash = base::hmac_sha256(keys.agent, user_agent);
  const auto byte = [&](std::size_t i) { return unsigned{static_cast<unsigned char>(hash[i])}; };
  const auto number = static_cast<std::uint16_t>(byte(0) << 8U | byte(1));
  return std::max<std::uint16_t>(number, 1);
}

}  // namespace identity
