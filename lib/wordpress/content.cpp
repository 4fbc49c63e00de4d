// Reads the titles and URLs of rated posts and comments. The Archives class reads the titles and
// URLs of terms and authors.

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "db/bulk_statement.h"
#include "wordpress/permalinks.h"
#include "wordpress/site_reader.h"
#include "wordpress/text.h"
#include "wordpress/wordpress.h"

namespace wordpress {
namespace {

using cms::ContentItem;
using model::Object;

constexpr std::int64_t kChunk = 10'000;  // rows per statement
// The maximum number of rated objects in one chunk of a title search. If a chunk spans few post
// ids, the search is three times as fast if it reads the posts before the rated objects.
constexpr std::int64_t kChunkOfTitles = 1000;
constexpr std::uint64_t kFewPosts = 2 * kChunkOfTitles, kChunkOfPosts = 10'000;

// An SQL condition that is true if "post" is neither a revision nor an auto-draft.
constexpr const char* kIsKnown =
    "post.post_type <> 'revision' AND post.post_status <> 'auto-draft'";

bool is_public_type(std::string_view type) {
  return access_to_type(type) == cms::TypeAccess::everybody;
}

// Returns a title for a comment. The title contains the beginning of the comment's text, without
// tags, and the post's title.
std::string title_of(const std::string& start, const std::string& title) {
  constexpr std::size_t kMax = 80;  // bytes
  std::string text;
  for (const char c : without_tags(start)) {
    const bool is_blank = std::string_view(" \t\r\n").find(c) != std::string_view::npos;
    if (!is_blank) text += c;
    if (is_blank && !text.empty() && text.back() != ' ') text += ' ';
  }
  if (text.ends_with(' ')) text.pop_back();
  if (text.empty()) return title;
  if (text.size() > kMax) {
    std::size_t end = text.rfind(' ', kMax);
    if (end == std::string::npos || end < kMax / 2) {  // the text has no spaces, as in Chinese
      for (end = kMax; (text[end] & 0xC0) == 0x80;) --end;
    }
    text.resize(end);
    text += "\u2026";
  }
  return text + " \u00b7 " + title;
}

// An SQL expression for the rated object's type, for example "post" for the facet "post:taste".
// WordPress post types never contain a colon, so may_be_known() accepts a type with a colon only if
// it is the type of a facet.
constexpr const char* kRatedType = "SUBSTRING_INDEX(rated.object_type, ':', 1)";

bool may_be_known(const std::string& object_type, const model::FacetNames& facets) {
  return model::parent_of({0, object_type}, facets).type.find(':') == std::string::npos;
}

// Returns a statement that finds rated objects by their titles. The parameters and columns are the
// same as in Archives::find_titles(). "tables" is an SQL join of the rated objects and the posts,
// beginning with the table to be read first.
std::string find_titles(const char* tables) {
  return std::string(
             "SELECT rated.object_id, rated.object_type, post.post_type, post.post_type FROM ") +
         tables + " FORCE INDEX (PRIMARY) ON post.ID = rated.object_id AND " + kRatedType +
         " IN ('post', post.post_type) LEFT JOIN {prefix}posts parent"
         " ON parent.ID = post.post_parent WHERE " +
         kIsKnown + " AND rated.object_id BETWEEN ? AND ? AND " + kRatedType +
         " NOT IN ('comment', 'term', 'author') AND " + has_words("post.post_title") +
         " AND (? = 0 OR post.post_password = '' AND " + kIsPublished +
         ") ORDER BY rated.object_id DESC";
}
const std::string kFindTitlesOfObjects = find_titles(
    "{prefix}ratingd_totals rated FORCE INDEX (PRIMARY) STRAIGHT_JOIN {prefix}posts post");
const std::string kFindTitlesOfPosts = find_titles(
    "{prefix}posts post FORCE INDEX (PRIMARY) STRAIGHT_JOIN {prefix}ratingd_totals rated");
const std::string kFindTitlesOfComments =
    std::string(
        "SELECT rated.object_id, rated.object_type, 'comment', post.post_type"
        " FROM {prefix}ratingd_totals rated FORCE INDEX (PRIMARY)"
        " STRAIGHT_JOIN {prefix}comments comment FORCE INDEX (PRIMARY)"
        " ON comment.comment_ID = rated.object_id STRAIGHT_JOIN {prefix}posts post"
        " FORCE INDEX (PRIMARY) ON post.ID = comment.comment_post_ID LEFT JOIN {prefix}posts parent"
        " ON parent.ID = post.post_parent WHERE ") +
    kIsKnown + " AND rated.object_id BETWEEN ? AND ? AND " + kRatedType + " = 'comment' AND " +
    has_words(
        "CONCAT(REGEXP_REPLACE(LEFT(comment.comment_content, 400), '<[^>]*>', ''),"
        " ' \u00b7 ', post.post_title)") +
    " AND (? = 0 OR post.post_password = '' AND comment.comment_approved = '1' AND " +
    kIsPublished + ") ORDER BY rated.object_id DESC";

// Returns a statement that selects the rated objects that must not appear in lists. "is_hidden" is
// an SQL condition that is true if an object is not published. The third column contains the post's
// type if the type is internal, and is empty otherwise. The fourth column is 1 if the object is not
// published.
std::string find_omitted(const std::string& tables, const std::string& where,
                         const std::string& is_hidden) {
  const std::string is_internal = "post.post_type IN " + internal_types();
  return "SELECT rated.object_id, rated.object_type, IF(" + is_internal +
         ", post.post_type, ''), " + is_hidden + " FROM {prefix}ratingd_totals rated" + tables +
         " LEFT JOIN {prefix}posts parent ON parent.ID = post.post_parent"
         " WHERE rated.object_id BETWEEN ? AND ? AND " +
         kRatedType + where + " AND (" + is_internal + " OR " + kIsKnown + " AND " + is_hidden +
         ")";
}
const std::string kFindOmittedPosts =
    find_omitted(std::string(" JOIN {prefix}posts post ON post.ID = rated.object_id AND ") +
                     kRatedType + " IN ('post', post.post_type)",
                 " <> 'comment'", std::string("NOT (") + kIsPublished + ")");
const std::string kFindOmittedComments = find_omitted(
    " JOIN {prefix}comments comment ON comment.comment_ID = rated.object_id"
    " JOIN {prefix}posts post ON post.ID = comment.comment_post_ID",
    " = 'comment'", std::string("NOT (comment.comment_approved = '1' AND (") + kIsPublished + "))");

const std::string kReadPostsHead =
    std::string(
        "SELECT post.ID, post.post_type, post.post_status, LEFT(post.post_title, 1000),"
        " post.post_name, CAST(post.post_date AS CHAR), post.post_parent, ") +
    kIsPublished +
    ", post.post_password <> '' FROM {prefix}posts post FORCE INDEX (PRIMARY)"
    " LEFT JOIN {prefix}posts parent ON parent.ID = post.post_parent WHERE " +
    kIsKnown + " AND post.ID IN (";
constexpr db::BulkStatement kReadComments(
    {"SELECT comment_ID, comment_post_ID, comment_approved = '1', LEFT(comment_content, 400)"
     " FROM {prefix}comments FORCE INDEX (PRIMARY) WHERE comment_ID IN (",
     "?", ",", ")"});

// Returns a statement that finds rated objects that no longer exist. "types" is the number of
// object types, which are the statement's parameters. "further_cases" contains WHEN branches for
// additional types.
std::string find_deleted(std::size_t types, const std::string& further_cases) {
  return std::string(
             "SELECT object_id, object_type FROM (SELECT DISTINCT object_id, object_type"
             " FROM {prefix}ratingd_votes UNION SELECT DISTINCT object_id, object_type"
             " FROM {prefix}ratingd_balances) AS rated WHERE ") +
         kRatedType + " IN " + db::marks(types) + " AND CASE " + kRatedType +
         " WHEN 'comment' THEN NOT EXISTS (SELECT 1 FROM {prefix}comments"
         " WHERE comment_ID = object_id)" +
         further_cases +
         " ELSE NOT EXISTS (SELECT 1 FROM {prefix}posts"
         " WHERE ID = object_id) END ORDER BY object_id, object_type";
}

// Returns whether "object" may be a result of "search". "type" is the object's type in the CMS, and
// "shown_type" is the type whose visibility rules apply to the object, such as the type of a
// comment's post.
bool is_wanted(const Object& object, const std::string& type, const std::string& shown_type,
               const cms::TitleSearch& search) {
  const auto& wanted = search.object_type;
  if (object.type.find(':') != std::string::npos && object.type != wanted) return false;
  if (!may_be_known(object.type, search.facets)) return false;
  if (wanted && *wanted != object.type && (*wanted == "post" || cms::own_type(*wanted) != type)) {
    return false;
  }
  const auto& public_types = search.further_public_types;
  return !search.is_for_everybody || is_public_type(shown_type) ||
         std::ranges::find(public_types, shown_type) != public_types.end();
}

// Returns the first id in the chunk after the chunk that begins at "first", or nothing if there is
// no such chunk. Rows with the same id are never split across chunks.
std::optional<std::uint64_t> begin_of_next_chunk(db::Connection& connection, std::uint64_t first) {
  db::Rows row = connection.query(
      "SELECT object_id FROM {prefix}ratingd_totals FORCE INDEX (PRIMARY) WHERE object_id >= ?"
      " ORDER BY object_id LIMIT 1 OFFSET ?",
      first, kChunk);
  if (!row.next()) return std::nullopt;
  return std::max(row.unsigned_integer(1), first + 1);
}

// Returns the first id in the chunk whose last id is "last", or 0 if this chunk is the first chunk.
// Rows with the same id are never split across chunks.
std::uint64_t begin_of_last_chunk(db::Connection& connection, std::uint64_t last) {
  return static_cast<std::uint64_t>(
      connection
          .query("SELECT object_id FROM {prefix}ratingd_totals FORCE INDEX (PRIMARY)"
                 " WHERE object_id <= ? ORDER BY object_id DESC LIMIT 1 OFFSET ?",
                 last, kChunkOfTitles)
          .number());
}

// A nonempty "home" parameter overrides WordPress's "home" option.
Permalinks read_permalinks(db::Connection& connection, const std::string& home) {
  std::map<std::string, std::string> options;
  db::Rows row =
      connection
          .prepare(
              "SELECT option_name, option_value FROM {prefix}options WHERE option_name IN"
              " ('home', 'permalink_structure', 'show_on_front', 'page_on_front')")
          .query();
  while (row.next()) options[row.text(1)] = row.text(2);
  Permalinks permalinks;
  permalinks.home = home.empty() ? options["home"] : home;
  while (permalinks.home.ends_with('/')) permalinks.home.pop_back();
  permalinks.structure = options["permalink_structure"];
  if (options["show_on_front"] == "page") {
    permalinks.front_page = std::strtoull(options["page_on_front"].c_str(), nullptr, 10);
  }
  return permalinks;
}

void read_posts(db::Connection& connection, const std::set<std::uint64_t>& ids, Posts& posts) {
  db::BulkStatement({kReadPostsHead, "?", ",", ")"})
      .query(connection, ids, [&](const db::Rows& row) {
        Post post;
        post.id = row.unsigned_integer(1);
        post.type = row.text(2);
        post.status = row.text(3);
        post.title = row.text(4);
        post.name = row.text(5);
        post.date = row.text(6);
        post.parent = row.unsigned_integer(7);
        post.is_published = row.integer(8) == 1;
        post.has_password = row.integer(9) == 1;
        posts[post.id] = std::move(post);
      });
}

// Reads the ancestors of all pages in "posts" and adds them to "posts".
void read_parents(db::Connection& connection, Posts& posts) {
  for (int depth = 0; depth < kDeepestPage; ++depth) {
    std::set<std::uint64_t> missing;
    for (const auto& [id, post] : posts) {
      if (post.type == "page" && post.parent != 0 && !posts.contains(post.parent)) {
        missing.insert(post.parent);
      }
    }
    const std::size_t known = posts.size();
    read_posts(connection, missing, posts);
    if (posts.size() == known) return;
  }
}

struct Comment {
  std::uint64_t post = 0;
  bool is_approved = false;
  std::string start;  // the start of the comment's text
};

std::map<std::uint64_t, Comment> read_comments(db::Connection& connection,
                                               const std::set<std::uint64_t>& ids) {
  std::map<std::uint64_t, Comment> comments;
  kReadComments.query(connection, ids, [&](const db::Rows& row) {
    comments[row.unsigned_integer(1)] = {row.unsigned_integer(2), row.integer(3) == 1, row.text(4)};
  });
  return comments;
}

}  // namespace

// Looks up all rated objects with one statement per chunk.
std::optional<cms::OmittedObjects> WordPress::rated_and_omitted(
    db::Connection& connection, const model::FacetNames& facets,
    const std::vector<std::string>& listed_types, std::chrono::milliseconds time_limit) const {
  const base::Stopwatch stopwatch;
  std::vector<std::string> statements = {kFindOmittedPosts, kFindOmittedComments};
  if (archives_.are_rated(connection)) statements.push_back(archives_.find_unpublished());
  model::ObjectSet::IdsByType internal;
  model::ObjectSet::IdsByType all;
  const auto add = [&](const db::Rows& row) {
    const std::string type = row.text(2);
    if (!may_be_known(type, facets)) return;
    const std::string own_type = base::to_lower(row.text(3));
    const bool is_internal = !own_type.empty() && !cms::names_own_type(listed_types, own_type);
    const bool is_unpublished = row.integer(4) == 1;
    if (is_internal) internal[type].push_back(row.unsigned_integer(1));
    if (is_internal || is_unpublished) all[type].push_back(row.unsigned_integer(1));
  };
  for (std::optional<std::uint64_t> first = 0; first;) {
    if (stopwatch.elapsed() > time_limit) return std::nullopt;
    const auto next = begin_of_next_chunk(connection, *first);
    const std::uint64_t last = next ? *next - 1 : std::numeric_limits<std::uint64_t>::max();
    for (const std::string& text : statements) {
      for (db::Rows row = connection.query(text, *first, last); row.next();) {
        add(row);
      }
    }
    first = next;
  }
  return cms::OmittedObjects{model::ObjectSet(std::move(internal)),
                             model::ObjectSet(std::move(all))};
}

// Searches the rated objects in chunks, beginning with the highest ids.
cms::TitleMatches WordPress::rated_with_title(db::Connection& connection,
                                              const cms::TitleSearch& search) const {
  const std::string pattern = pattern_of(search.words);
  const base::Stopwatch stopwatch;
  std::vector<std::string> others;
  if (are_rated(connection, "'comment'")) others.push_back(kFindTitlesOfComments);
  if (archives_.are_rated(connection)) {
    others.insert(others.end(), archives_.find_titles().begin(), archives_.find_titles().end());
  }
  cms::TitleMatches matches;
  std::set<Object> found;
  const auto find = [&](const std::string& text, std::uint64_t first, std::uint64_t last) {
    db::Statement& statement = connection.prepare(text);
    statement.bind(first, last, pattern, std::int64_t{search.is_for_everybody});
    for (db::Rows row = statement.query(); !matches.exceeds_limit && row.next();) {
      Object object{row.unsigned_integer(1), row.text(2)};
      if (!is_wanted(object, row.text(3), row.text(4), search) || found.contains(object)) continue;
      matches.exceeds_limit = found.size() == search.limit;
      if (!matches.exceeds_limit) found.insert(std::move(object));
    }
  };
  for (auto last = std::numeric_limits<std::uint64_t>::max(); !matches.exceeds_limit;) {
    if (stopwatch.elapsed() > search.time_limit) {
      matches.exceeds_time = true;
      break;
    }
    std::uint64_t first = begin_of_last_chunk(connection, last);
    const bool are_few_posts = last - first < kFewPosts;
    if (are_few_posts) first = last - std::min(last, kChunkOfPosts);
    find(are_few_posts ? kFindTitlesOfPosts : kFindTitlesOfObjects, first, last);
    for (const std::string& text : others) find(text, first, last);
    if (first == 0) break;
    last = first - 1;
  }
  model::ObjectSet::IdsByType ids;
  for (const Object& object : found) ids[object.type].push_back(object.id);
  matches.objects = model::ObjectSet(std::move(ids));
  return matches;
}

// Posts in the trash and posts whose type has changed do not count as deleted.
std::vector<Object> WordPress::rated_and_deleted(db::Connection& connection,
                                                 const model::FacetNames& facets) const {
  // WordPress's built-in public post types (create_initial_post_types() in post.php), and
  // "comment".
  std::set<std::string> types = {"attachment", "comment", "page", "post"};
  db::Rows row = connection.query("SELECT DISTINCT post_type FROM {prefix}posts");
  while (row.next()) types.insert(base::to_lower(row.text(1)));
  const bool has_archives = archives_.are_rated(connection);
  if (has_archives) types.insert({"author", "term"});
  db::Statement& statement =
      connection.prepare(find_deleted(types.size(), has_archives ? archives_.when_deleted() : ""));
  for (const std::string& type : types) statement.bind(type);
  auto objects = statement.query().all([](const db::Rows& found) {
    return Object{found.unsigned_integer(1), found.text(2)};
  });
  std::erase_if(objects, [&](const Object& one) { return !may_be_known(one.type, facets); });
  return objects;
}

// An object of type "post" may be a post of any post type. Revisions and auto-drafts are ignored.
std::map<Object, ContentItem> WordPress::describe(db::Connection& connection,
                                                  std::span<const Object> objects) const {
  std::set<std::uint64_t> post_ids;
  std::set<std::uint64_t> comment_ids;
  for (const Object& object : objects) {
    if (Archives::have(object.type)) continue;
    (object.type == "comment" ? comment_ids : post_ids).insert(object.id);
  }
  const auto comments = read_comments(connection, comment_ids);
  for (const auto& [id, comment] : comments) post_ids.insert(comment.post);
  Posts posts;
  read_posts(connection, post_ids, posts);
  read_parents(connection, posts);
  const Permalinks permalinks = read_permalinks(connection, config_.home);

  auto found = archives_.describe(connection, objects, permalinks.home);
  for (const Object& object : objects) {
    if (Archives::have(object.type)) continue;
    const auto comment = comments.find(object.id);
    const bool is_comment = object.type == "comment";
    if (is_comment && comment == comments.end()) continue;
    const auto known = posts.find(is_comment ? comment->second.post : object.id);
    if (known == posts.end()) continue;
    const Post& post = known->second;
    if (!is_comment && object.type != "post" && object.type != post.type) continue;
    std::string link = permalinks.of(post, posts);
    if (is_comment && !link.empty()) link += "#comment-" + std::to_string(object.id);
    found[object] = {is_comment ? object.type : post.type,
                     is_comment ? title_of(comment->second.start, post.title) : post.title,
                     std::move(link),
                     post.is_published && (!is_comment || comment->second.is_approved),
                     post.type,
                     access_to_type(post.type),
                     post.has_password};
  }
  return found;
}

}  // namespace wordpress
