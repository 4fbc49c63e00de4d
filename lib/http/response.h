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

// A body that is made while it is sent: appends the next piece to "out", and returns false when
// there is none any more. It may throw; then the client sees that the body is not whole.
using Pieces = std::function<bool(std::string& out)>;

// An answer to be written as it is. Header values hold no line breaks.
struct Response {
  int status = 200;
  std::vector<Header> headers;
  std::string body;
  Pieces pieces = {};  // if there are any, they follow "body"
};

}  // namespace http
