#include "api/stats.h"

#include <map>
#include <utility>
#include <vector>

#include "api/fields.h"
#include "api/ratings_json.h"
#include "json/codec.h"

namespace api {
namespace {

using model::Object;

// All that answers about some objects say.
struct Found {
  std::map<Object, model::Stats> stats;
  std::map<Object, store::OwnRatings> own;  // of the asking voter
};

Found find(const App& app, const Call& call, db::Connection& connection,
           std::span<const Object> objects) {
  Found found;
  found.stats = app.rollups.read_stats(connection, objects);
  if (const auto voter = call.voter) {
    found.own = app.votes.own_ratings(connection, *voter, objects);
  }
  return found;
}

bool has_ratings(const model::Stats& stats) {
  for (const model::Totals& totals : stats) {
    if (totals.total() > 0) return true;
  }
  return false;
}

// The object that is meant when no type is said: a post, unless no post and no rating of one has
// this id and exactly one other type has ratings for it.
Found find_of_any_type(const App& app, const Call& call, db::Connection& connection,
                       Object& object) {
  Found found = find(app, call, connection, {&object, 1});
  if (has_ratings(found.stats.at(object))) return found;
  const auto other_type = app.votes.only_other_type(connection, object.id);
  if (!other_type || app.wp.has_post(connection, object.id)) return found;
  object.type = *other_type;
  return find(app, call, connection, {&object, 1});
}

void write_found(json::Writer& json, const Object& object, const Found& found) {
  write_object(json, object);
  write_stats(json, found.stats.at(object));
  const auto own = found.own.find(object);
  write_own(json, own == found.own.end() ? store::OwnRatings{} : own->second);
}

}  // namespace

Result stats_of_one(const App& app, const Call& call) {
  const auto id = parse_object_id(call.argument);
  if (!id) return tl::unexpected(bad_object_id(call.argument));
  Fields fields(call.parameters);
  const auto type = fields.object_type("object_type");
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));

  Object object{*id, type.value_or("post")};
  const Found found = app.sessions.with_session([&](db::Connection& connection) {
    return type ? find(app, call, connection, {&object, 1})
                : find_of_any_type(app, call, connection, object);
  });

  Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true);
  write_found(json, object, found);
  json.end_object();
  return answer;
}

Result stats_of_many(const App& app, const Call& call) {
  Fields fields(call.parameters);
  const auto ids = fields.object_ids("object_ids");
  const std::string type = fields.object_type("object_type").value_or("post");
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));

  std::vector<Object> objects;
  objects.reserve(ids.size());
  for (const std::uint64_t id : ids) objects.push_back({id, type});
  const Found found = app.sessions.with_session(
      [&](db::Connection& connection) { return find(app, call, connection, objects); });

  Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").begin_array();
  for (const Object& object : objects) {
    json.begin_object();
    write_found(json, object, found);
    json.end_object();
  }
  json.end_array().end_object();
  return answer;
}

}  // namespace api
