#include "imports/plugin.h"
#include "wordpress/site_reader.h"

namespace imports::kk_star_ratings {
namespace {

// The stored sum of votes always uses a five-star scale, even if the site shows a different number
// of stars. Since version 2, kk Star Ratings has converted each vote to five stars before adding
// the vote to the sum.
tl::expected<TotalMeaning, Reason> read(const PluginTotal& total, const PluginContext&) {
  const bool has_votes = !total.votes.empty();
  const std::string& sum = total.sum.empty() ? total.more_sum : total.sum;
  return scale_figures(php_integer(has_votes ? total.votes : total.more_votes), php_number(sum), 5);
}

// In kk Star Ratings, a post can have additional, named ratings (slugs). A named rating is imported
// only if the site has a facet with this name in ratingd.
tl::expected<TotalMeaning, Reason> read_named(const PluginTotal& total,
                                              const PluginContext& context) {
  if (!model::is_facet(total.object_type, context.facets)) {
    return because("the name of the post's second rating is missing from “Criteria and reactions”");
  }
  return read(total, context);
}

void read_context(db::Connection& connection, PluginContext& context) {
  context.version = wordpress::read_option(connection, "kksr_ver").value_or("");
}

// If the plugin's options were deleted, its version is unknown, and the existing meta keys
// determine which sums are read.
bool is_unknown_or_5(const PluginContext& context) {
  return context.version.empty() || !context.is_before("5");
}
bool is_3_0(const PluginContext& context) {
  return !context.is_before("3") && context.is_before("3.1");
}
bool is_2_or_3_1_to_4(const PluginContext& context) {
  return !is_unknown_or_5(context) && !is_3_0(context);
}

constexpr PluginTable kTables[] = {{"postmeta"}};

constexpr TotalQuery kTotals[] = {
    // When kk Star Ratings 5 shows a post, it copies the values of the post's older meta keys to
    // the new meta keys.
    {.table = "postmeta",
     .object_type = "'post'",
     .votes = "_kksr_count_default",
     .sum = "_kksr_ratings_default",
     .more_votes = "_kksr_casts",
     .more_sum = "_kksr_ratings",
     .read = read,
     .applies = is_unknown_or_5},
    {.table = "postmeta",
     .object_type = "'post'",
     .votes = "_kksr_count",
     .sum = "_kksr_ratings",
     .read = read,
     .applies = is_3_0},
    {.table = "postmeta",
     .object_type = "'post'",
     .votes = "_kksr_casts",
     .sum = "_kksr_ratings",
     .read = read,
     .applies = is_2_or_3_1_to_4},
    {.table = "postmeta",
     .object_type = "CONCAT('post:', LEFT(TRIM(BOTH '-' FROM REGEXP_REPLACE("
                    "LOWER(SUBSTRING(m.meta_key, 13)), '[^a-z0-9_]+', '-')), 32))",
     .votes = "LEFT(m.meta_value, 33)",
     .sum = "(SELECT LEFT(r.meta_value, 33) FROM {prefix}postmeta AS r WHERE r.post_id = p.ID"
            " AND r.meta_key = CONCAT('_kksr_ratings_', SUBSTRING(m.meta_key, 13))"
            " ORDER BY r.meta_id LIMIT 1)",
     .object_id = "p.ID",
     .published = "p.post_date_gmt",
     .from = "{prefix}posts AS p JOIN {prefix}postmeta AS m ON m.post_id = p.ID"
             " WHERE m.meta_key LIKE '\\_kksr\\_count\\__%'"
             " AND m.meta_key <> '_kksr_count_default' AND NOT EXISTS (SELECT 1"
             " FROM {prefix}postmeta AS e WHERE e.post_id = p.ID AND e.meta_key = m.meta_key"
             " AND e.meta_id < m.meta_id)",
     .read = read_named,
     .applies = is_unknown_or_5}};

}  // namespace

constexpr Plugin kPlugin{.name = "kk-star-ratings",
                         .title = "kk Star Ratings",
                         .options = "kksr\\_%",
                         .folder = "kk-star-ratings",
                         .tables = kTables,
                         .votes = {},
                         .totals = kTotals,
                         .skipped_rows = {},
                         .read_context = read_context};

}  // namespace imports::kk_star_ratings
