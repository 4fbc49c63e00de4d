#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/zone.h"
#include "db/connection.h"
#include "model/rating.h"
#include "model/settings.h"

namespace wordpress {

// Reads the CMS's tables; never writes. Safe for concurrent use, each caller with its own
// connection. Errors of all functions: as db::Connection.
class SiteReader {
 public:
  explicit SiteReader(const std::string& table_prefix);

  // The value of a WordPress option; nothing if there is none.
  [[nodiscard]] std::optional<std::string> option(db::Connection& connection,
                                                  const std::string& name) const;

  // The site's time zone (WordPress: wp_timezone_string()): the option timezone_string, else
  // gmt_offset as a fixed offset; UTC if both are invalid.
  [[nodiscard]] base::Zone time_zone(db::Connection& connection) const;

  // Whether a post of any type or status has this id.
  [[nodiscard]] bool has_post(db::Connection& connection, std::uint64_t id) const;

  // Which values of the setting object_check let "object" be rated: the one returned and those
  // before it. known: the CMS has it, and not in the trash; revisions and automatic drafts are not
  // had. published: everybody may see it; an attachment like the post it belongs to, if any, a
  // comment if it is approved and its post is published. The type "post" stands for posts of every
  // type, since themes say it of pages too, "comment" for comments, any other for that type of
  // post.
  [[nodiscard]] model::ObjectCheck strictest_check_passed(db::Connection& connection,
                                                          const model::Object& object) const;

 private:
  const std::string read_option_;
  const std::string find_post_;
  const std::string post_query_, comment_query_;
};

}  // namespace wordpress
