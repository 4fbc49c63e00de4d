// Reads the ratings that the plugin places on content, from the option "ratingd_placement"
// (web/wordpress/ratingd/includes/placement.php).

#include "json/codec.h"
#include "wordpress/php_serialized.h"
#include "wordpress/site_reader.h"
#include "wordpress/wordpress.h"

namespace wordpress {
namespace {

std::string text_of(const PhpValue& values, std::string_view name) {
  const PhpValue* const value = values.find(name);
  const std::string* const text = value != nullptr ? value->as_string() : nullptr;
  return text != nullptr ? *text : "";
}

}  // namespace

std::vector<cms::PlacedRating> WordPress::placed_ratings(db::Connection& connection) const {
  const auto option = read_option(connection, "ratingd_placement");
  const auto values = option ? parse_php_serialized(*option) : std::nullopt;
  if (!values || values->as_array() == nullptr) return {};
  std::vector<cms::PlacedRating> placed;
  for (const auto& [type, one] : *values->as_array()) {
    const std::string where = text_of(one, "where");
    if (where != "before" && where != "after") continue;
    const bool is_below_comments = type == "comment" && one.find("template") == nullptr;
    placed.push_back(
        {.type = type,
         .is_post = type != "comment" && !Archives::have(type),
         .group = text_of(one, "group"),
         .names = json::list_in({text_of(one, "facets")}),
         .template_slug = is_below_comments ? "simple/thumbs" : text_of(one, "template")});
    if (placed.back().names.empty()) placed.back().group.clear();
  }
  return placed;
}

bool WordPress::may_register(db::Connection& connection) const {
  if (!config_.network.exists) {
    return read_option(connection, "users_can_register").value_or("0") == "1";
  }
  const auto allowed = users_.network_option(connection, "registration").value_or("none");
  return allowed == "all" || allowed == "user";
}

}  // namespace wordpress
