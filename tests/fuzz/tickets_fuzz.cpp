// Fuzzes tickets from other front ends, and the secret file with the keys for these tickets.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/text.h"
#include "identity/secrets.h"
#include "identity/ticket.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

const base::Time kNow{std::chrono::seconds(1'795'000'000)};
const std::vector<std::string> kSite = {"https://example.org"};
const std::string kSecret = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";

// Returns ticket keys for both algorithms. Two of the keys have the same name and all permissions.
identity::Tickets make_tickets() {
  identity::TicketKey shop;
  shop.name = "shop";
  shop.key = kSecret;
  identity::TicketKey all = shop;
  all.name = "all";
  all.rights = model::Rights::all();
  all.may_forward = true;
  all.is_of_cms_users = true;
  identity::TicketKey app = all;
  app.algorithm = identity::TicketAlgorithm::es256;
  // A public key on the P-256 curve. The private key was discarded.
  app.key = base::from_hex(
                "b86288031b90e508276fdfdeff7981628a553f203add2272538e023383aa26a6"
                "30ae725a6c57a0939b17044492159c65af6069361bb26cf6cfec6a744191fd6f")
                .value();
  return identity::Tickets({shop, all, app});
}

const identity::Tickets& tickets() {
  static const identity::Tickets all = make_tickets();
  return all;
}

void hold(const tl::expected<identity::Ticket, identity::TicketError>& ticket) {
  if (!ticket) return require(!ticket.error().reason.empty() && !ticket.error().message.empty());
  const std::string& subject = ticket->visitor.subject;
  require(!subject.empty() && subject.size() <= model::kMaxSubjectBytes && base::is_utf8(subject));
  require(ticket->visitor.issuer == "shop" || ticket->visitor.issuer == "all");
  if (ticket->visitor.issuer != "shop") return;
  require(ticket->rights.is_empty() && !ticket->address && !ticket->is_of_cms_users);
}

// Requires that "token" be rejected, because no input contains a valid signature.
void check_token(std::string_view token) {
  const auto ticket = tickets().check(token, kSite, kNow);
  require(!ticket);
  hold(ticket);
  const std::string_view reason = ticket.error().reason;
  if (!tickets().key_named_in(token).empty()) return;
  require(reason == "unknown_issuer" || reason == "too_long" || reason == "malformed");
}

// Signs a token with the header and the claims in the input, so that the test reaches the code
// after the signature check.
void check_signed(std::string_view text) {
  const std::size_t end = text.find('\n');
  const bool has_header = end != std::string_view::npos;
  const std::string_view header = has_header ? text.substr(0, end) : R"({"alg":"HS256"})";
  const std::string_view claims = has_header ? text.substr(end + 1) : text;
  const std::string part = base::to_base64url(header) + "." + base::to_base64url(claims);
  const std::string token = part + "." + base::to_base64url(base::hmac_sha256(kSecret, part));
  hold(tickets().check(token, kSite, kNow));
}

void read_secret_file(std::string_view text) {
  const auto content = identity::parse_secret_file(text);
  if (!content) return require(content.error().size() < 500);
  require(!content->secrets.empty() && content->secrets.size() <= 2);
  require(identity::parse_secret_file(text_of(*content)) == *content);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_token(text);
  check_signed(text);
  read_secret_file(text);
  return 0;
}
