#include "model/template.h"

#include <algorithm>

namespace model {
namespace {

constexpr std::size_t kMaxPart = 64;

bool is_slug_part(std::string_view text) {
  return !text.empty() && text.size() <= kMaxPart && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

}  // namespace

bool is_slug(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && is_slug_part(text.substr(0, slash)) &&
         is_slug_part(text.substr(slash + 1));
}

}  // namespace model
