// Fuzzes the credentials sent by clients: the Authorization header, the login name, the logged-in
// cookie and the REST nonce.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.h"
#include "wordpress/credentials.h"
#include "wordpress/password.h"
#include "wordpress/text.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

const base::Time kNow{std::chrono::seconds(1'795'000'000)};

void read_basic(std::string_view text) {
  require(base::from_base64_like_php(base::to_base64(text)) == text);
  const auto credentials = wordpress::parse_basic_auth(text);
  if (!credentials) return;
  require(credentials->user.find(':') == std::string::npos && !credentials->password.empty());
  const std::string again = credentials->user + ":" + credentials->password;
  require(wordpress::parse_basic_auth("Basic " + base::to_base64(again)) == credentials);
}

void read_name(std::string_view text) {
  const std::string bare = wordpress::without_tags(text);
  require(bare.size() <= text.size() && bare.find('\0') == std::string::npos);
  if (text.find_first_of(std::string_view("<\0", 2)) == std::string_view::npos) {
    require(bare == text);
  }
  const std::string name = wordpress::normalized_login(text);
  require(name.size() <= text.size());
}

void read_cookie(std::string_view text) {
  const auto cookie = wordpress::parse_logged_in_cookie(text);
  if (!cookie) return;
  require(cookie->username + "|" + cookie->expiration + "|" + cookie->token + "|" +
              cookie->signature ==
          text);
  // A cookie that is valid in GET requests is also valid in POST requests, where cookies are valid
  // for one more hour.
  require(wordpress::is_expired(*cookie, kNow, false) ||
          !wordpress::is_expired(*cookie, kNow, true));
  // No input contains a valid HMAC, because the salt is not in the input.
  require(!wordpress::is_signed(*cookie, "$P$Bgft.bTG0L6ZnvSS259gSlLB2WvFy5/", "secret salt"));
  require(!wordpress::is_signed(*cookie, text, "secret salt"));
}

void read_nonce(std::string_view text) {
  const wordpress::NonceHolder holder{1, text};
  const std::string nonce = wordpress::create_rest_nonce(holder, "salt", kNow);
  require(nonce.size() == 10 && wordpress::is_rest_nonce(nonce, holder, "salt", kNow));
  require(!wordpress::is_rest_nonce(nonce, {2, text}, "salt", kNow));
  if (wordpress::is_rest_nonce(text, {1, "token"}, "salt", kNow)) require(text.size() == 10);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_basic(text);
  read_name(text.substr(0, wordpress::kMaxUserNameBytes));
  read_cookie(text);
  read_nonce(text);
  require(wordpress::normalized_app_password(text).size() <= size);
  // Skip texts longer than 34 bytes, because they could be password hashes that take too long to
  // check.
  if (text.size() <= 34) (void)wordpress::is_account_password("password", text);
  return 0;
}
