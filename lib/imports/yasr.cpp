#include "imports/plugin.h"

namespace imports::yasr {
namespace {

tl::expected<VoteMeaning, Reason> read_vote(const PluginVote& vote, const PluginFacts& facts) {
  auto meaning = scale_value(vote.value, facts.lowest, facts.highest);
  if (meaning && meaning->value == 0) return because(kOutOfRange);  // YASR ignores it, too
  return meaning;
}

// A vote on a field of a multi set, which is a facet of the post.
tl::expected<VoteMeaning, Reason> read_field(const PluginVote& vote, const PluginFacts& facts) {
  if (!model::is_facet(vote.object_type, facts.facets)) {
    return because("it is of a multi set, and the setting facets does not name its field");
  }
  return read_vote(vote, facts);
}

// Until version 2 the plugin stored sums beside the log. The log has fewer votes if some were
// imported from another plugin.
tl::expected<TotalMeaning, Reason> read_total(const PluginTotal& total, const PluginFacts&) {
  const auto votes = whole_number(total.votes);
  const auto sum = number(total.sum);
  const auto logged = whole_number(total.votes_in_rows);
  const auto logged_sum = number(total.sum_in_rows);
  if (!votes || !sum || !logged || !logged_sum) return because(kNoNumber);
  if (*votes == *logged) return TotalMeaning{};
  if (*votes < *logged) return because("the log has more votes than were counted");
  return scale_sums(*votes - *logged, *sum - *logged_sum, 5);
}

constexpr PluginTable kTables[] = {{"yasr_log"},
                                   {"postmeta"},
                                   {"yasr_votes", false},
                                   {"yasr_log_multi_set", false},
                                   {"yasr_multi_set_fields", false}};

constexpr VoteQuery kVotes[] = {
    {.table = "yasr_log",
     .key = "id",
     // The plugin writes X.X.X.X if it is set not to store addresses.
     .object_id = "post_id",
     .object_type = "'post'",
     .object_table = "'posts'",
     .user = "user_id",
     .visitor = "NULLIF(ip, 'X.X.X.X')",
     .value = "vote",
     .rated_at = "date",
     .from = "{prefix}yasr_log",
     .read = read_vote,
     .read_time = utc_time},
    {.table = "yasr_log_multi_set",
     .also = "yasr_multi_set_fields",
     .key = "log.id",
     .object_id = "log.post_id",
     // "Taste & smell" becomes "taste-smell".
     .object_type = "CONCAT('post:', COALESCE((SELECT LEFT(TRIM(BOTH '-' FROM"
                    " REGEXP_REPLACE(LOWER(MAX(field.field_name)), '[^a-z0-9_]+', '-')), 32)"
                    " FROM {prefix}yasr_multi_set_fields AS field"
                    " WHERE field.parent_set_id = log.set_type AND field.field_id = log.field_id),"
                    " ''))",
     .object_table = "'posts'",
     .user = "log.user_id",
     .visitor = "NULLIF(log.ip, 'X.X.X.X')",
     .value = "log.vote",
     .rated_at = "log.date",
     .from = "{prefix}yasr_log_multi_set AS log",
     .read = read_field,
     .read_time = utc_time}};

constexpr TotalQuery kTotals[] = {
    {.table = "yasr_votes",
     .object_type = "post",
     .select = "SELECT p.ID, p.post_date_gmt, v.number_of_votes, v.sum_votes,"
               " COALESCE(l.votes, 0), COALESCE(l.sum, 0)"
               " FROM {prefix}yasr_votes AS v JOIN {prefix}posts AS p ON p.ID = v.post_id"
               " LEFT JOIN (SELECT post_id, COUNT(*) AS votes, SUM(vote) AS sum"
               " FROM {prefix}yasr_log GROUP BY post_id) AS l ON l.post_id = v.post_id"
               " WHERE v.post_id",
     .group = "ORDER BY v.post_id",
     .read = read_total}};

constexpr Leftover kLeftovers[] = {
    {"postmeta", "SELECT COUNT(*) FROM {prefix}postmeta WHERE meta_key = 'yasr_overall_rating'",
     Reason("it is the author's own score, no vote")}};

}  // namespace

constexpr Plugin kPlugin{.name = "yasr",
                         .title = "Yet Another Stars Rating",
                         .options = "yasr\\_%",
                         .folder = "yet-another-stars-rating",
                         .tables = kTables,
                         .votes = kVotes,
                         .totals = kTotals,
                         .leftovers = kLeftovers};

}  // namespace imports::yasr
