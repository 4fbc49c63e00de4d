#include "imports/plugin.h"

namespace imports::rate_my_post {
namespace {

tl::expected<VoteMeaning, Reason> read_vote(const PluginVote& vote, const PluginContext& context) {
  // The table also contains rows without a vote value, for other actions such as feedback.
  auto meaning = scale_value(vote.value, context.lowest, context.highest);
  if (meaning && meaning->value == 0) return because(kOutOfRange);
  return meaning;
}

// The plugin shows the number and the sum of votes from each post's metadata. The sums in the
// metadata may differ from the individual votes, because the plugin logs votes only if its
// analytics are enabled, and because a site owner can change the sums.
tl::expected<TotalMeaning, Reason> read_total(const PluginTotal& total, const PluginContext&) {
  return scale_figures(php_integer(total.votes), php_integer(total.sum), 5);
}

constexpr PluginTable kTables[] = {{"rmp_analytics", false}, {"postmeta"}};

// If tracking is disabled, the columns for the user and the address contain -1. The column for the
// user is a SMALLINT. The column for the post is a MEDIUMINT, and until version 2.10.3 it was a
// SMALLINT. WordPress turns strict mode off, so the server stores any larger id as the greatest
// value of the column. Therefore, this value does not identify a user or a post.
constexpr VoteQuery kVotes[] = {{.table = "rmp_analytics",
                                 .key = "id",
                                 .object_id = "NULLIF(NULLIF(post, 32767), 8388607)",
                                 .object_type = "'post'",
                                 .object_table = "'posts'",
                                 .user = "NULLIF(user, 32767)",
                                 .visitor = "NULLIF(NULLIF(ip, '-1'), '0')",
                                 .value = "value",
                                 .rated_at = "time",
                                 .from = "{prefix}rmp_analytics",
                                 .read = read_vote,
                                 .read_time = site_time}};

constexpr TotalQuery kTotals[] = {{.table = "postmeta",
                                   .object_type = "'post'",
                                   .votes = "rmp_vote_count",
                                   .sum = "rmp_rating_val_sum",
                                   .read = read_total}};

}  // namespace

constexpr Plugin kPlugin{.name = "rate-my-post",
                         .title = "Rate My Post",
                         .options = "rmp\\_%",
                         .folder = "rate-my-post",
                         .tables = kTables,
                         .votes = kVotes,
                         .totals = kTotals,
                         .skipped_rows = {},
                         .shows_sums_only = true};

}  // namespace imports::rate_my_post
