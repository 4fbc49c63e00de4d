#include "fcgi/exchange.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/text.h"

namespace fcgi {
namespace {

constexpr int kNoListeningSocket = -1;  // the library's accept() fails immediately

// Returns the web server's request id if it is valid, and otherwise a new id.
std::string request_id(std::string_view offered) {
  constexpr std::size_t kLongest = 64;
  const bool sound = !offered.empty() && offered.size() <= kLongest &&
                     base::consists_of_letters_digits_and(offered, "_-");
  return sound ? std::string(offered) : base::to_hex(base::random_bytes(16));
}

// Returns whether proxies add the header "name" to requests that they forward.
bool is_proxy_header(std::string_view name) {
  constexpr auto kOthers = std::to_array<std::string_view>(
      {"HTTP_FORWARDED", "HTTP_VIA", "HTTP_X_REAL_IP", "HTTP_X_CLIENT_IP", "HTTP_TRUE_CLIENT_IP",
       "HTTP_CF_CONNECTING_IP", "HTTP_CDN_LOOP", "HTTP_FASTLY_CLIENT_IP",
       "HTTP_X_CLUSTER_CLIENT_IP"});
  return name.starts_with("HTTP_X_FORWARDED") || std::ranges::count(kOthers, name) > 0;
}

// A FastCGI parameter that is copied unchanged into the request.
struct Plain {
  std::string_view name;
  std::string_view http::Request::*place;
};
constexpr auto kPlain = std::to_array<Plain>({
    {"SERVER_NAME", &http::Request::host},
    {"CONTENT_TYPE", &http::Request::content_type},
    {"REMOTE_ADDR", &http::Request::remote_address},
    {"HTTP_CONTENT_ENCODING", &http::Request::content_encoding},
    {"HTTP_ACCESS_CONTROL_REQUEST_METHOD", &http::Request::preflight_method},
    {"HTTP_SEC_FETCH_SITE", &http::Request::sec_fetch_site},
    {"HTTP_X_REQUESTED_WITH", &http::Request::requested_with},
    {"HTTP_ACCEPT", &http::Request::accept},
    {"HTTP_COOKIE", &http::Request::cookie},
    {"HTTP_AUTHORIZATION", &http::Request::authorization},
    {"HTTP_USER_AGENT", &http::Request::user_agent},
    {"HTTP_IF_NONE_MATCH", &http::Request::if_none_match},
    {"HTTP_X_HTTP_METHOD_OVERRIDE", &http::Request::method_override},
});

void set_parameter(http::Request& request, std::string_view name, std::string_view value) {
  if (const auto* const plain = std::ranges::find(kPlain, name, &Plain::name);
      plain != kPlain.end()) {
    request.*plain->place = value;
  } else if (name == "REQUEST_METHOD") {
    request.method = http::method_named(value);
  } else if (name == "REQUEST_URI") {
    const std::size_t mark = std::min(value.find('?'), value.size());
    request.path = value.substr(0, mark);
    request.query = value.substr(std::min(mark + 1, value.size()));
  } else if (name == "SENT_URI") {
    request.sent_path = value.substr(0, value.find('?'));
  } else if (name == "HTTPS") {
    request.https = base::equals_ignoring_case(value, "on") || value == "1";
  } else if (name == "REQUEST_ID") {
    request.id = value;
  } else if (name == "HTTP_ORIGIN") {
    // If a request has two Origin headers, either of them may be forged, so both are replaced by
    // the text "two origins", which matches no allowed origin.
    request.origin = request.has_origin ? "two origins" : value;
    request.has_origin = true;
  } else if (name == "HTTP_X_WP_NONCE") {
    request.wp_nonce = value;
    request.has_wp_nonce = true;
  } else if (name == "HTTP_X_RATINGD_DEVICE") {
    request.device_token = value;
    request.has_device_token = true;
  } else if (name == "HTTP_X_RATINGD_TICKET") {
    request.has_two_tickets = request.has_ticket;
    request.ticket = value;
    request.has_ticket = true;
  } else if (is_proxy_header(name)) {
    request.is_forwarded = true;
    const bool is_usual = name == "HTTP_X_FORWARDED_FOR";
    if (is_usual || (name == "HTTP_FORWARDED" && request.forwarded_for.empty())) {
      request.forwarded_for = value;
    }
  }
}

// In GET and HEAD requests, an empty header is treated as absent. Because nginx cannot distinguish
// an empty header from an absent header, nginx may answer a request with an empty header from its
// cache.
void drop_empty_headers_of_read(http::Request& request) {
  if (request.method != http::Method::get && request.method != http::Method::head) return;
  request.has_origin = request.has_origin && !request.origin.empty();
  request.has_wp_nonce = request.has_wp_nonce && !request.wp_nonce.empty();
  request.has_device_token = request.has_device_token && !request.device_token.empty();
  request.has_ticket = request.has_ticket && !request.ticket.empty();
}

http::Request read_parameters(char** parameters) {
  http::Request request;
  for (char** parameter = parameters; parameter != nullptr && *parameter != nullptr; ++parameter) {
    const std::string_view text = *parameter;
    const std::size_t equals = std::min(text.find('='), text.size());
    set_parameter(request, text.substr(0, equals), text.substr(std::min(equals + 1, text.size())));
  }
  drop_empty_headers_of_read(request);
  request.id = request_id(request.id);
  return request;
}

// The time limit for each send or receive operation. The limit must be set for each connection,
// because an accepted TCP socket inherits the listening socket's shorter timeout.
constexpr std::chrono::seconds kTransferLimit{5};
// The time limit for each send or receive operation while a large body or a streamed response is
// transferred. The limit is longer than kTransferLimit, because nginx may have to wait for its own
// client.
constexpr std::chrono::seconds kPieceLimit{60};
constexpr std::chrono::minutes kPiecesLimit{10};

void bound_transfer(int connection, std::chrono::seconds limit) {
  const timeval time{.tv_sec = limit.count(), .tv_usec = 0};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

constexpr std::size_t kLongestStatus = 32;  // including its reason phrase

struct Reason {
  int status;
  std::string_view text;
};
constexpr auto kReasons = std::to_array<Reason>({{200, " OK"},
                                                 {201, " Created"},
                                                 {204, " No Content"},
                                                 {304, " Not Modified"},
                                                 {400, " Bad Request"},
                                                 {401, " Unauthorized"},
                                                 {403, " Forbidden"},
                                                 {404, " Not Found"},
                                                 {410, " Gone"},
                                                 {429, " Too Many Requests"},
                                                 {503, " Service Unavailable"}});

std::string_view reason_of(int status) {
  const auto* const found = std::ranges::find(kReasons, status, &Reason::status);
  return found == kReasons.end() ? " Internal Server Error" : found->text;
}

std::string_view parameter(const char* name, char** parameters) {
  const char* const text = FCGX_GetParam(name, parameters);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

std::optional<std::uint64_t> announced_length(char** parameters, bool is_streamed) {
  const std::string_view digits = parameter("CONTENT_LENGTH", parameters);
  if (digits.empty() && is_streamed) return std::nullopt;
  std::uint64_t length = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), length);
  return length;
}

std::string written(const http::Response& response) {
  constexpr std::string_view kStatus = "Status: ";
  constexpr std::string_view kColon = ": ";
  constexpr std::string_view kEnd = "\r\n";
  std::size_t size = kStatus.size() + 2 * kEnd.size() + response.body.size() + kLongestStatus;
  for (const http::Header& header : response.headers) {
    size += header.name.size() + kColon.size() + header.value.size() + kEnd.size();
  }
  std::string text;
  text.reserve(size);
  text.append(kStatus).append(std::to_string(response.status)).append(reason_of(response.status));
  text += kEnd;
  for (const http::Header& header : response.headers) {
    text.append(header.name).append(kColon).append(header.value).append(kEnd);
  }
  text += kEnd;
  return text += response.body;
}

}  // namespace

void Exchange::initialize() {
  if (FCGX_Init() != 0) throw std::runtime_error("libfcgi failed to start");
}

void Exchange::prepare(int connection) { bound_transfer(connection, kTransferLimit); }

Exchange::Exchange(int connection) {
  FCGX_InitRequest(&request_, kNoListeningSocket, 0);
  // Pretend that a request on a persistent connection has just ended, so that libfcgi reads the
  // next request from "connection".
  request_.ipcFd = connection;
  request_.keepConnection = 1;
}

Exchange::~Exchange() {
  // Close the socket here, because libfcgi would wait up to two seconds for the web server to close
  // its side.
  if (request_.ipcFd >= 0) close(request_.ipcFd);
  request_.ipcFd = kNoSocket;
  FCGX_Free(&request_, 0);
}

// Looks for the end of a request, which is an empty FCGI_STDIN record.
bool Exchange::has_whole_request(int connection) {
  constexpr std::size_t kHeader = 8;  // version, type, 2 of id, 2 of length, padding, reserved
  constexpr unsigned char kInput = 5;
  std::array<unsigned char, 8192> bytes;  // the library reads this many bytes at once
  const ssize_t size = recv(connection, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
  const std::size_t end = size > 0 ? static_cast<std::size_t>(size) : 0;
  for (std::size_t at = 0; at + kHeader <= end;) {
    const std::size_t length = std::size_t{bytes[at + 4]} << 8U | bytes[at + 5];
    if (bytes[at + 1] == kInput && length == 0) return true;
    at += kHeader + length + bytes[at + 6];
  }
  return false;
}

bool Exchange::read(const base::Clock& clock) {
  if (FCGX_Accept_r(&request_) != 0) return false;
  // Reject truncated parameters, because libfcgi would treat them as complete and wait for the
  // body.
  if (FCGX_GetError(request_.in) != 0) return false;
  http_request_ = read_parameters(request_.envp);
  http_request_.received_at = clock.now();
  const bool is_streamed = !parameter("BODY_IS_STREAMED", request_.envp).empty();
  announced_ = announced_length(request_.envp, is_streamed);
  if (is_streamed || announced_ > http::kMaxBody) {
    offer_large_body();
    return true;
  }
  while (read_some() > 0 && body_.size() <= http::kMaxBody) body_ += piece();
  http_request_.body = body_;
  return read_rest();
}

bool Exchange::is_quick(const http::Response& response) const {
  return has_read_body() && !response.pieces && response.body.size() <= kMaxQuick;
}

bool Exchange::answer(const http::Response& response, bool may_wait) {
  if (http_request_.body_too_large) bound_transfer(request_.ipcFd, kTransferLimit);
  const bool is_read = has_read_body();
  if (is_read && !read_rest()) return false;
  const std::string answer = written(response);
  if (!send(answer)) return false;
  if (response.pieces && !send_pieces(response.pieces)) return false;
  FCGX_Finish_r(&request_);
  if (!is_read && may_wait) discard_rest();
  return is_read && request_.ipcFd >= 0;
}

void Exchange::offer_large_body() {
  http_request_.body_too_large = true;
  http_request_.large_body_size = announced_.value_or(0);
  http_request_.large_body = [this]() -> std::optional<std::string_view> {
    // Allow more time for each piece of a large body, because the web server may have to wait for
    // its client.
    if (received_ == 0) bound_transfer(request_.ipcFd, kPieceLimit);
    if (read_some() == 0 && !is_body_whole()) return std::nullopt;
    return piece();
  };
}

// Reads the next piece of the body and returns its size. Returns 0 at the end of the body, even if
// the body is incomplete.
std::size_t Exchange::read_some() {
  const int count = FCGX_GetStr(buffer_.data(), static_cast<int>(buffer_.size()), request_.in);
  piece_size_ = count > 0 ? static_cast<std::size_t>(count) : 0;
  received_ += piece_size_;
  body_ended_ = body_ended_ || piece_size_ == 0;
  return piece_size_;
}

bool Exchange::is_body_whole() const {
  return FCGX_GetError(request_.in) == 0 && received_ == announced_.value_or(received_);
}

// Reads and discards the rest of the request's body. Returns false if the body is incomplete
// because the client has disconnected.
bool Exchange::read_rest() {
  while (read_some() > 0) {
  }
  return is_body_whole();
}

// Reads and discards the rest of a request's body after the response was sent. A web server that
// cannot write the whole body to the socket might fail before it reads the response. Stops when the
// web server has closed the connection, or after kTransferLimit.
void Exchange::discard_rest() {
  shutdown(request_.ipcFd, SHUT_WR);
  const base::Stopwatch stopwatch;
  while (stopwatch.elapsed() < kTransferLimit &&
         recv(request_.ipcFd, buffer_.data(), buffer_.size(), 0) > 0) {
  }
}

bool Exchange::send(std::string_view text) {
  const int size = static_cast<int>(text.size());
  return FCGX_PutStr(text.data(), size, request_.out) == size;
}

// Returns false if the web server stops reading the response or reads it too slowly.
bool Exchange::send_pieces(const http::Pieces& pieces) {
  bound_transfer(request_.ipcFd, kPieceLimit);
  const base::Stopwatch stopwatch;
  std::string piece;
  while (pieces(piece)) {
    if (!send(piece) || stopwatch.elapsed() > kPiecesLimit) return false;
    piece.clear();
  }
  bound_transfer(request_.ipcFd, kTransferLimit);
  return true;
}

}  // namespace fcgi
