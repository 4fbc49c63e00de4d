#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/fields.h"
#include "handlers/handlers.h"
#include "handlers/object_ratings.h"
#include "handlers/rate_permission.h"
#include "json/codec.h"

namespace handlers {
namespace {

using model::Object;

constexpr std::size_t kUsualSize = 768;  // bytes of JSON per object
constexpr std::size_t kMaxRead = 100;    // the maximum number of objects and facets

enum class Own { included, left_out };

// Returns the requesting voter's ratings, in the order of "objects". Returns an empty list if the
// response omits the requester's own ratings.
std::vector<model::OwnRatings> own_ratings_of(const api::Reading& reading, const api::Call& call,
                                              Own own, std::span<const Object> objects) {
  if (own == Own::left_out) return {};
  if (!call.voter) return std::vector<model::OwnRatings>(objects.size());
  return reading.own_ratings.read(*call.voter, objects);
}

// Calls "read" and returns its result. If the database is unavailable or too busy, returns the
// public counts that this host sent most recently, taken from "remember". If ratingd sent an error
// instead, nginx would serve even older counts from its cache.
template <typename Read, typename Remember>
auto read_or_remember(Own own, const Read& read, const Remember& remember) {
  try {
    return read();
  } catch (const db::Failure& failure) {
    const bool is_temporary = dynamic_cast<const db::ConnectionLost*>(&failure) != nullptr ||
                              dynamic_cast<const db::Conflict*>(&failure) != nullptr;
    auto remembered = is_temporary && own == Own::left_out ? remember() : std::nullopt;
    if (!remembered) throw;
    return *std::move(remembered);
  }
}

std::vector<model::Stats> stats_of(const api::Core& core, const api::Reading& reading, Own own,
                                   std::span<const Object> objects) {
  return read_or_remember(
      own, [&] { return reading.stats.read(core.sessions, objects); },
      [&] { return reading.stats.remembered(objects); });
}

// Returns the stats for one object, whose type may be missing from the request.
ObjectStats object_stats_of(const api::Core& core, const api::Reading& reading,
                            const api::Call& call, Own own, std::uint64_t id,
                            const std::optional<std::string>& type) {
  const Object object{id, type.value_or("post")};
  if (type) return {object, stats_of(core, reading, own, {&object, 1}).front()};
  return read_or_remember(
      own, [&] { return meant_object(core, reading, id, call.site.settings.facets); },
      [&]() -> std::optional<ObjectStats> {
        const auto stats = reading.stats.remembered({&object, 1});
        // An id without a type refers to a post if the post with this id has ratings.
        if (!stats || !has_ratings(stats->front())) return std::nullopt;
        return ObjectStats{object, stats->front()};
      });
}

// Returns the permission to rate "object": the requester's permission if the response includes the
// requester's own ratings, or else the permission of everybody.
RatePermission permission_for(const api::Core& core, const api::Call& call, Own own,
                              const Object& object) {
  const auto audience = own == Own::included ? RatePermission::Audience::requester
                                             : RatePermission::Audience::everybody;
  return {core, call, audience, model::parent_of(object, call.site.settings.facets)};
}

// Adds "object" and its facets to "objects".
void add_with_facets(const Object& object, const std::vector<std::string>& facets,
                     std::vector<Object>& objects) {
  objects.push_back(object);
  for (const std::string& facet : facets) objects.push_back(model::facet_of(object, facet));
}

// Writes the ratings for "object" and for its facets. In "stats" and "own", the first element
// belongs to the object, and the other elements belong to its facets. "own" is empty if the
// response omits the requester's own ratings. "permission" is the permission to rate the object.
void write_ratings(json::Writer& json, const Object& object, const std::vector<std::string>& facets,
                   std::span<const model::Stats> stats, std::span<const model::OwnRatings> own,
                   const RatePermission& permission) {
  const auto write_of = [&](std::size_t i) {
    write_stats(json, stats[i]);
    if (!own.empty()) write_own(json, own[i]);
    permission.write(json, own.empty() ? model::OwnRatings() : own[i]);
  };
  write_object(json, object);
  write_of(0);
  if (facets.empty()) return;
  json.key("facets").begin_object();
  for (std::size_t i = 0; i < facets.size(); ++i) {
    json.key(facets[i]).begin_object();
    write_of(i + 1);
    json.end_object();
  }
  json.end_object();
}

api::Result answer_one(const api::Core& core, const api::Reading& reading, const api::Call& call,
                       Own own) {
  const auto id = api::parse_object_id(call.argument);
  if (!id) return tl::unexpected(api::bad_object_id(call.argument));
  api::Fields fields(call.parameters);
  const auto type = fields.object_type("object_type");
  const auto facets = fields.facets("facets", call.site.settings.facets);
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));

  const auto [object, of_object] = object_stats_of(core, reading, call, own, *id, type);
  if (!model::can_have(object.type, facets)) {
    return tl::unexpected(api::Error{.code = api::ErrorCode::invalid_parameters,
                                     .fields = {api::type_too_long_for_facets()}});
  }
  std::vector<Object> objects;
  add_with_facets(object, facets, objects);
  std::vector<model::Stats> stats = {of_object};
  if (!facets.empty()) {
    const auto of_facets = stats_of(core, reading, own, std::span(objects).subspan(1));
    stats.insert(stats.end(), of_facets.begin(), of_facets.end());
  }
  const auto own_ratings = own_ratings_of(reading, call, own, objects);

  api::Answer answer;
  answer.body.reserve(objects.size() * kUsualSize);
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true);
  write_ratings(json, object, facets, stats, own_ratings, permission_for(core, call, own, object));
  json.end_object();
  return answer;
}

api::Result answer_many(const api::Core& core, const api::Reading& reading, const api::Call& call,
                        Own own) {
  api::Fields fields(call.parameters);
  const auto ids = fields.object_ids("object_ids");
  const std::string type = fields.object_type("object_type").value_or("post");
  const auto facets = fields.facets("facets", call.site.settings.facets);
  if (!model::can_have(type, facets)) fields.reject(api::type_too_long_for_facets());
  const std::size_t step = 1 + facets.size();
  if (!facets.empty() && ids.size() * step > kMaxRead) {
    fields.reject(
        "facets", api::kOutOfBounds,
        base::Message("The total number of objects and their facets must not exceed {maximum}.",
                      {{"maximum", static_cast<std::int64_t>(kMaxRead)}}));
  }
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));

  std::vector<Object> objects;
  objects.reserve(ids.size() * step);
  for (const std::uint64_t id : ids) add_with_facets({id, type}, facets, objects);
  const auto stats = stats_of(core, reading, own, objects);
  const auto own_ratings = own_ratings_of(reading, call, own, objects);

  api::Answer answer;
  answer.body.reserve(objects.size() * kUsualSize);
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").begin_array();
  for (std::size_t i = 0; i < objects.size(); i += step) {
    json.begin_object();
    std::span<const model::OwnRatings> own_of_object = own_ratings;
    if (!own_ratings.empty()) own_of_object = own_of_object.subspan(i, step);
    write_ratings(json, objects[i], facets, std::span(stats).subspan(i, step), own_of_object,
                  permission_for(core, call, own, objects[i]));
    json.end_object();
  }
  json.end_array().end_object();
  return answer;
}

}  // namespace

api::Result stats_of_one(const api::Core& core, const api::Reading& reading,
                         const api::Call& call) {
  return answer_one(core, reading, call, Own::included);
}

api::Result stats_of_many(const api::Core& core, const api::Reading& reading,
                          const api::Call& call) {
  return answer_many(core, reading, call, Own::included);
}

api::Result public_stats_of_one(const api::Core& core, const api::Reading& reading,
                                const api::Call& call) {
  return answer_one(core, reading, call, Own::left_out);
}

api::Result public_stats_of_many(const api::Core& core, const api::Reading& reading,
                                 const api::Call& call) {
  return answer_many(core, reading, call, Own::left_out);
}

}  // namespace handlers
