#include "imports/plugin.h"

namespace imports::shuriken_reviews {
namespace {

// Stars and numbers are stored on a scale of five, likes and approvals as 0 and 1.
tl::expected<VoteMeaning, Reason> read(const PluginVote& vote, const PluginFacts&) {
  if (vote.kind == "stars" || vote.kind == "numeric") {
    return scale_value(vote.value, model::decimal_of(1), model::decimal_of(5));
  }
  if (vote.kind != "like_dislike" && vote.kind != "approval") {
    return because("there is no such type of rating");
  }
  const auto value = model::parse_decimal(vote.value);
  const auto integer = value ? model::to_integer(*value) : std::nullopt;
  if (!integer || *integer < 0 || *integer > 1) return because(kOutOfRange);
  return VoteMeaning{model::Category::binary, static_cast<model::Thousandths>(*integer * 1000)};
}

constexpr PluginTable kTables[] = {{"shuriken_votes"}, {"shuriken_ratings"}};

// A vote belongs to a rating, or to a rating of a post or comment. A post can have several ratings
// in the plugin, but only one scale and one binary rating in ratingd. The first used rating of each
// kind is imported as the rating of the post; the others become objects of a separate type.
constexpr VoteQuery kVotes[] = {
    {.table = "shuriken_votes",
     .key = "v.id",
     .object_id = "COALESCE(v.context_id, v.rating_id)",
     .object_type = "CASE WHEN v.context_id IS NULL THEN 'shuriken' ELSE CONCAT("
                    "CASE WHEN v.context_type IN ('post', 'page', 'product') THEN 'post'"
                    " ELSE v.context_type END, CASE WHEN v.rating_id = f.id THEN ''"
                    " ELSE CONCAT('.shuriken-', v.rating_id) END) END",
     .object_table = "CASE WHEN v.context_type IN ('post', 'page', 'product') THEN 'posts'"
                     " WHEN v.context_type = 'comment' THEN 'comments' ELSE '' END",
     .user = "v.user_id",
     .visitor = "v.user_ip",
     .kind = "COALESCE(r.rating_type, '')",
     .value = "v.rating_value",
     .rated_at = "v.date_modified",
     .created_at = "v.date_created",
     .from =
         "{prefix}shuriken_votes AS v LEFT JOIN {prefix}shuriken_ratings AS r ON r.id = v.rating_id"
         " LEFT JOIN (SELECT MIN(id) AS id, rating_type IN ('like_dislike', 'approval') AS"
         " is_binary FROM {prefix}shuriken_ratings AS u WHERE EXISTS"
         " (SELECT 1 FROM {prefix}shuriken_votes WHERE rating_id = u.id"
         " AND context_id IS NOT NULL) GROUP BY is_binary) AS f"
         " ON f.is_binary = (r.rating_type IN ('like_dislike', 'approval'))",
     .read = read,
     .read_time = site_time}};

}  // namespace

constexpr Plugin kPlugin{.name = "shuriken-reviews",
                         .title = "Shuriken Reviews",
                         .options = "shuriken\\_reviews\\_%",
                         .folder = "shuriken-reviews",
                         .tables = kTables,
                         .votes = kVotes,
                         .totals = {},
                         .leftovers = {}};

}  // namespace imports::shuriken_reviews
