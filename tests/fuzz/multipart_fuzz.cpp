// Fuzzes multipart bodies together with their boundary. The first line of the input is the
// Content-Type header.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "http/parse.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view body(reinterpret_cast<const char*>(data), size);
  const std::string_view type = base::take_until(body, '\n');
  const auto fields = http::parse_multipart(type, body);
  if (!fields) return 0;
  require(fields->size() <= http::kMaxFields);
  std::size_t read = 0;
  for (const http::Field& field : *fields) {
    require(base::is_utf8(field.name) && base::is_utf8(field.value));
    read += field.name.size() + field.value.size();
  }
  require(read <= body.size());
  return 0;
}
