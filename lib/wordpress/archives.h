#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cms/cms.h"
#include "db/connection.h"
#include "model/rating.h"
#include "wordpress/site_reader.h"

namespace wordpress {

// Reads the terms and authors in WordPress's database. The object type of every term is "term",
// because a taxonomy may have the same name as a post type. A term's id is unique across all
// taxonomies. Authors have the type "author". Users without published posts are not authors, and
// the service never reveals their existence.
//
// No function writes to the database. Safe for concurrent use if each caller has its own
// connection. All functions throw the same exceptions as db::Connection.
class Archives {
 public:
  explicit Archives(const std::string& users_table);

  [[nodiscard]] static bool have(std::string_view type) {
    return type == "term" || type == "author";
  }
  // Implements cms::Cms::state_of() for terms and authors. Call this function only if
  // have(object.type) is true.
  [[nodiscard]] cms::ObjectState state_of(db::Connection& connection,
                                          const model::Object& object) const;

  // SQL that selects rated terms and authors that exist but are not published, along with their
  // rated facets. The parameters are the first and the last id of the range. The columns are
  // object_id, object_type, an internal type, and 1, which means "not published". The internal type
  // is "nav_menu" for terms without a public page, and empty for authors.
  [[nodiscard]] const std::string& find_unpublished() const { return find_unpublished_; }
  // SQL statements that search the titles of rated terms and the names of rated authors. The
  // parameters are the first id, the last id, a pattern (pattern_of()), and 1 to find only public
  // objects or 0 to find all objects. The columns are object_id, object_type, the type in the CMS,
  // and the type whose visibility rules apply to the object.
  [[nodiscard]] const std::vector<std::string>& find_titles() const { return find_titles_; }
  // The WHEN branches of an SQL CASE expression on the object's type. The expression is true if
  // WordPress has no term or author with the id "object_id".
  [[nodiscard]] const std::string& when_deleted() const { return when_deleted_; }

  // Returns whether any terms or authors have been rated. If are_rated() returns false, do not read
  // the tables of terms and authors: after an upgrade, ratingd may not yet have the privilege to
  // read these tables.
  [[nodiscard]] bool are_rated(db::Connection& connection) const {
    return wordpress::are_rated(connection, "'author', 'term'");
  }

  // Describes the objects in "objects" that exist in WordPress. The description of a user who is
  // not an author has no title or link. Only PHP can compute permalinks, so descriptions contain
  // plain URLs under "home", which WordPress redirects.
  [[nodiscard]] std::map<model::Object, cms::ContentItem> describe(
      db::Connection& connection, std::span<const model::Object> objects,
      const std::string& home) const;

 private:
  const std::string read_authors_, find_unpublished_, when_deleted_;
  const std::vector<std::string> find_titles_;
};

}  // namespace wordpress
