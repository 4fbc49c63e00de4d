#include "api/rating_id.h"

#include <optional>
#include <utility>

#include "base/parse.h"

namespace api {
namespace {

std::optional<model::RatingKey> parse_rating_id(std::string_view text) {
  const auto object_id = parse_object_id(base::take_until(text, '/'));
  const auto type = model::parse_object_type(base::take_until(text, '/'));
  const auto category = model::category_named(base::take_until(text, '/'));
  const auto voter = base::parse_number<model::VoterId>(text);
  if (!object_id || !type || !category || !voter) return std::nullopt;
  return model::RatingKey{{*object_id, *type}, *category, *voter};
}

}  // namespace

std::string rating_id(const model::RatingKey& key) {
  return std::to_string(key.object.id) + '/' + key.object.type + '/' +
         std::string(name_of(key.category)) + '/' + std::to_string(key.voter);
}

std::vector<model::RatingKey> read_rating_ids(Fields& fields, std::string_view name,
                                              base::Message message) {
  std::vector<model::RatingKey> keys;
  const auto texts = fields.list(name);
  if (!texts) return keys;
  for (const std::string& text : *texts) {
    if (const auto key = parse_rating_id(text)) keys.push_back(*key);
  }
  if (keys.empty() || keys.size() != texts->size()) {
    fields.reject(name, "rest_invalid_pattern", std::move(message));
  }
  return keys;
}

}  // namespace api
