#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace http {

// The maximum size, in bytes, of a body that is read before the handler runs.
inline constexpr std::size_t kMaxBody = 65536;

// A function that reads a request body that is larger than kMaxBody or has not arrived completely.
// Each call returns the next piece, which is valid until the next call. Returns an empty piece at
// the end, and nothing if the client has disconnected. Blocks until the web server sends data.
using LargeBody = std::function<std::optional<std::string_view>()>;

enum class Method { get, head, post, put, patch, delete_, options, other };

// name_of() returns the name of a method, such as "GET", and method_named() does the reverse.
// Unknown names correspond to Method::other, whose name is "other".
[[nodiscard]] std::string_view name_of(Method method);
[[nodiscard]] Method method_named(std::string_view name);

// A request from the web server. The request's content is untrusted, because only its size was
// checked. The string views point into memory of the Exchange object (fcgi/exchange.h), which
// outlives the request.
struct Request {
  Method method = Method::other;
  std::string_view path;   // percent-encoded, without the query
  std::string_view query;  // percent-encoded, without '?'
  // The host and the path in the client's request, before the web server rewrote the path. "host"
  // and "sent_path" are empty if they are unknown.
  std::string_view host;
  std::string_view sent_path;
  std::string_view body;
  // If the body is too large or still arriving, it is in "large_body" instead of "body".
  bool body_too_large = false;
  std::uint64_t large_body_size = 0;  // 0 if unknown
  LargeBody large_body = {};

  // Headers. A member is empty if the request does not contain the header. The members
  // has_wp_nonce, has_device_token and has_origin distinguish an empty header from an absent
  // header. In GET and HEAD requests, an empty header counts as absent.
  std::string_view content_type;
  std::string_view content_encoding;
  std::string_view origin;
  bool has_origin = false;
  std::string_view preflight_method;  // Access-Control-Request-Method
  std::string_view sec_fetch_site;
  std::string_view requested_with;  // X-Requested-With
  std::string_view accept;
  std::string_view cookie;
  std::string_view authorization;
  std::string_view user_agent;
  std::string_view if_none_match;
  std::string_view method_override;  // X-HTTP-Method-Override
  std::string_view wp_nonce;         // X-WP-Nonce
  bool has_wp_nonce = false;
  std::string_view device_token;  // X-Ratingd-Device
  bool has_device_token = false;
  std::string_view ticket;  // X-Ratingd-Ticket; the last header if there are several
  bool has_ticket = false, has_two_tickets = false;

  bool is_forwarded = false;       // a header shows that a proxy forwarded the request
  std::string_view forwarded_for;  // X-Forwarded-For, or Forwarded if it is absent

  std::string_view remote_address;  // the client's address as a string: nginx's REMOTE_ADDR
  bool https = false;
  std::string id;  // for X-Request-Id and the log: 1 to 64 characters of [A-Za-z0-9_-]
  base::Time received_at;
  base::Stopwatch stopwatch = {};  // time since the request arrived
};

struct Header {
  std::string_view name;  // a literal
  std::string value;

  bool operator==(const Header&) const = default;
};

// A generated body. Each call appends the next piece to "out" and returns true, or returns false at
// the end. If a call throws an exception, the response is cut off in a way that the client can
// detect.
using Pieces = std::function<bool(std::string& out)>;

// A response. Header values must not contain line breaks.
struct Response {
  int status = 200;
  std::vector<Header> headers;
  std::string body;
  Pieces pieces = {};  // if present, these pieces are sent after "body"
};

}  // namespace http
