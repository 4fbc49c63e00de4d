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

// Reads the objects whose pages list posts: terms and authors. Terms in all taxonomies have the
// type "term" because a taxonomy may have the same name as a post type. A term's id belongs to a
// single taxonomy, so it is unambiguous. Authors have the type "author". Users who have published
// no post are not authors, and their existence is kept secret.
//
// Read-only. Safe for concurrent use if each caller has its own connection. Errors (all functions):
// same as db::Connection.
class Archives {
 public:
  explicit Archives(const std::string& users_table);

  [[nodiscard]] static bool have(std::string_view type) {
    return type == "term" || type == "author";
  }
  // Does the same as cms::Cms::state_of(). REQUIRES: have(object.type).
  [[nodiscard]] cms::ObjectState state_of(db::Connection& connection,
                                          const model::Object& object) const;

  // SQL that selects the rated terms and authors that exist but are not published, and their
  // facets. Parameters: the first and the last id. Columns: object_id, object_type, a taxonomy and
  // 1. The taxonomy is "nav_menu" for all terms without pages, which are internal, and empty for
  // authors.
  [[nodiscard]] const std::string& find_unpublished() const { return find_unpublished_; }
  // SQL statements that find the rated terms and the rated authors by their titles. Parameters: the
  // first and the last id, a pattern (has_words()), and 1 to find only objects that everybody may
  // see. Columns: object_id, object_type, the type in the CMS, and the type that the CMS shows.
  [[nodiscard]] const std::vector<std::string>& find_titles() const { return find_titles_; }
  // SQL branches for a CASE on the type. A branch is true if no term or author has the id
  // "object_id".
  [[nodiscard]] const std::string& when_deleted() const { return when_deleted_; }

  // Returns whether any terms or authors are rated. If none are rated, the tables that only terms
  // and authors need are not read, because ratingd may lack the privilege to read these tables
  // after an upgrade.
  [[nodiscard]] bool are_rated(db::Connection& connection) const {
    return wordpress::are_rated(connection, "'author', 'term'");
  }

  // Returns the objects in "objects" that exist. Users who are not authors have no title and no
  // link. Only PHP knows the permalinks, so the results contain plain URLs below "home", which
  // WordPress redirects.
  [[nodiscard]] std::map<model::Object, cms::ContentItem> describe(
      db::Connection& connection, std::span<const model::Object> objects,
      const std::string& home) const;

 private:
  const std::string read_authors_, find_unpublished_, when_deleted_;
  const std::vector<std::string> find_titles_;
};

}  // namespace wordpress
