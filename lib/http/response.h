#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace http {

struct Header {
  std::string_view name;  // a literal
  std::string value;

  bool operator==(const Header&) const = default;
};

// An answer to be written as it is. Header values hold no line breaks.
struct Response {
  int status = 200;
  std::vector<Header> headers;
  std::string body;
};

}  // namespace http
