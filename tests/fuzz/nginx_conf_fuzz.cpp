// Fuzzes the functions that add lines to nginx configurations and remove them.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "setup/nginx_conf.h"
#include "setup/step.h"

namespace {

const setup::NginxIncludes kLines = {"/a", "/b"};

void require(bool holds) {
  if (!holds) std::abort();
}

// Requires that all directives in "block" lie between "begin" and "end" and do not overlap. Also
// checks nested directives.
void require_nested(const std::vector<setup::NginxDirective>& block, std::size_t begin,
                    std::size_t end) {
  for (const setup::NginxDirective& each : block) {
    require(!each.words.empty());
    require(begin <= each.begin && each.begin < each.end && each.end <= end);
    require(each.close == 0 || (each.end <= each.close && each.close < end));
    require_nested(each.block, each.end, each.close);
    begin = each.close == 0 ? each.end : each.close + 1;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    require_nested(setup::parse_nginx(text), 0, text.size());
    const std::string without = setup::without_includes(text, kLines);
    require(!setup::includes(setup::parse_nginx(without), "/a"));
    const std::string with = setup::with_includes(without, kLines, "example.org", true);
    require(setup::includes(setup::parse_nginx(with), "/a"));
    require(setup::includes(setup::parse_nginx(with), "/b"));
    require(setup::with_includes(with, kLines, "example.org", true) == with);
  } catch (const setup::Error&) {  // not a configuration, or not of this host
  }
  return 0;
}
