// Fuzzes Cookie headers.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view header(reinterpret_cast<const char*>(data), size);
  for (const std::string& value : http::find_cookies(header, "ratingd_voter")) {
    if (value.size() > size) std::abort();
  }

  // If several cookies have the same name, find_cookies() returns them in the order of the header.
  const std::string with_first = "ratingd_voter=first;" + std::string(header);
  if (http::find_cookies(with_first, "ratingd_voter").at(0) != "first") std::abort();
  return 0;
}
