#include "model/rating.h"

#include <algorithm>

#include "base/bytes.h"

namespace model {
namespace {

constexpr std::size_t kMaxObjectType = 64;

}  // namespace

std::optional<std::string> parse_object_type(std::string_view text) {
  if (text.empty() || text.size() > kMaxObjectType) return std::nullopt;
  if (!base::consists_of_letters_digits_and(text, "_.:-")) return std::nullopt;
  return base::to_lower(text);
}

}  // namespace model
