#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "db/bulk_statement.h"
#include "db/connection.h"
#include "model/object_set.h"
#include "model/rating.h"

namespace wordpress {

// What the CMS says of an object.
struct ContentItem {
  std::string type;           // of the post, or "comment"
  std::string title;          // of a comment: that of its post
  std::string link;           // empty: in the trash, where WordPress only has a made-up name for it
  bool is_published = false;  // everybody may see it, if anybody may see this type of posts
  std::string post_type = {};  // of a comment: that of its post

  bool operator==(const ContentItem&) const = default;
};

// Titles and addresses of posts and comments, from the CMS's own tables; never writes them. Safe
// for concurrent use, each caller with its own connection.
//
// Addresses are WordPress's (link-template.php; get_permalink, get_page_link, get_comment_link) for
// posts by the option permalink_structure, for pages and comments. Only PHP knows the addresses of
// a plugin's types, of attachments, and by the tags %category% and %author%: these get the plain
// address, from which WordPress redirects.
class Content {
 public:
  // "home" is an address that counts instead of the option of this name; empty if the option does.
  Content(const std::string& table_prefix, std::string home);

  // Those of "objects" that the CMS has, under the objects as they were asked for. The type "post"
  // stands for posts of every type. Revisions and automatic drafts are not had. Errors: as
  // db::Connection.
  [[nodiscard]] std::map<model::Object, ContentItem> describe(
      db::Connection& connection, std::span<const model::Object> objects) const;

  // The rated objects that the CMS has and that are not published, as describe() tells it. Costs a
  // look-up for each rated object, some thousands at a time: nothing if that takes longer than
  // "patience". Errors: as db::Connection.
  [[nodiscard]] std::optional<model::ObjectSet> rated_unpublished(
      db::Connection& connection, std::chrono::milliseconds patience) const;

 private:
  struct Post {
    std::string type, status, title, name, date;
    std::uint64_t id = 0, parent = 0;
    bool is_published = false;
  };
  struct Comment {
    std::uint64_t post = 0;
    bool is_approved = false;
  };
  struct Permalinks;
  using Posts = std::map<std::uint64_t, Post>;

  std::optional<std::uint64_t> begin_of_next_chunk(db::Connection& connection,
                                                   std::uint64_t first) const;
  Permalinks read_permalinks(db::Connection& connection) const;
  void read_posts(db::Connection& connection, const std::set<std::uint64_t>& ids,
                  Posts& posts) const;
  void read_parents(db::Connection& connection, Posts& posts) const;
  std::map<std::uint64_t, Comment> read_comments(db::Connection& connection,
                                                 const std::set<std::uint64_t>& ids) const;

  const std::string home_;
  const std::string read_options_;
  const db::BulkStatement read_posts_, read_comments_;
  const std::string find_chunk_, find_unpublished_posts_, find_unpublished_comments_;
};

}  // namespace wordpress
