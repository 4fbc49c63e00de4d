#include "identity/requester.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/crypto.h"
#include "http/parse.h"

namespace identity {
namespace {

constexpr std::size_t kDigestBytes = 16;

model::VoterId voter_in(std::string_view digest) {
  model::VoterId voter = 0;
  for (const char byte : digest.substr(0, sizeof voter)) {
    voter = voter << 8U | static_cast<unsigned char>(byte);
  }
  return voter | model::kAnonymousBit;
}

}  // namespace

Requester recognise(const http::Request& request, const KeyRing& keys,
                    const model::Settings& settings) {
  Requester requester;
  requester.address = base::Address::parse(request.remote_address);
  for (const std::string& text : http::find_cookies(request.cookie, kVoterCookieName)) {
    const auto cookie =
        read_voter_cookie(text, keys, request.received_at, settings.voter_cookie_days);
    if (!cookie) continue;
    requester.has_rival_cookies |= requester.cookie && requester.cookie->voter != cookie->voter;
    requester.cookie = cookie;
  }
  if (!request.has_device_token) return requester;
  if (is_device_token(request.device_token)) {
    requester.device_voter = voter_of_device(request.device_token, keys.front());
  } else {
    requester.has_malformed_device_token = true;
  }
  return requester;
}

bool is_device_token(std::string_view text) {
  return text.size() >= kMinDeviceTokenLength && text.size() <= kMaxDeviceTokenLength &&
         base::consists_of_letters_digits_and(text, "_-");
}

model::VoterId voter_of_device(std::string_view token, const Keys& keys) {
  return voter_in(base::hmac_sha256(keys.device, token));
}

model::VoterId voter_of_visitor(const model::FrontEndVisitor& visitor, const Keys& keys) {
  // No issuer contains the separator.
  return voter_in(base::hmac_sha256(keys.visitor, visitor.issuer + '\0' + visitor.subject));
}

model::VoterId voter_of_request(std::string_view request_id, const Keys& keys) {
  return voter_in(base::hmac_sha256(keys.new_voter, request_id));
}

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
