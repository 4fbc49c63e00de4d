#include "api/meant_object.h"

#include <string>

namespace api {
namespace {

const std::string kPost = "post";

// If no post with this id has ratings.
std::string type_without_post_ratings(const App& app, db::Connection& connection, std::uint64_t id,
                                      const std::function<bool()>& has_post) {
  const auto other = app.analytics.totals.only_other_type(connection, id);
  return other && !has_post() ? *other : kPost;
}

ObjectStats post_or(const App& app, std::uint64_t id,
                    const std::function<std::string()>& find_type) {
  ObjectStats post = with_stats(app, {id, kPost});
  if (has_ratings(post.stats)) return post;
  const std::string type = find_type();
  return type == kPost ? post : with_stats(app, {id, type});
}

}  // namespace

ObjectStats with_stats(const App& app, const model::Object& object) {
  return {object, app.stats.read(app.sessions, {&object, 1}).front()};
}

ObjectStats meant_object(const App& app, std::uint64_t id) {
  const auto read = [&] {
    return app.sessions.with_session([&](db::Connection& connection) {
      return type_without_post_ratings(app, connection, id,
                                       [&] { return app.cms.has_post(connection, id); });
    });
  };
  return post_or(app, id, [&] { return app.stats.type_of_id(id, read); });
}

ObjectStats meant_object(const App& app, db::Connection& connection, std::uint64_t id,
                         const std::function<bool()>& has_post) {
  return post_or(app, id, [&] { return type_without_post_ratings(app, connection, id, has_post); });
}

}  // namespace api
