#include "identity/ticket.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <string>
#include <utility>

#include "base/crypto.h"
#include "base/text.h"
#include "config/cms.h"
#include "json/codec.h"

namespace identity {
namespace {

using Refusal = tl::unexpected<TicketError>;
using OptionalError = std::optional<TicketError>;

TicketError malformed(std::string message) { return {"malformed", std::move(message)}; }

// A JWT whose signature has not been verified.
struct Jwt {
  json::Value header;
  json::Value claims;
  std::size_t signature_bytes = 0;
};

// Returns the JSON object encoded in one part of a token.
std::optional<json::Value> object_in(std::string_view part) {
  const auto text = base::from_base64url(part);
  if (!text) return std::nullopt;
  auto value = json::parse(*text);
  if (!value || !std::holds_alternative<json::Value::Object>(value->data)) return std::nullopt;
  return std::move(*value);
}

tl::expected<Jwt, TicketError> parse_jwt(std::string_view token) {
  if (token.size() > kMaxTicketBytes) {
    return Refusal(
        {"too_long", "A ticket is at most " + std::to_string(kMaxTicketBytes) + " bytes long."});
  }
  if (std::ranges::count(token, '.') != 2) {
    return Refusal(malformed("A ticket is a JWT: three parts with dots between them."));
  }
  auto header = object_in(base::take_until(token, '.'));
  if (!header) {
    return Refusal(malformed(
        "The first part of a ticket is the base64url, without padding, of a JSON object that has "
        "each member once."));
  }
  auto claims = object_in(base::take_until(token, '.'));
  if (!claims) {
    return Refusal(malformed(
        "The second part of a ticket is the base64url, without padding, of a JSON object that has "
        "each member once."));
  }
  const auto signature = base::from_base64url(token);
  if (!signature) {
    return Refusal(malformed(
        "The third part of a ticket is the base64url, without padding, of its signature."));
  }
  return Jwt{std::move(*header), std::move(*claims), signature->size()};
}

// Returns the object's member "name", or nullptr if the member is missing or is not a string.
const std::string* string_in(const json::Value& object, std::string_view name) {
  const json::Value* const value = object.find(name);
  return value == nullptr ? nullptr : std::get_if<std::string>(&value->data);
}

// Returns a NumericDate (RFC 7519, section 2) in seconds since 1970. Returns a double, because a
// NumericDate may have a fraction.
std::optional<double> time_in(const json::Value* value) {
  const auto* const number =
      value == nullptr ? nullptr : std::get_if<json::Value::Number>(&value->data);
  return number == nullptr ? std::nullopt : base::parse_number<double>(number->text);
}

OptionalError check_header(const json::Value& header) {
  if (header.find("crit") != nullptr) {
    return TicketError{"critical_header",
                       "A ticket has no header \"crit\": ratingd understands no extension."};
  }
  if (header.find("typ") == nullptr) return std::nullopt;
  const std::string* const type = string_in(header, "typ");
  if (type != nullptr && base::equals_ignoring_case(*type, "JWT")) return std::nullopt;
  return malformed("The header \"typ\" of a ticket is \"JWT\", or it is absent.");
}

double seconds_of(base::Time now) {
  return static_cast<double>(
      std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count());
}

OptionalError check_times(const json::Value& claims, base::Time now) {
  const double seconds = seconds_of(now);
  const auto leeway = static_cast<double>(kTicketLeeway.count());
  const auto life = static_cast<double>(kMaxTicketLife.count());
  const auto expiration = time_in(claims.find("exp"));
  const auto issued = time_in(claims.find("iat"));
  if (!expiration || !issued) {
    return malformed("\"exp\" and \"iat\" are required, each a number of seconds since 1970.");
  }
  const json::Value* const begin = claims.find("nbf");
  const auto not_before = begin == nullptr ? issued : time_in(begin);
  if (!not_before) return malformed("\"nbf\" is a number of seconds since 1970, or it is absent.");
  if (std::max(*issued, *not_before) > seconds + leeway) {
    return TicketError{"not_yet_valid",
                       "\"iat\" or \"nbf\" is in the future; at most 60 seconds are allowed. "
                       "Synchronize the clocks of both hosts."};
  }
  if (*expiration <= seconds - leeway) {
    return TicketError{"expired",
                       "\"exp\" has passed. Make a new ticket for each request, or each minute."};
  }
  if (*expiration > seconds + life + leeway) {
    return TicketError{"lives_too_long",
                       "\"exp\" is too far ahead: a ticket is valid for at most 10 minutes."};
  }
  return std::nullopt;
}

std::string_view without_slash(std::string_view address) {
  if (address.ends_with('/')) address.remove_suffix(1);
  return address;
}

OptionalError check_audience(const json::Value& claims, std::span<const std::string> audiences) {
  const auto is_ours = [&](const std::string& named) {
    return std::ranges::any_of(audiences, [&](const std::string& ours) {
      return without_slash(named) == without_slash(ours);
    });
  };
  bool found = false;
  if (const std::string* const one = string_in(claims, "aud")) {
    found = is_ours(*one);
  } else {
    const json::Value* const value = claims.find("aud");
    const auto* const list =
        value == nullptr ? nullptr : std::get_if<json::Value::Array>(&value->data);
    if (list == nullptr) return malformed("\"aud\" is required, a string or a list of strings.");
    for (const json::Value& item : *list) {
      const auto* const named = std::get_if<std::string>(&item.data);
      if (named == nullptr) return malformed("\"aud\" is a string or a list of strings.");
      found = found || is_ours(*named);
    }
  }
  if (found) return std::nullopt;
  return TicketError{"wrong_audience",
                     "\"aud\" is not the address of this site: " + audiences.front() + "."};
}

// Returns whether "subject" is the id of a CMS user, or "0".
bool is_user_id(const std::string& subject) {
  const auto id = base::parse_number<std::int64_t>(subject);
  return id && *id >= 0 && std::to_string(*id) == subject;
}

tl::expected<std::string, TicketError> subject_of(const json::Value& claims, bool is_of_cms_users) {
  const std::string* const subject = string_in(claims, "sub");
  if (subject == nullptr || subject->empty() || subject->size() > model::kMaxSubjectBytes) {
    return Refusal(malformed("\"sub\" is required, a string of 1 to 255 bytes: the visitor's id."));
  }
  if (is_of_cms_users && !is_user_id(*subject)) {
    return Refusal(malformed(
        "With this key, \"sub\" is the id of a user of the CMS: a string of digits without leading "
        "zeros; \"0\" is the CMS itself."));
  }
  return *subject;
}

tl::expected<model::Rights, TicketError> rights_of(const json::Value& claims) {
  model::Rights rights;
  const json::Value* const value = claims.find("rights");
  if (value == nullptr) return rights;
  const auto* const list = std::get_if<json::Value::Array>(&value->data);
  if (list == nullptr) return Refusal(malformed("\"rights\" is a list of strings."));
  for (const json::Value& item : *list) {
    const auto* const name = std::get_if<std::string>(&item.data);
    if (name == nullptr) return Refusal(malformed("\"rights\" is a list of strings."));
    const auto right = model::right_named(*name);
    if (!right) {
      return Refusal(
          {"unknown_right", "\"rights\" may only contain " + names_of(model::Rights::all()) + "."});
    }
    rights.add(*right);
  }
  return rights;
}

tl::expected<std::optional<base::Address>, TicketError> address_of(const json::Value& claims) {
  if (claims.find("address") == nullptr) return std::nullopt;
  const std::string* const text = string_in(claims, "address");
  auto address = text == nullptr ? base::Address{} : base::Address::parse(*text);
  if (address.bytes.empty()) {
    return Refusal(malformed("\"address\" is a string with the visitor's IP address."));
  }
  return address;
}

// Returns the SHA-256 hashes in "value", one for each piece of a body. Returns nothing if "value"
// is not a list of hashes.
std::optional<std::vector<std::string>> hashes_in(const json::Value* value) {
  constexpr std::size_t kHashBytes = 32;
  const auto* const list =
      value == nullptr ? nullptr : std::get_if<json::Value::Array>(&value->data);
  if (list == nullptr || list->size() > kMaxSignedPieces) return std::nullopt;
  std::vector<std::string> hashes;
  for (const json::Value& item : *list) {
    const auto* const text = std::get_if<std::string>(&item.data);
    auto hash = text == nullptr ? std::nullopt : base::from_base64url(*text);
    if (!hash || hash->size() != kHashBytes) return std::nullopt;
    hashes.push_back(*std::move(hash));
  }
  return hashes;
}

tl::expected<std::optional<TicketBinding>, TicketError> binding_of(const json::Value& claims,
                                                                   base::Time now) {
  constexpr std::size_t kMinNonceBytes = 16;
  constexpr std::size_t kMaxNonceBytes = 64;
  if (claims.find("request") == nullptr) return std::nullopt;
  const std::string* const request = string_in(claims, "request");
  const std::string* const nonce = string_in(claims, "jti");
  auto body = hashes_in(claims.find("body"));
  if (request == nullptr || !body || nonce == nullptr || nonce->size() < kMinNonceBytes ||
      nonce->size() > kMaxNonceBytes) {
    return Refusal(malformed(
        "A ticket with \"request\" (a string) also needs \"jti\" (a string of 16 to 64 bytes) and "
        "\"body\" (a list of at most 32 SHA-256 hashes in base64url, one for each 2 MiB of the "
        "body)."));
  }
  const double age = seconds_of(now) - time_in(claims.find("iat")).value_or(0);
  const auto life = static_cast<double>(kBoundTicketLife.count());
  if (age > life) {
    return Refusal({"expired", "A ticket for one request is valid for 30 seconds after \"iat\"."});
  }
  if (age < -life) {
    return Refusal({"not_yet_valid",
                    "\"iat\" is in the future; for one request, at most 30 seconds are allowed. "
                    "Synchronize the clocks of both hosts."});
  }
  return TicketBinding{*request, *std::move(body), *nonce};
}

// Reads the claims in a ticket whose signature was verified with "key".
tl::expected<Ticket, TicketError> read_claims(const json::Value& claims, const TicketKey& key,
                                              std::span<const std::string> audiences,
                                              base::Time now) {
  if (auto error = check_audience(claims, audiences)) return Refusal(std::move(*error));
  if (auto error = check_times(claims, now)) return Refusal(std::move(*error));
  auto subject = subject_of(claims, key.is_of_cms_users);
  if (!subject) return Refusal(std::move(subject.error()));
  const auto rights = rights_of(claims);
  if (!rights) return Refusal(rights.error());
  auto binding = binding_of(claims, now);
  if (!binding) return Refusal(std::move(binding.error()));
  Ticket ticket{.visitor = {key.name, std::move(*subject)},
                .rights = *rights & key.rights,
                .is_of_cms_users = key.is_of_cms_users,
                .address = {},
                .is_sent_by_browsers = key.is_sent_by_browsers,
                .binding = *std::move(binding)};
  if (!key.may_forward) return ticket;
  auto address = address_of(claims);
  if (!address) return Refusal(std::move(address.error()));
  ticket.address = std::move(*address);
  return ticket;
}

}  // namespace

bool SignedBody::continues_with(std::string_view piece) {
  if (piece.empty() || hashes_.empty()) return piece.empty() && hashes_.empty();
  const bool is_next = base::sha256(piece) == hashes_.front();
  hashes_ = hashes_.subspan(1);
  return is_next;
}

TicketError other_body() {
  return {"other_request", "The ticket is for a request with another body."};
}

Tickets::Tickets(const std::vector<TicketKey>& keys, std::vector<std::string> removed_names)
    : verifiers_(keys.begin(), keys.end()), removed_names_(std::move(removed_names)) {}

std::vector<const TicketVerifier*> Tickets::verifiers_of(std::string_view issuer) const {
  std::vector<const TicketVerifier*> found;
  for (const TicketVerifier& verifier : verifiers_) {
    if (verifier.key().name == issuer) found.push_back(&verifier);
  }
  return found;
}

bool Tickets::is_removed(std::string_view name) const {
  return std::ranges::find(removed_names_, name) != removed_names_.end();
}

std::string Tickets::key_named_in(std::string_view token) const {
  const auto header = object_in(base::take_until(token, '.'));
  const auto claims = object_in(base::take_until(token, '.'));
  // Check only the key's name, so that an invalid ticket for one of ratingd's keys is rejected, not
  // ignored.
  for (const auto& [part, name] : {std::pair(&claims, "iss"), std::pair(&header, "kid")}) {
    const std::string* const text = *part ? string_in(**part, name) : nullptr;
    if (text != nullptr && (!verifiers_of(*text).empty() || is_removed(*text))) return *text;
  }
  return {};
}

bool Tickets::is_costly(std::string_view name) const {
  return std::ranges::any_of(verifiers_of(name), [](const TicketVerifier* verifier) {
    return verifier->key().algorithm != TicketAlgorithm::hs256;
  });
}

std::vector<std::string> Tickets::key_names() const {
  std::set<std::string> names(removed_names_.begin(), removed_names_.end());
  for (const TicketVerifier& verifier : verifiers_) names.insert(verifier.key().name);
  return {names.begin(), names.end()};
}

tl::expected<Ticket, TicketError> Tickets::check(std::string_view token,
                                                 std::span<const std::string> audiences,
                                                 base::Time now) const {
  assert(!audiences.empty());
  const auto jwt = parse_jwt(token);
  if (!jwt) return Refusal(jwt.error());
  const std::string* const issuer = string_in(jwt->claims, "iss");
  if (issuer == nullptr) {
    return Refusal(malformed("\"iss\" is required, a string: the name of a ticket key."));
  }
  auto verifiers = verifiers_of(*issuer);
  if (verifiers.empty() && is_removed(*issuer)) {
    return Refusal({"removed_key", "The key that \"iss\" names was removed."});
  }
  if (verifiers.empty()) {
    return Refusal({"unknown_issuer", "\"iss\" is not the name of a ticket key of this site."});
  }
  const std::string* const algorithm = string_in(jwt->header, "alg");
  const std::string expected(name_of(verifiers.front()->key().algorithm));
  std::erase_if(verifiers, [&](const TicketVerifier* verifier) {
    return algorithm == nullptr || *algorithm != name_of(verifier->key().algorithm);
  });
  if (verifiers.empty()) {
    return Refusal({"wrong_algorithm",
                    "The header \"alg\" is not the algorithm of the key: " + expected + "."});
  }
  if (auto error = check_header(jwt->header)) return Refusal(std::move(*error));
  for (const TicketVerifier* const verifier : verifiers) {
    if (!verifier->verifies(token, jwt->signature_bytes)) continue;
    return read_claims(jwt->claims, verifier->key(), audiences, now);
  }
  return Refusal({"bad_signature", "The signature is not made with the key that \"iss\" names."});
}

// --- Used tickets --------------------------------------------------------------------------------

namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// Each word consists of 26 bits of the ticket's hash, 26 bits of the request id's hash, and 12 bits
// of the time of use, in seconds.
constexpr unsigned kTagBits = 26;
constexpr unsigned kSecondBits = 12;
constexpr unsigned kTicketShift = kTagBits + kSecondBits;
constexpr std::uint64_t kSeconds = (1ULL << kSecondBits) - 1;
constexpr std::uint64_t kMemory = 90;  // seconds

std::uint64_t second_of(base::Time now) {
  const auto second = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
  return static_cast<std::uint64_t>(second.count()) & kSeconds;
}

bool is_recent(std::uint64_t use, std::uint64_t second) {
  const std::uint64_t age = (second - use) & kSeconds;
  return use != 0 && (age <= kMemory || age >= kSeconds - kMemory);
}

bool is_of_one_ticket(std::uint64_t use, std::uint64_t other) {
  return use >> kTicketShift == other >> kTicketShift;
}

bool is_of_one_request(std::uint64_t use, std::uint64_t other) {
  return use >> kSecondBits == other >> kSecondBits;
}

}  // namespace

UsedTickets::Use UsedTickets::use(std::string_view issuer, std::string_view nonce,
                                  std::string_view request_id, base::Time now) {
  const std::uint64_t hash = hash_(std::string(issuer) + " " + std::string(nonce));
  const std::uint64_t second = second_of(now);
  const std::uint64_t own = hash >> kTicketShift << kTicketShift |
                            hash_(request_id) >> kTicketShift << kSecondBits | second;
  Buckets& buckets = config::cms_named(issuer) ? table_.of_cms : table_.of_others;
  auto& uses = buckets[hash % buckets.size()].uses;
  const auto is_for_another = [&](const std::atomic<std::uint64_t>& word) {
    const std::uint64_t use = word.load();
    return is_recent(use, second) && is_of_one_ticket(use, own) && !is_of_one_request(use, own);
  };
  for (std::atomic<std::uint64_t>& word : uses) {
    std::uint64_t use = word.load();
    if (is_recent(use, second) && is_of_one_request(use, own)) return Use::allowed;
  }
  if (std::ranges::any_of(uses, is_for_another)) return Use::used;
  for (std::atomic<std::uint64_t>& word : uses) {
    std::uint64_t use = word.load();
    if (is_recent(use, second) || !word.compare_exchange_strong(use, own)) continue;
    return std::ranges::any_of(uses, is_for_another) ? Use::used : Use::allowed;
  }
  return Use::no_room;
}

}  // namespace identity
