#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "cms/content.h"
#include "db/connection.h"
#include "model/rating.h"

namespace wordpress {

// What has a page that lists posts: terms of all taxonomies, whose type is "term" because an id of
// theirs is of one taxonomy only, while the names of taxonomies may be those of types of posts; and
// authors, whose type is "author" because users who have published no post are none, and are kept
// secret. Read-only. Safe for concurrent use, each caller with its own connection. Errors of all
// functions: as db::Connection.
class Archives {
 public:
  explicit Archives(const std::string& users_table);

  [[nodiscard]] static bool have(std::string_view type) {
    return type == "term" || type == "author";
  }
  // As cms::Cms::state_of(). REQUIRES: have(object.type).
  [[nodiscard]] cms::ObjectState state_of(db::Connection& connection,
                                          const model::Object& object) const;

  // SQL that selects object_id and object_type of the rated ones that exist but are not published,
  // and of their facets, between two parameters.
  [[nodiscard]] const std::string& find_unpublished() const { return find_unpublished_; }
  // Branches of a CASE on their types: whether "object_id" does not exist.
  [[nodiscard]] const std::string& when_deleted() const { return when_deleted_; }

  // Whether any are rated. If not, the tables that only they need are not read: a new version's
  // rights on them may be missing still.
  [[nodiscard]] bool are_rated(db::Connection& connection) const {
    return connection
        .query(
            "SELECT 1 FROM {prefix}ratingd_site_daily WHERE"
            " SUBSTRING_INDEX(object_type, ':', 1) IN ('author', 'term') LIMIT 1")
        .next();
  }

  // Those of "objects" that exist. Users who are no authors have neither title nor link. URLs are
  // plain ones below "home", from which WordPress redirects: only PHP knows the others.
  [[nodiscard]] std::map<model::Object, cms::ContentItem> describe(
      db::Connection& connection, std::span<const model::Object> objects,
      const std::string& home) const;

 private:
  const std::string read_authors_, find_unpublished_, when_deleted_;
};

}  // namespace wordpress
