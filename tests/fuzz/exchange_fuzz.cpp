// Fuzzes the input from a web server. The test reads FastCGI records from a socket with libfcgi and
// converts them to a request.
//
// The bits in the first byte of the input are flags. The rest of the input consists either of the
// raw bytes of the connection, or of NAME=VALUE lines, an empty line and a body. The test converts
// NAME=VALUE lines and the body to the FastCGI records that nginx would send.

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "fcgi/exchange.h"

namespace {

constexpr unsigned kPieceBits = 0x0f;  // a record contains 2 to the power of this many bytes
constexpr unsigned kRaw = 0x10;        // the rest is the bytes of the connection
constexpr unsigned kPadded = 0x20;
constexpr unsigned kLong = 0x40;
constexpr unsigned kGone = 0x80;  // the client goes away before the end of its body

constexpr std::size_t kLongest = 80000;  // bytes of a body, which must fit into the socket
constexpr std::size_t kLeastOfLong = 256;

constexpr std::string_view kLength = "CONTENT_LENGTH";
constexpr std::string_view kAnswer = "what is answered";
constexpr std::string_view kPiece = ", and a piece";

void require(bool holds) {
  if (!holds) std::abort();
}

// --- Writing records -----------------------------------------------------------------------------

enum class Type : std::uint8_t { begin = 1, end = 3, params = 4, in = 5, out = 6 };

constexpr std::size_t kHeader = 8;

void append_record(std::string& bytes, Type type, std::string_view content, std::size_t padding) {
  const std::size_t size = content.size();
  for (const std::size_t byte : {std::size_t{1}, static_cast<std::size_t>(type), std::size_t{0},
                                 std::size_t{1}, size >> 8, size, padding, std::size_t{0}}) {
    bytes += static_cast<char>(byte);
  }
  bytes += content;
  bytes.append(padding, '\0');
}

void append_length(std::string& bytes, std::size_t length) {
  constexpr unsigned kShortest = 128;
  if (length >= kShortest) {
    constexpr std::size_t kFourBytes = 0x80;
    bytes += static_cast<char>(kFourBytes | length >> 24);
    bytes += static_cast<char>(length >> 16);
    bytes += static_cast<char>(length >> 8);
  }
  bytes += static_cast<char>(length);
}

void append_stream(std::string& bytes, Type type, std::string_view content, unsigned shape) {
  const std::size_t piece = std::size_t{1} << (shape & kPieceBits);
  const std::size_t padding = (shape & kPadded) != 0 ? 7 : 0;
  for (; !content.empty(); content.remove_prefix(std::min(piece, content.size()))) {
    append_record(bytes, type, content.substr(0, piece), padding);
  }
}

// --- Input from a web server ---------------------------------------------------------------------

struct Sent {
  std::map<std::string, std::string, std::less<>> parameters;  // the last value for each name
  std::string body;
  std::string bytes;
  bool is_sound = true;  // the length of the body is announced exactly once

  // Returns the value of the parameter up to the first NUL byte, or an empty string if the
  // parameter is missing.
  [[nodiscard]] std::string_view operator[](std::string_view name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? "" : found->second.c_str();
  }
};

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string long_body(std::string_view part, unsigned shape) {
  std::string body(part);
  const bool is_long = (shape & kLong) != 0 && !part.empty() &&
                       std::size_t{1} << (shape & kPieceBits) >= kLeastOfLong;
  while (is_long && body.size() < kLongest) body += part.substr(0, kLongest - body.size());
  return body;
}

Sent written(std::string_view text, unsigned shape) {
  Sent sent;
  std::string pairs;
  const auto add = [&](std::string_view name, std::string_view value) {
    append_length(pairs, name.size());
    append_length(pairs, value.size());
    pairs.append(name).append(value);
    const std::size_t nul = name.find('\0');  // C strings end at this byte, even in names
    if (nul != std::string_view::npos) value = "";
    const std::string key(name.substr(0, nul));
    const bool is_new = sent.parameters.insert_or_assign(key, value).second;
    if (name.starts_with(kLength) && !is_new) sent.is_sound = false;
  };
  for (auto line = take_line(text); !line.empty(); line = take_line(text)) {
    const std::size_t equals = std::min(line.find('='), line.size());
    add(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
  }
  sent.body = long_body(text, shape);
  if (!sent.parameters.contains(kLength)) add(kLength, std::to_string(sent.body.size()));

  constexpr std::string_view kKeptResponder("\0\1\1\0\0\0\0\0", 8);
  append_record(sent.bytes, Type::begin, kKeptResponder, 0);
  append_stream(sent.bytes, Type::params, pairs, shape);
  append_record(sent.bytes, Type::params, "", 0);
  append_stream(sent.bytes, Type::in, sent.body, shape);
  if ((shape & kGone) == 0) append_record(sent.bytes, Type::in, "", 0);
  return sent;
}

// --- Checks of the request and the response ------------------------------------------------------

std::string drained(int peer) {
  std::string bytes;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t count = recv(peer, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count <= 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

// Returns the content of the records in a response, or an empty string if there is no record that
// ends the request.
std::string carried(std::string_view bytes) {
  std::string text;
  while (bytes.size() >= kHeader) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const std::size_t size = static_cast<std::size_t>(byte(4)) << 8 | byte(5);
    const std::size_t padding = byte(6);
    require(byte(0) == 1 && bytes.size() >= kHeader + size + padding);
    if (byte(1) == static_cast<unsigned char>(Type::end)) return text;
    if (byte(1) == static_cast<unsigned char>(Type::out)) text += bytes.substr(kHeader, size);
    bytes.remove_prefix(kHeader + size + padding);
  }
  return {};
}

void check_request(const http::Request& request) {
  require(!request.id.empty() && request.id.size() <= 64);
  require(request.path.find('?') == std::string_view::npos);
  require(request.body.size() <= http::kMaxBody);
  require(request.has_origin || request.origin.empty());
  require(request.has_wp_nonce || request.wp_nonce.empty());
  require(request.body_too_large == static_cast<bool>(request.large_body));
}

// Returns the request's body, or only its beginning if the input ends early.
std::string body_of(const http::Request& request, bool is_streamed) {
  std::string body(request.body);
  if (!request.body_too_large) return body;
  require(is_streamed || request.large_body_size > http::kMaxBody);
  for (;;) {
    const auto piece = request.large_body();
    if (!piece || piece->empty()) return body;
    body += *piece;
  }
}

// Checks that the request contains the information from the headers sent by proxies. The
// X-Forwarded-For header takes precedence over other headers.
void check_forwarding(const Sent& sent, const http::Request& request) {
  constexpr std::string_view kUsual = "HTTP_X_FORWARDED_FOR";
  constexpr std::string_view kStandard = "HTTP_FORWARDED";
  const auto has = [&](std::string_view name) { return sent.parameters.contains(name); };
  const bool names_sender = has(kUsual) || has(kStandard);
  if (names_sender || has("HTTP_VIA")) require(request.is_forwarded);
  if (!names_sender) require(request.forwarded_for.empty());
  if (!sent[kUsual].empty()) require(request.forwarded_for == sent[kUsual]);
}

void check_against(const Sent& sent, const http::Request& request) {
  const std::string target = std::string(request.path) + "?" + std::string(request.query);
  require(std::string(sent["REQUEST_URI"]) == target ||
          std::string(sent["REQUEST_URI"]) + "?" == target);
  require(request.content_type == sent["CONTENT_TYPE"]);
  require(request.remote_address == sent["REMOTE_ADDR"]);
  require(request.cookie == sent["HTTP_COOKIE"]);
  require(request.authorization == sent["HTTP_AUTHORIZATION"]);
  require(request.user_agent == sent["HTTP_USER_AGENT"]);
  require(request.wp_nonce == sent["HTTP_X_WP_NONCE"]);
  check_forwarding(sent, request);
  require((request.method == http::Method::get) == (sent["REQUEST_METHOD"] == "GET"));
  require((request.method == http::Method::post) == (sent["REQUEST_METHOD"] == "POST"));
}

http::Response answer(bool in_pieces) {
  http::Response response{200, {{"X-Header", "value"}}, std::string(kAnswer)};
  if (in_pieces) {
    response.pieces = [is_over = false](std::string& out) mutable {
      if (!is_over) out += kPiece;
      return !std::exchange(is_over, true);
    };
  }
  return response;
}

class Connection {
 public:
  explicit Connection(std::string_view bytes) {
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) == 0);
    constexpr int kRoom = 1 << 20;
    setsockopt(ends_[0], SOL_SOCKET, SO_SNDBUF, &kRoom, sizeof kRoom);
    while (!bytes.empty()) {
      const ssize_t count = ::send(ends_[0], bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (count < 0) break;  // no more room, so the rest never arrives
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    shutdown(ends_[0], SHUT_WR);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { close(ends_[0]); }

  [[nodiscard]] int web_server() const { return ends_[0]; }
  [[nodiscard]] int worker() const { return ends_[1]; }  // closed by its new owner

 private:
  std::array<int, 2> ends_{};
};

// If a name or value is longer than 16 MiB, libfcgi allocates a buffer of this length and exits if
// the allocation fails. Web servers never send names or values longer than 16 MiB.
std::string modest(std::string_view bytes) {
  constexpr unsigned char kLeastOfFour = 0x80;
  std::string text(bytes);
  for (char& byte : text) {
    if (static_cast<unsigned char>(byte) > kLeastOfFour)
      byte = static_cast<char>(byte - kLeastOfFour);
  }
  return text;
}

void serve_raw(std::string_view bytes) {
  const base::SystemClock clock;
  const Connection connection(modest(bytes));
  for (;;) {
    fcgi::Exchange exchange(connection.worker());
    if (!exchange.read(clock)) return;
    check_request(exchange.request());
    (void)body_of(exchange.request(), true);
    if (!exchange.answer(answer(false))) return;
    exchange.keep_open();
    (void)drained(connection.web_server());
  }
}

void serve_sent(const Sent& sent, unsigned shape) {
  const base::SystemClock clock;
  const Connection connection(sent.bytes);
  fcgi::Exchange exchange(connection.worker());
  const bool in_pieces = (shape & kPadded) != 0;
  std::string body;
  bool goes_on = exchange.read(clock);
  if (goes_on) {
    check_request(exchange.request());
    check_against(sent, exchange.request());
    body = body_of(exchange.request(), sent.parameters.contains("BODY_IS_STREAMED"));
    goes_on = exchange.answer(answer(in_pieces));
  }

  const bool is_whole = sent.is_sound && sent[kLength] == std::to_string(sent.body.size());
  if ((shape & kGone) != 0 || !is_whole) return;
  require(goes_on && body == sent.body);
  const std::string text = carried(drained(connection.web_server()));
  require(text.starts_with("Status: 200 OK\r\nX-Header: value\r\n\r\n"));
  require(text.ends_with(std::string(kAnswer) + std::string(in_pieces ? kPiece : "")));
}

}  // namespace

// libfcgi 2.4.2 leaks 48 bytes for each malformed FCGI_GET_VALUES record. Web servers never send
// malformed FCGI_GET_VALUES records.
extern "C" const char* __lsan_default_suppressions() { return "leak:libfcgi.so"; }  // NOLINT

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  fcgi::Exchange::initialize();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned shape = data[0];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if ((shape & kRaw) != 0) {
    serve_raw(text);
  } else {
    serve_sent(written(text, shape), shape);
  }
  return 0;
}
