#include "api/meant_object.h"

#include <string>

#include "rollups/totals_reader.h"

namespace api {

ObjectStats with_stats(const App& app, const model::Object& object) {
  return {object, app.stats.read(app.sessions, {&object, 1}).front()};
}

ObjectStats meant_object(const App& app, std::uint64_t id, const model::FacetNames& facets,
                         const std::function<bool()>& has_post) {
  ObjectStats post = with_stats(app, {id, "post"});
  if (has_ratings(post.stats)) return post;
  const auto find_type = [&] {
    return app.sessions.with_session([&](db::Connection& connection) {
      const auto other = rollups::only_other_type(connection, id, facets);
      const bool is_post = !other || (has_post ? has_post() : app.cms.has_post(connection, id));
      return is_post ? post.object.type : *other;
    });
  };
  const std::string type = has_post ? find_type() : app.stats.type_of_id(id, find_type);
  return type == post.object.type ? post : with_stats(app, {id, type});
}

}  // namespace api
