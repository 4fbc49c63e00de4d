#include "imports/plugin.h"

namespace imports::site_reviews {
namespace {

// The plugin counts only approved reviews that contain a rating.
tl::expected<VoteMeaning, Reason> read(const PluginVote& vote, const PluginContext& context) {
  if (vote.kind != "1") return because("the review is not approved, or its post is not published");
  if (vote.value == "0") return because("the review has no rating");
  return scale_value(vote.value, context.lowest, context.highest);
}

tl::expected<TotalMeaning, Reason> read_total(const PluginTotal& total, const PluginContext&) {
  return scale_figures(php_integer(total.votes), php_integer(total.sum), 5);
}

constexpr PluginTable kTables[] = {{"glsr_ratings"},
                                   {"glsr_assigned_posts", false},
                                   {"glsr_assigned_terms", false},
                                   {"glsr_assigned_users", false}};

// A review counts for every post, term and user to which it is assigned. A review is stored as a
// post. The post's author and time become the rating's voter and time. The review's text is not
// imported.
constexpr VoteQuery kVotes[] = {
    {.table = "glsr_assigned_posts",
     .also = "glsr_ratings",
     .key = "r.ID",
     .object_id = "a.post_id",
     .object_type = "'post'",
     .object_table = "'posts'",
     .user = "t.post_author",
     .visitor = "r.ip_address",
     .kind = "r.is_approved = 1 AND a.is_published = 1",
     .value = "r.rating",
     .rated_at = "t.post_date_gmt",
     .from = "{prefix}glsr_assigned_posts AS a JOIN {prefix}glsr_ratings AS r ON r.ID = a.rating_id"
             " LEFT JOIN {prefix}posts AS t ON t.ID = r.review_id",
     .read = read,
     .read_time = utc_time},
    {.table = "glsr_assigned_terms",
     .also = "glsr_ratings",
     .key = "r.ID",
     .object_id = "a.term_id",
     .object_type = "'term'",
     .object_table = "''",
     .user = "t.post_author",
     .visitor = "r.ip_address",
     .kind = "r.is_approved",
     .value = "r.rating",
     .rated_at = "t.post_date_gmt",
     .from = "{prefix}glsr_assigned_terms AS a JOIN {prefix}glsr_ratings AS r ON r.ID = a.rating_id"
             " LEFT JOIN {prefix}posts AS t ON t.ID = r.review_id",
     .read = read,
     .read_time = utc_time},
    {.table = "glsr_assigned_users",
     .also = "glsr_ratings",
     .key = "r.ID",
     .object_id = "a.user_id",
     .object_type = "'author'",
     .object_table = "''",
     .user = "t.post_author",
     .visitor = "r.ip_address",
     .kind = "r.is_approved",
     .value = "r.rating",
     .rated_at = "t.post_date_gmt",
     .from = "{prefix}glsr_assigned_users AS a JOIN {prefix}glsr_ratings AS r ON r.ID = a.rating_id"
             " LEFT JOIN {prefix}posts AS t ON t.ID = r.review_id",
     .read = read,
     .read_time = utc_time}};

constexpr TotalQuery kTotals[] = {
    {.table = "glsr_assigned_posts",
     .also = "glsr_ratings",
     .object_type = "'post'",
     .votes = "COUNT(*)",
     .sum = "SUM(r.rating)",
     .object_id = "a.post_id",
     .from = "{prefix}glsr_assigned_posts AS a JOIN {prefix}glsr_ratings AS r ON r.ID = a.rating_id"
             " JOIN {prefix}posts AS p ON p.ID = a.post_id WHERE a.is_published = 1"
             " AND r.is_approved = 1 AND r.rating > 0",
     .group = "GROUP BY a.post_id",
     .read = read_total},
    {.table = "glsr_assigned_terms",
     .also = "glsr_ratings",
     .object_type = "'term'",
     .votes = "COUNT(*)",
     .sum = "SUM(r.rating)",
     .object_id = "a.term_id",
     .from = "{prefix}glsr_assigned_terms AS a JOIN {prefix}glsr_ratings AS r ON r.ID = a.rating_id"
             " WHERE r.is_approved = 1 AND r.rating > 0",
     .group = "GROUP BY a.term_id",
     .read = read_total},
    {.table = "glsr_assigned_users",
     .also = "glsr_ratings",
     .object_type = "'author'",
     .votes = "COUNT(*)",
     .sum = "SUM(r.rating)",
     .object_id = "a.user_id",
     .from = "{prefix}glsr_assigned_users AS a JOIN {prefix}glsr_ratings AS r ON r.ID = a.rating_id"
             " WHERE r.is_approved = 1 AND r.rating > 0",
     .group = "GROUP BY a.user_id",
     .read = read_total}};

}  // namespace

constexpr Plugin kPlugin{.name = "site-reviews",
                         .title = "Site Reviews",
                         .options = "glsr\\_%",
                         .folder = "site-reviews",
                         .tables = kTables,
                         .votes = kVotes,
                         .totals = kTotals,
                         .skipped_rows = {}};

}  // namespace imports::site_reviews
