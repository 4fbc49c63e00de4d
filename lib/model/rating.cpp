#include "model/rating.h"

#include <algorithm>

#include "base/bytes.h"

namespace model {
namespace {

constexpr std::size_t kMaxObjectType = 64;

bool is_type_character(char c) {
  return base::is_letter_or_digit(c) || c == '_' || c == '.' || c == ':' || c == '-';
}

}  // namespace

std::optional<std::string> parse_object_type(std::string_view text) {
  if (text.empty() || text.size() > kMaxObjectType) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), is_type_character)) return std::nullopt;
  return base::to_lower(text);
}

}  // namespace model
