#include "api/ratings_json.h"

#include "base/timestamp.h"
#include "model/averages.h"

namespace api {
namespace {

using model::Category;
using model::Totals;

void write_common(json::Writer& json, const Totals& totals) {
  const auto average = model::average(totals);
  const auto& last = totals.last_rated_at;
  json.key("average");
  average ? json.decimal(*average, 4) : json.null();
  json.key("last_rated_at");
  last ? json.string(base::to_rfc3339(*last)) : json.null();
}

void write_binary(json::Writer& json, const Totals& totals) {
  json.key("binary").begin_object().key("total").integer(totals.total());
  json.key("positive").integer(model::positive(totals));
  json.key("negative").integer(model::negative(totals));
  write_common(json, totals);
  json.end_object();
}

void write_bipolar(json::Writer& json, const Totals& totals) {
  const std::int64_t positive = model::positive(totals);
  const std::int64_t negative = model::negative(totals);
  json.key("bipolar").begin_object().key("total").integer(totals.total());
  json.key("positive").integer(positive);
  json.key("neutral").integer(model::neutral(totals));
  json.key("negative").integer(negative);
  json.key("score").integer(positive - negative);
  write_common(json, totals);
  json.end_object();
}

void write_scale(json::Writer& json, const Totals& totals) {
  json.key("scale").begin_object().key("total").integer(totals.total());
  write_common(json, totals);
  json.key("distribution").begin_array();
  for (const std::int64_t bin : totals.bins) json.integer(bin);
  json.end_array().end_object();
}

}  // namespace

void write_object(json::Writer& json, const model::Object& object) {
  json.key("object_id").unsigned_integer(object.id).key("object_type").string(object.type);
}

void write_stats(json::Writer& json, const model::Stats& stats) {
  json.key("stats").begin_object();
  write_binary(json, stats[static_cast<std::size_t>(Category::binary)]);
  write_bipolar(json, stats[static_cast<std::size_t>(Category::bipolar)]);
  write_scale(json, stats[static_cast<std::size_t>(Category::scale)]);
  json.end_object();
}

void write_own(json::Writer& json, const model::OwnRatings& own) {
  json.key("user_ratings").begin_object();
  for (const Category category : model::kCategories) {
    const auto& rating = own[static_cast<std::size_t>(category)];
    if (!rating) continue;
    json.key(name_of(category)).begin_object().key("value").decimal(rating->value, 3);
    json.key("rated_at").string(base::to_rfc3339(rating->rated_at)).end_object();
  }
  json.end_object();
}

}  // namespace api
