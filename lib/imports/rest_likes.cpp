#include "imports/plugin.h"

namespace imports::rest_likes {
namespace {

// The plugin has likes only.
tl::expected<TotalMeaning, Reason> read(const PluginTotal& total, const PluginFacts&) {
  const auto likes = whole_number(total.votes);
  if (!likes || *likes < 0 || *likes > kMaxVotes) return because(kNoNumber);
  TotalMeaning meaning;
  meaning.sums.sum = *likes * 1000;
  meaning.sums.bins[model::bin_of(model::Category::binary, 1000)] = *likes;
  return meaning;
}

constexpr PluginTable kTables[] = {{"postmeta"}, {"commentmeta"}};

constexpr TotalQuery kTotals[] = {
    {.table = "postmeta",
     .object_type = "post",
     .select = "SELECT p.ID, MAX(p.post_date_gmt), MAX(LEFT(m.meta_value, 33)), 0, 0, 0"
               " FROM {prefix}posts AS p STRAIGHT_JOIN {prefix}postmeta AS m ON m.post_id = p.ID"
               " WHERE m.meta_key = '_rest_likes' AND p.ID",
     .group = "GROUP BY p.ID ORDER BY p.ID",
     .read = read},
    {.table = "commentmeta",
     .object_type = "comment",
     .select = "SELECT c.comment_ID, MAX(c.comment_date_gmt), MAX(LEFT(m.meta_value, 33)), 0, 0, 0"
               " FROM {prefix}comments AS c"
               " STRAIGHT_JOIN {prefix}commentmeta AS m ON m.comment_id = c.comment_ID"
               " WHERE m.meta_key = '_rest_likes' AND c.comment_ID",
     .group = "GROUP BY c.comment_ID ORDER BY c.comment_ID",
     .read = read}};

}  // namespace

constexpr Plugin kPlugin{.name = "rest-likes",
                         .title = "REST Likes",
                         .options = "rest\\_likes\\_%",
                         .folder = "rest-likes",
                         .tables = kTables,
                         .votes = {},
                         .totals = kTotals,
                         .leftovers = {}};

}  // namespace imports::rest_likes
