#include "imports/plugin.h"
#include "wordpress/site_reader.h"

namespace imports::yasr {
namespace {

tl::expected<VoteMeaning, Reason> read_vote(const PluginVote& vote, const PluginContext& context) {
  auto meaning = scale_value(vote.value, context.lowest, context.highest);
  if (meaning && meaning->value == 0) return because(kOutOfRange);  // YASR also ignores it
  return meaning;
}

// Reads a vote for one field of a multi-set, which is a group of criteria. In ratingd, a field of a
// multi-set is a facet of the post.
tl::expected<VoteMeaning, Reason> read_field(const PluginVote& vote, const PluginContext& context) {
  if (!model::is_facet(vote.object_type, context.facets)) {
    return because(
        "the vote is for a multi-set field that is missing from “Criteria and reactions”");
  }
  return read_vote(vote, context);
}

tl::expected<TotalMeaning, Reason> read_total(const PluginTotal& total, const PluginContext&) {
  return scale_figures(php_integer(total.votes), php_number(total.sum), 5);
}

void read_context(db::Connection& connection, PluginContext& context) {
  context.version = wordpress::read_option(connection, "yasr-version").value_or("");
}

// Until version 1.3.5, YASR stored sums in addition to its log of votes, and showed the sums. The
// log contains fewer votes than the sums if some votes were imported from another plugin. Later
// versions of YASR show only the votes in the log, although the table of sums still exists.
bool has_sums(const PluginContext& context) {
  return context.version.empty() || context.is_before("1.3.6");
}
bool has_log_only(const PluginContext& context) { return !has_sums(context); }

constexpr PluginTable kTables[] = {{"yasr_log"},
                                   {"postmeta"},
                                   {"yasr_votes", false},
                                   {"yasr_log_multi_set", false},
                                   {"yasr_multi_set_fields", false}};

constexpr VoteQuery kVotes[] = {
    {.table = "yasr_log",
     .key = "id",
     // If YASR is configured not to store IP addresses, it writes X.X.X.X as the address.
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
     // In the object type, the field name "Taste & smell" becomes "taste-smell".
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
     .object_type = "'post'",
     .votes = "v.number_of_votes",
     .sum = "v.sum_votes",
     .object_id = "v.post_id",
     .published = "p.post_date_gmt",
     .from = "{prefix}yasr_votes AS v JOIN {prefix}posts AS p ON p.ID = v.post_id WHERE 1",
     .read = read_total,
     .applies = has_sums},
    {.table = "yasr_log",
     .object_type = "'post'",
     .votes = "COUNT(l.vote)",
     .sum = "SUM(l.vote)",
     .object_id = "l.post_id",
     .from = "{prefix}yasr_log AS l JOIN {prefix}posts AS p ON p.ID = l.post_id"
             " WHERE l.vote > 0 AND l.vote <= 5",
     .group = "GROUP BY l.post_id",
     .read = read_total,
     .applies = has_log_only}};

constexpr SkippedRows kSkippedRows[] = {
    {"postmeta", "SELECT COUNT(*) FROM {prefix}postmeta WHERE meta_key = 'yasr_overall_rating'",
     Reason("the value is the author's own score, not a vote")}};

}  // namespace

constexpr Plugin kPlugin{.name = "yasr",
                         .title = "Yet Another Stars Rating",
                         .options = "yasr\\_%",
                         .folder = "yet-another-stars-rating",
                         .tables = kTables,
                         .votes = kVotes,
                         .totals = kTotals,
                         .skipped_rows = kSkippedRows,
                         .read_context = read_context,
                         .rounding = 1};

}  // namespace imports::yasr
