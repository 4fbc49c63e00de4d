#include "identity/ticket_key.h"

#include <cjose/jwk.h>
#include <cjose/jws.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/crypto.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "config/cms.h"
#include "identity/ticket.h"
#include "model/rating.h"

namespace identity {
namespace {

constexpr std::size_t kRandomBytes = 32;
constexpr std::size_t kPublicKeyBytes = 64;
constexpr std::string_view kRights = "rights=";
constexpr std::string_view kMayForward = "may-forward";
constexpr std::string_view kCmsUsers = "cms-users";
constexpr std::string_view kSentByBrowsers = "sent-by-browsers";

std::string_view word_for(TicketAlgorithm algorithm) {
  return algorithm == TicketAlgorithm::hs256 ? "hs256" : "es256";
}

std::optional<TicketAlgorithm> algorithm_in(std::string_view word) {
  for (const auto algorithm : {TicketAlgorithm::hs256, TicketAlgorithm::es256}) {
    if (word == word_for(algorithm)) return algorithm;
  }
  return std::nullopt;
}

std::optional<std::chrono::sys_seconds> time_in(std::string_view word) {
  const auto time = base::from_rfc3339(word);
  if (!time || base::to_rfc3339(*time) != word) return std::nullopt;
  return std::chrono::floor<std::chrono::seconds>(*time);
}

bool is_shared_secret(std::string_view text) {
  return text.size() >= kMinSharedSecretBytes && text.size() <= kMaxSharedSecretBytes &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

std::optional<std::string> key_in(std::string_view word, TicketAlgorithm algorithm) {
  if (algorithm == TicketAlgorithm::hs256) {
    if (!is_shared_secret(word)) return std::nullopt;
    return std::string(word);
  }
  auto key = base::from_base64url(word);
  if (key && key->size() != kPublicKeyBytes) return std::nullopt;
  return key;
}

tl::unexpected<std::string> allowed(std::string what) {
  return tl::unexpected<std::string>(std::move(what));
}

// If the first word in "text" is "word", removes this word and the following space from "text" and
// returns true.
bool take_word(std::string_view& text, std::string_view word) {
  if (text.substr(0, text.find(' ')) != word) return false;
  base::take_until(text, ' ');
  return true;
}

constexpr std::size_t kCoordinateBytes = 32;

struct ReleaseJws {
  void operator()(cjose_jws_t* signature) const { cjose_jws_release(signature); }
};

}  // namespace

std::string_view name_of(TicketAlgorithm algorithm) {
  return algorithm == TicketAlgorithm::hs256 ? "HS256" : "ES256";
}

std::string new_shared_secret() { return base::to_base64url(base::random_bytes(kRandomBytes)); }

tl::expected<TicketKey, std::string> parse_ticket_key(std::string_view text) {
  TicketKey key;
  key.name = base::take_until(text, ' ');
  if (!model::is_issuer(key.name)) {
    return allowed("the name of a ticket key is 1 to 64 of A-Z, a-z, 0-9, '_', '.' and '-'");
  }
  const auto algorithm = algorithm_in(base::take_until(text, ' '));
  if (!algorithm) return allowed("the algorithm of a ticket key is hs256 or es256");
  key.algorithm = *algorithm;
  const auto added = time_in(base::take_until(text, ' '));
  if (!added)
    return allowed("a ticket key has the time at which it was added: 2026-11-22T05:00:00Z");
  key.added = *added;
  if (text.starts_with(kRights)) {
    const auto rights = rights_named(base::take_until(text, ' ').substr(kRights.size()));
    if (!rights) {
      return allowed("the rights of a ticket key are a list with commas of " +
                     names_of(model::Rights::all()));
    }
    key.rights = *rights;
  }
  key.may_forward = take_word(text, kMayForward);
  key.is_of_cms_users = take_word(text, kCmsUsers);
  key.is_sent_by_browsers = take_word(text, kSentByBrowsers);
  auto bytes = key_in(text, key.algorithm);
  if (!bytes) {
    return allowed(
        "a ticket key ends with the words that apply, in the order rights=LIST may-forward "
        "cms-users "
        "sent-by-browsers, and then the key: 32 to 256 visible ASCII characters (hs256), or 86 "
        "base64url characters (es256)");
  }
  key.key = std::move(*bytes);
  return key;
}

std::string text_of(const TicketKey& key) {
  assert(model::is_issuer(key.name));
  std::string text = key.name + " " + std::string(word_for(key.algorithm)) + " " +
                     base::to_rfc3339(key.added) + " ";
  if (!key.rights.is_empty()) text += std::string(kRights) + names_of(key.rights) + " ";
  if (key.may_forward) text += std::string(kMayForward) + " ";
  if (key.is_of_cms_users) text += std::string(kCmsUsers) + " ";
  if (key.is_sent_by_browsers) text += std::string(kSentByBrowsers) + " ";
  return text += key.algorithm == TicketAlgorithm::hs256 ? key.key : base::to_base64url(key.key);
}

std::string names_of(model::Rights rights) {
  std::string names;
  for (const model::Right right : model::kRights) {
    if (!rights.has(right)) continue;
    if (!names.empty()) names += ',';
    names += model::name_of(right);
  }
  return names;
}

std::optional<model::Rights> rights_named(std::string_view names) {
  model::Rights rights;
  // The loop also rejects an empty name after a trailing comma.
  for (bool is_last = false; !is_last;) {
    is_last = names.find(',') == std::string_view::npos;
    const auto right = model::right_named(base::take_until(names, ','));
    if (!right) return std::nullopt;
    rights.add(*right);
  }
  return rights;
}

std::optional<std::string> refusal_to_add(const TicketKey& key, std::span<const TicketKey> keys) {
  if (config::cms_named(key.name)) {
    return "\"" + key.name +
           "\" is the name of the key that is derived from the CMS's own configuration; choose "
           "another name";
  }
  if (keys.size() >= kMaxTicketKeys) {
    return "there may be at most " + std::to_string(kMaxTicketKeys) + " ticket keys";
  }
  std::size_t count = 0;
  for (const TicketKey& other : keys) {
    if (other.name != key.name) continue;
    if (++count == kMaxTicketKeysOfOneName) {
      return "there are two keys \"" + key.name +
             "\" already; remove the older one first: ratingctl ticket-key remove " + key.name +
             " --older";
    }
    if (other.is_of_cms_users != key.is_of_cms_users) {
      return "both keys \"" + key.name +
             "\" must be of users of the CMS, or neither: otherwise a visitor would become another "
             "voter during the rotation";
    }
  }
  return std::nullopt;
}

void TicketVerifier::Release::operator()(cjose_jwk_t* key) const { cjose_jwk_release(key); }

TicketVerifier::TicketVerifier(const TicketKey& key) : key_(key) {
  std::string bytes = std::move(key_.key);  // cjose takes pointers to non-const, but only reads
  key_.key.clear();
  auto* const data = reinterpret_cast<std::uint8_t*>(bytes.data());
  if (key.algorithm == TicketAlgorithm::hs256) {
    assert(bytes.size() >= kMinSharedSecretBytes);
    jwk_.reset(cjose_jwk_create_oct_spec(data, bytes.size(), nullptr));
  } else {
    assert(bytes.size() == 2 * kCoordinateBytes);
    cjose_jwk_ec_keyspec point{};
    point.crv = CJOSE_JWK_EC_P_256;
    point.x = data;
    point.xlen = kCoordinateBytes;
    point.y = data + kCoordinateBytes;
    point.ylen = kCoordinateBytes;
    jwk_.reset(cjose_jwk_create_EC_spec(&point, nullptr));  // checks that the point is on the curve
  }
  base::discard_crypto_errors();
  if (jwk_ == nullptr) {
    throw std::runtime_error("ticket key \"" + key.name +
                             "\": its key is not valid; remove it and add it again");
  }
}

bool TicketVerifier::verifies(std::string_view token, std::size_t signature_bytes) const {
  // The cjose library accepts ES256 signatures of any even length, so check the length here.
  const std::size_t expected = key_.algorithm == TicketAlgorithm::hs256 ? 32 : 64;
  if (signature_bytes != expected) return false;
  const std::unique_ptr<cjose_jws_t, ReleaseJws> jws(
      cjose_jws_import(token.data(), token.size(), nullptr));
  const bool is_valid = jws != nullptr && cjose_jws_verify(jws.get(), jwk_.get(), nullptr);
  if (!is_valid) base::discard_crypto_errors();
  return is_valid;
}

}  // namespace identity
