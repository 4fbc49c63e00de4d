#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace http {

struct Header {
  std::string_view name;  // a literal
  std::string value;

  bool operator==(const Header&) const = default;
};

// A generated body: appends the next piece to "out", and returns false at the end. It may throw;
// the client then detects that the body is incomplete.
using Pieces = std::function<bool(std::string& out)>;

// A response. Header values have no line breaks.
struct Response {
  int status = 200;
  std::vector<Header> headers;
  std::string body;
  Pieces pieces = {};  // if there are any, they follow "body"
};

}  // namespace http
