#include "wordpress/archives.h"

#include <cstdint>
#include <set>

#include "db/bulk_statement.h"

namespace wordpress {
namespace {

// An SQL condition that excludes WordPress's built-in taxonomies without public pages
// (create_initial_taxonomies(), taxonomy.php). Taxonomies added by plugins cannot be checked,
// because they are registered only in PHP.
constexpr const char* kHasPages =
    "taxonomy.taxonomy NOT IN ('nav_menu', 'link_category', 'wp_theme', 'wp_template_part_area',"
    " 'wp_pattern_category')";

// The part after FROM in an SQL query for a user's published posts. The caller must append the
// user's id.
constexpr const char* kPostsOf =
    "{prefix}posts post WHERE post.post_type = 'post' AND post.post_status = 'publish' AND"
    " post.post_author = ";

// On older sites, a term may belong to several taxonomies. The query returns one row per taxonomy,
// with public taxonomies last, because the caller uses only a term's last row.
const std::string kReadTerms =
    std::string("SELECT term.term_id, LEFT(term.name, 1000), term.slug, taxonomy.taxonomy, ") +
    kHasPages +
    " AS has_pages FROM {prefix}terms term JOIN {prefix}term_taxonomy taxonomy"
    " ON taxonomy.term_id = term.term_id WHERE term.term_id IN (";

std::string link_of_term(const std::string& home, std::uint64_t id, const std::string& taxonomy,
                         const std::string& slug) {
  if (taxonomy == "category") return home + "/?cat=" + std::to_string(id);
  if (taxonomy == "post_tag") return home + "/?tag=" + slug;
  return home + "/?taxonomy=" + taxonomy + "&term=" + slug;
}

}  // namespace

Archives::Archives(const std::string& users_table)
    : read_authors_(std::string("SELECT author.ID, author.display_name, EXISTS (SELECT 1 FROM ") +
                    kPostsOf + "author.ID) FROM " + users_table + " author WHERE author.ID IN ("),
      find_unpublished_(
          std::string("SELECT rated.object_id, rated.object_type,"
                      " IF(SUBSTRING_INDEX(rated.object_type, ':', 1) = 'term', 'nav_menu', ''), 1"
                      " FROM {prefix}ratingd_totals rated WHERE rated.object_id BETWEEN ? AND ? AND"
                      " CASE SUBSTRING_INDEX(rated.object_type, ':', 1) WHEN 'term' THEN"
                      " EXISTS (SELECT 1 FROM {prefix}term_taxonomy taxonomy"
                      " WHERE taxonomy.term_id = rated.object_id) AND NOT EXISTS"
                      " (SELECT 1 FROM {prefix}term_taxonomy taxonomy"
                      " WHERE taxonomy.term_id = rated.object_id AND ") +
          kHasPages + ") WHEN 'author' THEN EXISTS (SELECT 1 FROM " + users_table +
          " WHERE ID = rated.object_id) AND NOT EXISTS (SELECT 1 FROM " + kPostsOf +
          "rated.object_id) ELSE 0 END"),
      when_deleted_(
          " WHEN 'term' THEN NOT EXISTS (SELECT 1 FROM {prefix}terms WHERE term_id = object_id)"
          " WHEN 'author' THEN NOT EXISTS (SELECT 1 FROM " +
          users_table + " WHERE ID = object_id)"),
      find_titles_({
          std::string("SELECT rated.object_id, rated.object_type, 'term', IF(taxonomy.taxonomy IN"
                      " ('category', 'post_tag'), 'post', taxonomy.taxonomy)"
                      " FROM {prefix}ratingd_totals rated FORCE INDEX (PRIMARY)"
                      " STRAIGHT_JOIN {prefix}terms term ON term.term_id = rated.object_id"
                      " JOIN {prefix}term_taxonomy taxonomy ON taxonomy.term_id = term.term_id"
                      " WHERE rated.object_id BETWEEN ? AND ?"
                      " AND SUBSTRING_INDEX(rated.object_type, ':', 1) = 'term' AND ") +
              has_words("term.name") + " AND (? = 0 OR " + kHasPages +
              ") ORDER BY rated.object_id DESC",
          std::string("SELECT rated.object_id, rated.object_type, 'author', 'post'"
                      " FROM {prefix}ratingd_totals rated FORCE INDEX (PRIMARY) STRAIGHT_JOIN ") +
              users_table +
              " author ON author.ID = rated.object_id WHERE rated.object_id BETWEEN ? AND ?"
              " AND SUBSTRING_INDEX(rated.object_type, ':', 1) = 'author' AND " +
              has_words("author.display_name") + " AND ? IN (0, 1) AND EXISTS (SELECT 1 FROM " +
              kPostsOf + "author.ID) ORDER BY rated.object_id DESC",
      }) {}

cms::ObjectState Archives::state_of(db::Connection& connection, const model::Object& object) const {
  const auto found = describe(connection, {&object, 1}, "");
  if (found.empty()) return {};
  if (found.begin()->second.is_published) return {object.type, model::ObjectCheck::published};
  if (object.type == "author") return {};
  return {object.type, model::ObjectCheck::known};
}

std::map<model::Object, cms::ContentItem> Archives::describe(db::Connection& connection,
                                                             std::span<const model::Object> objects,
                                                             const std::string& home) const {
  std::set<std::uint64_t> terms;
  std::set<std::uint64_t> authors;
  for (const model::Object& object : objects) {
    if (object.type == "term") terms.insert(object.id);
    if (object.type == "author") authors.insert(object.id);
  }
  std::map<model::Object, cms::ContentItem> found;
  db::BulkStatement({kReadTerms, "?", ",", ") ORDER BY has_pages"})
      .query(connection, terms, [&](const db::Rows& row) {
        const std::uint64_t id = row.unsigned_integer(1);
        const std::string taxonomy = row.text(4);
        const bool has_pages = row.integer(5) == 1;
        const bool is_public = taxonomy == "category" || taxonomy == "post_tag";
        found[{id, "term"}] = {.type = "term",
                               .title = row.text(2),
                               .link = link_of_term(home, id, taxonomy, row.text(3)),
                               .is_published = has_pages,
                               .post_type = taxonomy,
                               .type_access = !has_pages  ? cms::TypeAccess::internal
                                              : is_public ? cms::TypeAccess::everybody
                                                          : cms::TypeAccess::unclear};
      });
  db::BulkStatement({read_authors_, "?", ",", ")"})
      .query(connection, authors, [&](const db::Rows& row) {
        const std::uint64_t id = row.unsigned_integer(1);
        cms::ContentItem& author =
            found[{id, "author"}] = {.type = "author", .title = {}, .link = {}};
        author.post_type = "author";
        author.is_published = row.integer(3) == 1;
        if (!author.is_published) return;
        author.title = row.text(2);
        author.link = home + "/?author=" + std::to_string(id);
      });
  return found;
}

}  // namespace wordpress
