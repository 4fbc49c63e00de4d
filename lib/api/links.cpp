#include "api/links.h"

namespace api {
namespace {

constexpr std::string_view kRestPrefix = "/wp-json/";

}  // namespace

std::string with_scheme_of(const http::Request& request, std::string url) {
  if (request.https && url.starts_with("http://")) url.insert(4, "s");
  return url;
}

std::string namespace_of(std::string_view base_path) {
  const std::size_t root = base_path.rfind(kRestPrefix);
  return std::string(
      base_path.substr(root == std::string_view::npos ? 1 : root + kRestPrefix.size()));
}

std::optional<std::string> rest_root(const Core& core, const Call& call) {
  const bool is_below = core.base_path.find(kRestPrefix) != std::string::npos;
  if (!is_below || !call.site.rest_root) return std::nullopt;
  return with_scheme_of(call.request, *call.site.rest_root);
}

std::string url_of(const Core& core, const Call& call, std::string_view path) {
  if (const auto root = rest_root(core, call)) {
    return *root + namespace_of(core.base_path) + std::string(path);
  }
  std::string relative = core.base_path + std::string(path);
  if (call.site.origins.empty()) return relative;
  return with_scheme_of(call.request, call.site.origins.front() + relative);
}

}  // namespace api
