#include "handlers/object_ratings.h"

#include <string>

#include "base/timestamp.h"
#include "model/rating.h"
#include "rollups/stats_store.h"

namespace handlers {
namespace {

// Returns whether everybody may know that a post with the given id exists.
bool shows_post(const api::Core& core, db::Connection& connection, std::uint64_t id) {
  const cms::ObjectState state = core.cms.state_of(connection, {id, "post"});
  return state.passed_check == model::ObjectCheck::published &&
         state.type_access != cms::TypeAccess::internal;
}

}  // namespace

ObjectStats with_stats(const api::Core& core, const api::Reading& reading,
                       const model::Object& object) {
  return {object, reading.stats.read(core.sessions, {&object, 1}).front()};
}

ObjectStats meant_object(const api::Core& core, const api::Reading& reading, std::uint64_t id,
                         const model::FacetNames& facets, const std::function<bool()>& has_post) {
  ObjectStats post = with_stats(core, reading, {id, "post"});
  if (has_ratings(post.stats)) return post;
  const auto find_type = [&] {
    return core.sessions.with_session([&](db::Connection& connection) {
      const auto other = rollups::only_other_type(connection, id, facets);
      const bool is_post = !other || (has_post ? has_post() : shows_post(core, connection, id));
      return is_post ? post.object.type : *other;
    });
  };
  const std::string type = has_post ? find_type() : reading.stats.type_of_id(id, find_type);
  return type == post.object.type ? post : with_stats(core, reading, {id, type});
}

namespace {

using model::Category;
using model::Totals;

void write_totals(json::Writer& json, Category category, const Totals& totals) {
  const bool has_signs = category != Category::scale;
  const bool has_neutral = category == Category::bipolar;
  const std::int64_t positive = model::positive(totals);
  const std::int64_t negative = model::negative(totals);
  json.key(name_of(category)).begin_object().key("total").integer(totals.total());
  if (has_signs) json.key("positive").integer(positive);
  if (has_neutral) json.key("neutral").integer(model::neutral(totals));
  if (has_signs) json.key("negative").integer(negative);
  if (has_neutral) json.key("score").integer(positive - negative);
  const auto average = model::average(totals);
  json.key("average");
  average ? json.decimal(*average, 4) : json.null();
  const auto& last = totals.last_rated_at;
  json.key("last_rated_at");
  last ? json.string(base::to_rfc3339(*last)) : json.null();
  if (!has_signs) {
    json.key("distribution").begin_array();
    for (const std::int64_t bin : totals.bins) json.integer(bin);
    json.end_array();
  }
  json.end_object();
}

}  // namespace

void write_object(json::Writer& json, const model::Object& object) {
  json.key("object_id").unsigned_integer(object.id).key("object_type").string(object.type);
}

void write_stats(json::Writer& json, const model::Stats& stats) {
  json.key("stats").begin_object();
  for (const Category category : model::kCategories) {
    write_totals(json, category, stats[static_cast<std::size_t>(category)]);
  }
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

}  // namespace handlers
