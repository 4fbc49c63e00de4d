#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cms/content.h"
#include "db/connection.h"
#include "model/rating.h"
#include "wordpress/site_reader.h"

namespace wordpress {

// What has a page that lists posts: terms of all taxonomies, whose type is "term" because an id of
// theirs is of one taxonomy only, while the names of taxonomies may be those of types of posts; and
// authors, whose type is "author" because users who have published no post are not authors, and are
// kept secret. Read-only. Safe for concurrent use, each caller with its own connection. Errors of
// all functions: as db::Connection.
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
  // and of their facets, between two parameters. The third column is the taxonomy "nav_menu" for
  // all terms without pages, which are internal. It is empty for authors. The fourth column is 1.
  [[nodiscard]] const std::string& find_unpublished() const { return find_unpublished_; }
  // Statements that find the rated ones of each kind by their titles. Parameters: the first and the
  // last id, a pattern (has_words()), and 1 for what everybody may see. Columns: object_id,
  // object_type, the type in the CMS, and the type that the CMS shows.
  [[nodiscard]] const std::vector<std::string>& find_titles() const { return find_titles_; }
  // Branches of a CASE on their types: whether "object_id" does not exist.
  [[nodiscard]] const std::string& when_deleted() const { return when_deleted_; }

  // Whether any are rated. If not, the tables that only they need are not read: a new version's
  // rights on them may be missing still.
  [[nodiscard]] bool are_rated(db::Connection& connection) const {
    return wordpress::are_rated(connection, "'author', 'term'");
  }

  // Those of "objects" that exist. Users who are no authors have neither title nor link. URLs are
  // plain ones below "home", from which WordPress redirects: only PHP knows the others.
  [[nodiscard]] std::map<model::Object, cms::ContentItem> describe(
      db::Connection& connection, std::span<const model::Object> objects,
      const std::string& home) const;

 private:
  const std::string read_authors_, find_unpublished_, when_deleted_;
  const std::vector<std::string> find_titles_;
};

}  // namespace wordpress
