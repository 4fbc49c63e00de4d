#include "imports/plugin.h"

namespace imports::shuriken_reviews {
namespace {

bool is_scale(std::string_view kind) { return kind == "stars" || kind == "numeric"; }

// Shuriken Reviews stores votes in star ratings and numeric ratings on a five-point scale, and
// likes and approvals as 0 or 1.
tl::expected<VoteMeaning, Reason> read(const PluginVote& vote, const PluginContext&) {
  if (is_scale(vote.kind)) {
    return scale_value(vote.value, model::decimal_of(1), model::decimal_of(5));
  }
  if (vote.kind != "like_dislike" && vote.kind != "approval") {
    return because("the type of rating does not exist");
  }
  const auto value = model::parse_decimal(vote.value);
  const auto integer = value ? model::to_integer(*value) : std::nullopt;
  if (!integer || *integer < 0 || *integer > 1) return because(kOutOfRange);
  return VoteMeaning{model::Category::binary, static_cast<model::Thousandths>(*integer * 1000)};
}

// "total.more_votes" contains the type of the rating, such as "stars" or "like_dislike".
tl::expected<TotalMeaning, Reason> read_total(const PluginTotal& total, const PluginContext&) {
  const bool is_of_stars = is_scale(total.more_votes);
  auto meaning =
      scale_figures(php_integer(total.votes), php_number(total.sum), is_of_stars ? 5 : 1);
  if (meaning && !is_of_stars) meaning->category = model::Category::binary;
  return meaning;
}

constexpr PluginTable kTables[] = {{"shuriken_votes"}, {"shuriken_ratings"}};

// In Shuriken Reviews, a vote belongs to a standalone rating, or to a rating that is shown on a
// post or comment. A post can have several ratings in Shuriken Reviews, but only one scale rating
// and one binary rating in ratingd. If several ratings in a category have votes on posts or
// comments, only the rating with the lowest id is imported as the posts' own rating. Votes for any
// other rating are imported as votes on a separate object with a type such as "post.shuriken-7".
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

// For each rating, the plugin shows the totals that it stores. The query subtracts the votes on
// posts and comments, because ratingd counts them for separate objects. Parent ratings are skipped,
// because the totals of a parent rating are the sums of its child ratings' totals.
constexpr TotalQuery kTotals[] = {
    {.table = "shuriken_ratings",
     .also = "shuriken_votes",
     .object_type = "'shuriken'",
     .votes =
         "r.total_votes - (SELECT COUNT(*) FROM {prefix}shuriken_votes AS c WHERE c.rating_id ="
         " r.id AND c.context_id IS NOT NULL)",
     .sum = "r.total_rating - (SELECT COALESCE(SUM(c.rating_value), 0) FROM {prefix}shuriken_votes"
            " AS c WHERE c.rating_id = r.id AND c.context_id IS NOT NULL)",
     .more_votes = "r.rating_type",
     .object_id = "r.id",
     .from =
         "{prefix}shuriken_ratings AS r WHERE r.mirror_of IS NULL AND r.total_votes > 0"
         " AND NOT EXISTS (SELECT 1 FROM {prefix}shuriken_ratings AS s WHERE s.parent_id = r.id)",
     .read = read_total}};

}  // namespace

constexpr Plugin kPlugin{.name = "shuriken-reviews",
                         .title = "Shuriken Reviews",
                         .options = "shuriken\\_reviews\\_%",
                         .folder = "shuriken-reviews",
                         .tables = kTables,
                         .votes = kVotes,
                         .totals = kTotals,
                         .skipped_rows = {}};

}  // namespace imports::shuriken_reviews
