#include "wordpress/site_reader.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/bytes.h"

namespace wordpress {
namespace {

// WordPress's gmt_offset, hours as a decimal text such as "5.5" or "-3", as "+05:30".
std::string offset_name(const std::string& gmt_offset) {
  const double hours = std::strtod(gmt_offset.c_str(), nullptr);
  if (!(std::abs(hours) <= 15)) return "+00:00";
  const int minutes = static_cast<int>(std::lround(std::abs(hours) * 60));
  char name[16];
  std::snprintf(name, sizeof name, "%c%02d:%02d", hours < 0 ? '-' : '+', minutes / 60,
                minutes % 60);
  return name;
}

}  // namespace

SiteReader::SiteReader(const std::string& table_prefix)
    : read_option_("SELECT option_value FROM " + table_prefix +
                   "options WHERE option_name = ? LIMIT 1"),
      find_post_("SELECT 1 FROM " + table_prefix + "posts WHERE ID = ?"),
      post_query_(std::string("SELECT post.post_type, ") + kIsPublished + " FROM " + table_prefix +
                  "posts post LEFT JOIN " + table_prefix +
                  "posts parent ON parent.ID = post.post_parent WHERE post.ID = ? AND "
                  "post.post_type <> 'revision' AND "
                  "post.post_status NOT IN ('auto-draft', 'trash')"),
      comment_query_(std::string("SELECT 'comment', comment_approved = '1' AND ") + kIsPublished +
                     " FROM " + table_prefix + "comments LEFT JOIN " + table_prefix +
                     "posts post ON post.ID = comment_post_ID LEFT JOIN " + table_prefix +
                     "posts parent ON parent.ID = post.post_parent WHERE comment_ID = ? AND "
                     "comment_approved NOT IN ('trash', 'post-trashed')"),
      find_type_("SELECT 1 FROM " + table_prefix + "posts WHERE post_type = ? LIMIT 1"),
      select_ids_("SELECT ID FROM " + table_prefix + "posts WHERE post_type = ") {}

base::Zone SiteReader::time_zone(db::Connection& connection) const {
  const std::string name = option(connection, "timezone_string").value_or("");
  if (!name.empty()) {
    if (const auto zone = base::Zone::named(name)) return *zone;
  }
  const std::string offset = offset_name(option(connection, "gmt_offset").value_or("0"));
  return base::Zone::named(offset).value_or(base::Zone());
}

cms::ObjectState SiteReader::state_of(db::Connection& connection,
                                      const model::Object& object) const {
  const std::string& query = object.type == "comment" ? comment_query_ : post_query_;
  db::Rows row = connection.query(query, object.id);
  if (!row.next()) return {};
  std::string type = base::to_lower(row.text(1));
  if (object.type != "post" && object.type != type) return {};
  return {std::move(type),
          row.integer(2) == 1 ? model::ObjectCheck::published : model::ObjectCheck::known};
}

// The type is written in hexadecimal, so it cannot be read as SQL; in a character set, so that the
// index is of use.
std::optional<std::string> SiteReader::ids_of_type(db::Connection& connection,
                                                   const std::string& type) const {
  if (!connection.query(find_type_, type).next()) return std::nullopt;
  return select_ids_ + "_utf8mb4 X'" + base::to_hex(type) + "'";
}

}  // namespace wordpress
