// Fuzzes query strings, form bodies, paths, and the short headers that lib/http reads.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/origin.h"
#include "base/text.h"
#include "http/parse.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  if (const auto fields = http::parse_form(text)) {
    require(fields->size() <= http::kMaxFields);
    std::size_t decoded = 0;
    for (const http::Field& field : *fields) {
      require(base::is_utf8(field.name) && base::is_utf8(field.value));
      decoded += field.name.size() + field.value.size();
    }
    require(decoded <= size);
  }
  require(http::percent_decode(text).size() <= size);
  if (const auto origin = base::origin_of(text)) require(base::origin_of(*origin) == origin);
  (void)http::body_type(text);
  (void)http::matches_etag(text, "\"abc\"");
  return 0;
}
