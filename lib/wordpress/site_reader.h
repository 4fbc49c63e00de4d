#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/zone.h"
#include "cms/content.h"
#include "db/connection.h"
#include "model/rating.h"

namespace wordpress {

// A condition of SQL: whether the post "post" is public (WordPress: get_post_status(), "inherit"),
// checking at most its "parent". Otherwise false or NULL.
inline constexpr const char* kIsPublished =
    "(post.post_status = 'publish' OR post.post_type = 'attachment' AND "
    "post.post_status = 'inherit' AND COALESCE(parent.post_status, 'publish') = 'publish')";

// Reads the CMS's tables; never writes. Safe for concurrent use, each caller with its own
// connection. Errors of all functions: as db::Connection.
class SiteReader {
 public:
  explicit SiteReader(const std::string& table_prefix);

  // The value of a WordPress option; nothing if there is none.
  [[nodiscard]] std::optional<std::string> option(db::Connection& connection,
                                                  const std::string& name) const {
    return connection.query(read_option_, name).first(db::text_in);
  }

  // The site's time zone (WordPress: wp_timezone_string()): the option timezone_string, else
  // gmt_offset as a fixed offset; UTC if both are invalid.
  [[nodiscard]] base::Zone time_zone(db::Connection& connection) const;

  // Whether a post of any type or status has this id.
  [[nodiscard]] bool has_post(db::Connection& connection, std::uint64_t id) const {
    return connection.query(find_post_, id).next();
  }

  // The state of "object". known: it is not in the trash; revisions and automatic drafts are not
  // had. published: everybody may see it; an attachment like the post it belongs to, if any, a
  // comment if it is approved and its post is published. The type "post" stands for posts of every
  // type, since themes say it of pages too, "comment" for comments, any other for that type of
  // post.
  [[nodiscard]] cms::ObjectState state_of(db::Connection& connection,
                                          const model::Object& object) const;

  // As cms::Cms::ids_of_type(): the posts of a type, by WordPress's index type_status_date.
  [[nodiscard]] std::optional<std::string> ids_of_type(db::Connection& connection,
                                                       const std::string& type) const;

 private:
  const std::string read_option_;
  const std::string find_post_;
  const std::string post_query_, comment_query_;
  const std::string find_type_, select_ids_;
};

}  // namespace wordpress
