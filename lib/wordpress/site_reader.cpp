#include "wordpress/site_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "base/text.h"
#include "db/bulk_statement.h"
#include "wordpress/wordpress.h"

namespace wordpress {
namespace {

// The post types that WordPress (create_initial_post_types(), post.php) and WooCommerce
// (WC_Post_Types::register_post_types()) use internally.
constexpr std::array<std::string_view, 16> kInternal = {
    "revision",         "nav_menu_item",    "custom_css",        "customize_changeset",
    "oembed_cache",     "user_request",     "wp_block",          "wp_template",
    "wp_template_part", "wp_global_styles", "wp_navigation",     "wp_font_family",
    "wp_font_face",     "shop_order",       "shop_order_refund", "shop_coupon"};

// Returns the value of WordPress's gmt_offset option in the form "+05:30". "gmt_offset" is a number
// of hours as a decimal string, for example "5.5" or "-3".
std::string offset_name(const std::string& gmt_offset) {
  const double hours = std::strtod(gmt_offset.c_str(), nullptr);
  if (!(std::abs(hours) <= 15)) return "+00:00";
  const int minutes = static_cast<int>(std::lround(std::abs(hours) * 60));
  char name[16];
  std::snprintf(name, sizeof name, "%c%02d:%02d", hours < 0 ? '-' : '+', minutes / 60,
                minutes % 60);
  return name;
}

const std::string kStateOfPost =
    std::string("SELECT post.post_type, ") + kIsPublished +
    " FROM {prefix}posts post LEFT JOIN {prefix}posts parent ON parent.ID = post.post_parent"
    " WHERE post.ID = ? AND post.post_type <> 'revision'"
    " AND post.post_status NOT IN ('auto-draft', 'trash')";
const std::string kStateOfComment =
    std::string("SELECT 'comment', comment_approved = '1' AND ") + kIsPublished +
    " FROM {prefix}comments LEFT JOIN {prefix}posts post ON post.ID = comment_post_ID"
    " LEFT JOIN {prefix}posts parent ON parent.ID = post.post_parent WHERE comment_ID = ?"
    " AND comment_approved NOT IN ('trash', 'post-trashed')";

}  // namespace

std::string has_words(const std::string& column) {
  const std::string text = "CONVERT(" + column + " USING utf8mb4)";
  return "IF(INSTR(CAST(" + column + " AS BINARY), '&') = 0, " + text +
         ", REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(" + text +
         ", '&lt;', '<'), '&gt;', '>'), '&quot;', '\"'), '&#039;', ''''), '&amp;', '&'))"
         " COLLATE utf8mb4_unicode_520_ci LIKE ? ESCAPE '!'";
}

std::string pattern_of(std::string_view words) {
  std::string pattern = "%";
  for (const char c : words) {
    if (c == '%' || c == '_' || c == '!') pattern += '!';
    pattern += c;
  }
  return pattern + "%";
}

std::string internal_types() {
  std::string list;
  for (const std::string_view type : kInternal) {
    list.append(list.empty() ? "('" : ", '").append(type).append("'");
  }
  return list + ")";
}

cms::TypeAccess access_to_type(std::string_view type) {
  constexpr std::array<std::string_view, 3> kPublic = {"post", "page", "attachment"};
  if (std::ranges::find(kInternal, type) != kInternal.end()) return cms::TypeAccess::internal;
  const bool is_public = std::ranges::find(kPublic, type) != kPublic.end();
  return is_public ? cms::TypeAccess::everybody : cms::TypeAccess::unclear;
}

bool are_rated(db::Connection& connection, const std::string& types) {
  return connection
      .query(
          "SELECT 1 FROM {prefix}ratingd_site_daily WHERE SUBSTRING_INDEX(object_type, ':', 1)"
          " IN (" +
          types + ") LIMIT 1")
      .next();
}

std::optional<std::string> read_option(db::Connection& connection, const std::string& name) {
  return connection
      .query("SELECT option_value FROM {prefix}options WHERE option_name = ? LIMIT 1", name)
      .first(db::text_in);
}

std::optional<std::uint64_t> first_published(db::Connection& connection) {
  return connection
      .query(
          "SELECT MIN(ID) FROM {prefix}posts WHERE post_type IN ('post', 'page')"
          " AND post_status = 'publish' HAVING MIN(ID) IS NOT NULL")
      .first([](const db::Rows& row) { return row.unsigned_integer(1); });
}

// Attachments are omitted, because most attachments have no page of their own.
std::optional<std::vector<std::uint64_t>> WordPress::newest_posts(
    db::Connection& connection, const std::vector<std::string>& further_types,
    std::size_t limit) const {
  std::set<std::string> types = {"post", "page"};
  for (const std::string& type : further_types) {
    const std::string own(cms::own_type(type));
    if (access_to_type(own) == cms::TypeAccess::unclear) types.insert(own);
  }
  db::Statement& statement = connection.prepare(
      "SELECT ID FROM {prefix}posts WHERE post_type IN " + db::marks(types.size()) +
      " AND post_status = 'publish' AND post_password = '' ORDER BY ID DESC LIMIT ?");
  for (const std::string& type : types) statement.bind(type);
  statement.bind(static_cast<std::int64_t>(limit));
  return statement.query().all([](const db::Rows& row) { return row.unsigned_integer(1); });
}

base::Zone time_zone_of_site(db::Connection& connection) {
  const std::string name = read_option(connection, "timezone_string").value_or("");
  if (!name.empty()) {
    if (const auto zone = base::Zone::named(name)) return *zone;
  }
  const std::string offset = offset_name(read_option(connection, "gmt_offset").value_or("0"));
  return base::Zone::named(offset).value_or(base::Zone());
}

// All posts are "known" except trashed posts, revisions and auto-drafts. An attachment is
// "published" if its parent is a published post, or if it has no parent. A comment is "published"
// if it is approved and its post is published. The type "post" matches posts of every type, because
// themes also use "post" for pages.
cms::ObjectState WordPress::state_of(db::Connection& connection,
                                     const model::Object& object) const {
  if (Archives::have(object.type)) return archives_.state_of(connection, object);
  db::Rows row =
      connection.query(object.type == "comment" ? kStateOfComment : kStateOfPost, object.id);
  if (!row.next()) return {};
  std::string type = base::to_lower(row.text(1));
  if (object.type != "post" && object.type != type) return {};
  const cms::TypeAccess access = access_to_type(type);
  return {std::move(type),
          row.integer(2) == 1 ? model::ObjectCheck::published : model::ObjectCheck::known, access};
}

// The type is written as a hexadecimal literal to prevent SQL injection. The prefix _utf8mb4 allows
// the server to use WordPress's type_status_date index.
std::optional<std::string> WordPress::ids_of_type(db::Connection& connection,
                                                  const std::string& type) const {
  if (!connection.query("SELECT 1 FROM {prefix}posts WHERE post_type = ? LIMIT 1", type).next()) {
    return std::nullopt;
  }
  return "SELECT ID FROM {prefix}posts WHERE post_type = _utf8mb4 X'" + base::to_hex(type) + "'";
}

}  // namespace wordpress
