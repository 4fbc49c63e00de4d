#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cms/content.h"
#include "db/connection.h"
#include "model/object_set.h"
#include "model/rating.h"
#include "wordpress/archives.h"
#include "wordpress/permalinks.h"

namespace wordpress {

// Titles and URLs of posts, comments, terms and authors, from the CMS's tables; read-only. Safe for
// concurrent use, each caller with its own connection.
class Content {
 public:
  // "home" is a URL that overrides the option of this name, unless empty. "archives" must outlive
  // it.
  Content(std::string home, const Archives& archives)
      : home_(std::move(home)), archives_(archives) {}

  // The objects that exist in the CMS, by the requested objects. The type "post" means posts of
  // every type. Revisions and automatic drafts are ignored. Errors: as db::Connection.
  [[nodiscard]] std::map<model::Object, cms::ContentItem> describe(
      db::Connection& connection, std::span<const model::Object> objects) const;

  // The rated objects that exist in the CMS but are not published, as in describe(), and their
  // facets. Costs one lookup per rated object, some thousands at a time: nothing if that takes
  // longer than "time_limit". Errors: as db::Connection.
  [[nodiscard]] std::optional<model::ObjectSet> rated_unpublished(
      db::Connection& connection, const model::FacetNames& facets,
      std::chrono::milliseconds time_limit) const;

  // The rated posts of every type whose titles contain some words, as in describe(). Costs one
  // lookup per rated object, the highest ids first, some thousands at a time. Errors: as
  // db::Connection.
  [[nodiscard]] cms::TitleMatches rated_with_title(db::Connection& connection,
                                                   const cms::TitleSearch& search) const;

  // The rated objects that no longer exist in the CMS, in the order of their ids: comments, terms,
  // authors, posts of the built-in types and of all types that have posts, and facets of these. A
  // post in the trash still exists, and so does a post whose type has changed. Errors: as
  // db::Connection.
  [[nodiscard]] std::vector<model::Object> rated_and_deleted(db::Connection& connection,
                                                             const model::FacetNames& facets) const;

 private:
  struct Comment {
    std::uint64_t post = 0;
    bool is_approved = false;
    std::string start;  // of its text
  };

  std::optional<std::uint64_t> begin_of_next_chunk(db::Connection& connection,
                                                   std::uint64_t first) const;
  std::uint64_t begin_of_last_chunk(db::Connection& connection, std::uint64_t last) const;
  Permalinks read_permalinks(db::Connection& connection) const;
  void read_posts(db::Connection& connection, const std::set<std::uint64_t>& ids,
                  Posts& posts) const;
  void read_parents(db::Connection& connection, Posts& posts) const;
  std::map<std::uint64_t, Comment> read_comments(db::Connection& connection,
                                                 const std::set<std::uint64_t>& ids) const;

  const std::string home_;
  const Archives& archives_;
};

}  // namespace wordpress
