#include "admin/web_request.h"

#include <curl/curl.h>

#include <array>
#include <memory>
#include <new>

namespace admin {
namespace {

constexpr long kConnectSeconds = 2;
constexpr long kSeconds = 5;

using Handle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

// A list of strings for libcurl.
class List {
 public:
  List() = default;
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  ~List() { curl_slist_free_all(first_); }

  void add(const std::string& text) {
    curl_slist* const first = curl_slist_append(first_, text.c_str());
    if (first == nullptr) throw std::bad_alloc();
    first_ = first;
  }
  [[nodiscard]] curl_slist* first() const { return first_; }

 private:
  curl_slist* first_ = nullptr;
};

std::size_t drop_body(const char*, std::size_t size, std::size_t count, void*) {
  return size * count;
}

WebAnswer::Outcome outcome_of(CURLcode code) {
  if (code == CURLE_OK) return WebAnswer::Outcome::answered;
  if (code == CURLE_COULDNT_CONNECT) return WebAnswer::Outcome::refused;
  const bool is_untrusted = code == CURLE_PEER_FAILED_VERIFICATION;
  return is_untrusted ? WebAnswer::Outcome::untrusted : WebAnswer::Outcome::broken;
}

// Returns the value of a response header, or an empty string if the header is missing. If the
// response contains several headers named "name", "number" selects one of them.
std::string header(CURL* curl, const char* name, std::size_t number = 0) {
  curl_header* found = nullptr;
  constexpr int kLatest = -1;  // the last response in the transfer
  if (curl_easy_header(curl, name, number, CURLH_HEADER, kLatest, &found) != CURLHE_OK) return "";
  return found->value;
}

// Returns the URL of WordPress's REST API, which WordPress sends in a Link header of each page
// (https://developer.wordpress.org/rest-api/using-the-rest-api/discovery/).
std::string rest_api_in(CURL* curl) {
  constexpr std::size_t kMostLinks = 16;
  for (std::size_t i = 0; i < kMostLinks; ++i) {
    const std::string link = header(curl, "Link", i);
    const std::size_t relation = link.find("rel=\"https://api.w.org/\"");
    if (relation == std::string::npos) continue;
    const std::size_t begin = link.rfind('<', relation);
    const std::size_t end = link.find('>', begin);
    if (end != std::string::npos) return link.substr(begin + 1, end - begin - 1);
  }
  return "";
}

}  // namespace

WebAnswer send(const WebRequest& request) {
  const Handle handle(curl_easy_init(), curl_easy_cleanup);
  CURL* const curl = handle.get();
  if (curl == nullptr) throw std::bad_alloc();
  List connect_to;
  connect_to.add("::" + request.address);
  List headers;
  headers.add("Host: " + request.host);
  if (request.is_forwarded) headers.add("X-Forwarded-Proto: https");
  std::array<char, CURL_ERROR_SIZE> error{};
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_CONNECT_TO, connect_to.first());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.first());
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "ratingctl");
  curl_easy_setopt(curl, CURLOPT_NOBODY, request.is_head ? 1L : 0L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, request.verifies ? 1L : 0L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, request.verifies ? 2L : 0L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, kSeconds);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop_body);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error.data());

  const CURLcode code = curl_easy_perform(curl);
  WebAnswer answer{.outcome = outcome_of(code)};
  if (code != CURLE_OK) {
    answer.problem = error.front() == '\0' ? curl_easy_strerror(code) : error.data();
    return answer;
  }
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
  answer.server = header(curl, "Server");
  answer.location = header(curl, "Location");
  answer.request_id = header(curl, "X-Request-Id");
  answer.challenge_response = header(curl, "X-Ratingd-Proof");
  answer.scheme = header(curl, "X-Ratingd-Scheme");
  answer.rest_api = rest_api_in(curl);
  return answer;
}

}  // namespace admin
