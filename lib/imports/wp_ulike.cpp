#include "imports/plugin.h"
#include "wordpress/php_serialized.h"
#include "wordpress/site_reader.h"

namespace imports::wp_ulike {
namespace {

tl::expected<VoteMeaning, Reason> read(const PluginVote& vote, const PluginContext&) {
  if (vote.kind != "vote") return because("the vote is a star or an emoji, not a like");
  if (vote.value == "like") return VoteMeaning{model::Category::binary, 1000};
  if (vote.value == "dislike") return VoteMeaning{model::Category::binary, 0};
  if (vote.value == "unlike" || vote.value == "undislike") {
    return because("the voter removed the vote");
  }
  return because(kOutOfRange);
}

// Since 2025-08-18 (after version 4.7.10), the plugin has written times in UTC. Before 2025-08-18,
// the plugin wrote times in the site's time zone.
std::optional<base::Time> read_time(std::string_view text, const base::Zone& site_zone) {
  constexpr std::string_view kFirstInUtc = "2025-08-18";
  return text < kFirstInUtc ? site_time(text, site_zone) : utc_time(text, site_zone);
}

// Returns whether the plugin's data in the database has the format of version 3. WP ULike 3 stored
// and showed the number of votes in the metadata of a post, comment or BuddyPress activity.
bool is_3(const PluginContext& context) { return context.is_before("2.0"); }
bool is_4(const PluginContext& context) { return !is_3(context); }
// In WP ULike 4, the enable_meta_values option adds the votes counted by version 3 to the votes in
// version 4's log.
bool adds_old_sums(const PluginContext& context) { return is_4(context) && context.adds_old_sums; }
bool hides_old_sums(const PluginContext& context) {
  return is_4(context) && !context.adds_old_sums;
}

tl::expected<TotalMeaning, Reason> read_likes(const PluginTotal& total, const PluginContext&) {
  const auto likes = php_integer(total.votes.empty() ? total.more_votes : total.votes);
  if (!likes) return because(kNoNumber);
  if (*likes < 0 || *likes > static_cast<double>(kMaxVotes)) return because(kNoSums);
  return TotalMeaning{model::Category::binary, {static_cast<std::int64_t>(*likes), *likes}};
}

// Reads the plugin's counters for likes and dislikes. The plugin stores two pairs of these
// counters, and one pair counts identical votes by the same user only once. If an object has no
// counter, the plugin counts the votes in its log.
tl::expected<TotalMeaning, Reason> read_counters(const PluginTotal& total,
                                                 const PluginContext& context) {
  const bool once = context.counted_once.contains(total.object_type);
  const std::string& shown_likes = once ? total.votes : total.more_votes;
  const std::string& shown_dislikes = once ? total.sum : total.more_sum;
  if (shown_likes.empty()) return because(kNoFigures);
  const auto likes = php_integer(shown_likes);
  const auto dislikes = shown_dislikes.empty() ? 0 : php_integer(shown_dislikes);
  if (!likes || !dislikes) return because(kNoNumber);
  const double votes = *likes + *dislikes;
  if (*likes < 0 || *dislikes < 0 || votes > static_cast<double>(kMaxVotes)) {
    return because(kNoSums);
  }
  return TotalMeaning{model::Category::binary, {static_cast<std::int64_t>(votes), *likes}};
}

// Returns whether the plugin counts identical votes by the same user only once. If the plugin's
// logging method is "by_cookie" or "do_not_log", the plugin counts every like.
bool counts_once(const wordpress::PhpValue* settings, std::string_view group) {
  const wordpress::PhpValue* of_group = settings != nullptr ? settings->find(group) : nullptr;
  const wordpress::PhpValue* method =
      of_group != nullptr ? of_group->find("logging_method") : nullptr;
  const std::string* name = method != nullptr ? method->as_string() : nullptr;
  return name == nullptr || (*name != "by_cookie" && *name != "do_not_log");
}

void read_context(db::Connection& connection, PluginContext& context) {
  context.version = wordpress::read_option(connection, "wp_ulike_dbVersion").value_or("");
  const auto settings = wordpress::parse_php_serialized(
      wordpress::read_option(connection, "wp_ulike_settings").value_or(""));
  const wordpress::PhpValue* root = settings ? &*settings : nullptr;
  const std::pair<const char*, const char*> groups[] = {
      {"post", "posts_group"}, {"comment", "comments_group"}, {"activity", "buddypress_group"}};
  for (const auto& [type, group] : groups) {
    if (counts_once(root, group)) context.counted_once.insert(type);
  }
  const wordpress::PhpValue* adds = root != nullptr ? root->find("enable_meta_values") : nullptr;
  context.adds_old_sums = adds != nullptr && adds->is_true();
}

// None of WP ULike's own tables exists in every version of the plugin.
constexpr PluginTable kTables[] = {{"ulike", false},
                                   {"ulike_comments", false},
                                   {"ulike_activities", false},
                                   {"ulike_forums", false},
                                   {"ulike_pulse", false},
                                   {"ulike_meta", false},
                                   {"postmeta"},
                                   {"commentmeta"},
                                   {"bp_activity", false},
                                   {"bp_activity_meta", false}};

// Returns a query for a table that contains likes and dislikes. WP ULike 4 has a separate table for
// each type of object.
constexpr VoteQuery likes(std::string_view table, std::string_view from, std::string_view object_id,
                          std::string_view object_type, std::string_view object_table) {
  return {.table = table,
          .key = "id",
          .object_id = object_id,
          .object_type = object_type,
          .object_table = object_table,
          .user = "user_id",
          .visitor = "ip",
          .kind = "'vote'",
          .value = "status",
          .rated_at = "date_time",
          .from = from,
          .read = read,
          .read_time = read_time};
}

// For an anonymous voter, the plugin computes a user id from the IP address. The same vote may be
// stored in both an old table and the new table ulike_pulse.
constexpr VoteQuery kVotes[] = {
    likes("ulike", "{prefix}ulike", "post_id", "'post'", "'posts'"),
    likes("ulike_comments", "{prefix}ulike_comments", "comment_id", "'comment'", "'comments'"),
    likes("ulike_activities", "{prefix}ulike_activities", "activity_id", "'activity'", "''"),
    // Topics in bbPress forums are stored as posts.
    likes("ulike_forums", "{prefix}ulike_forums", "topic_id", "'post'", "'posts'"),
    {.table = "ulike_pulse",
     .key = "id",
     .object_id = "item_id",
     .object_type = "CASE item_type WHEN 'topic' THEN 'post' ELSE item_type END",
     .object_table = "CASE WHEN item_type IN ('post', 'topic') THEN 'posts'"
                     " WHEN item_type = 'comment' THEN 'comments' ELSE '' END",
     .user = "user_id",
     .visitor = "COALESCE(NULLIF(fingerprint, ''), ip)",
     .kind = "engagement_kind",
     .value = "CASE status WHEN 'removed' THEN CONCAT('un', engagement_key)"
              " ELSE engagement_key END",
     .rated_at = "date_time",
     .from = "{prefix}ulike_pulse",
     .read = read,
     .read_time = read_time,
     .has_copies = true}};

constexpr std::string_view kOldSums =
    "SELECT COUNT(*) FROM {prefix}postmeta WHERE meta_key IN ('_liked', '_topicliked')"
    " AND meta_value > 0";
constexpr std::string_view kOldSumsOfComments =
    "SELECT COUNT(*) FROM {prefix}commentmeta WHERE meta_key = '_commentliked' AND meta_value > 0";

constexpr std::string_view kOldSumsOfActivities =
    "SELECT COUNT(*) FROM {prefix}bp_activity_meta WHERE meta_key = '_activityliked'"
    " AND meta_value > 0";

// Returns the query for the vote sums that older plugin versions stored for BuddyPress activities.
// BuddyPress stores metadata about activities in a separate table. If a meta key has several
// values, BuddyPress uses the first value. BuddyPress writes times in UTC.
constexpr TotalQuery likes_of_activities(bool (*applies)(const PluginContext& context),
                                         TotalQuery::Scope scope) {
  return {.table = "bp_activity_meta",
          .also = "bp_activity",
          .object_type = "'activity'",
          .votes = "m.meta_value",
          .object_id = "m.activity_id",
          .published = "a.date_recorded",
          .from =
              "{prefix}bp_activity_meta AS m JOIN {prefix}bp_activity AS a"
              " ON a.id = m.activity_id WHERE m.meta_key = '_activityliked' AND m.id ="
              " (SELECT MIN(f.id) FROM {prefix}bp_activity_meta AS f"
              " WHERE f.activity_id = m.activity_id AND f.meta_key = '_activityliked')",
          .read = read_likes,
          .applies = applies,
          .scope = scope};
}

constexpr TotalQuery kTotals[] = {
    {.table = "postmeta",
     .object_type = "'post'",
     .votes = "_liked",
     .more_votes = "_topicliked",
     .read = read_likes,
     .applies = is_3},
    {.table = "commentmeta",
     .object_type = "'comment'",
     .votes = "_commentliked",
     .read = read_likes,
     .applies = is_3},
    likes_of_activities(is_3, TotalQuery::Scope::all),
    {.table = "ulike_meta",
     .object_type = "CASE c.meta_group WHEN 'topic' THEN 'post' ELSE c.meta_group END",
     .votes = "MAX(IF(c.meta_key = 'count_distinct_like', LEFT(c.meta_value, 33), NULL))",
     .sum = "MAX(IF(c.meta_key = 'count_distinct_dislike', LEFT(c.meta_value, 33), NULL))",
     .more_votes = "MAX(IF(c.meta_key = 'count_total_like', LEFT(c.meta_value, 33), NULL))",
     .more_sum = "MAX(IF(c.meta_key = 'count_total_dislike', LEFT(c.meta_value, 33), NULL))",
     .object_id = "c.item_id",
     .published = "MAX(COALESCE(p.post_date_gmt, o.comment_date_gmt))",
     .from = "{prefix}ulike_meta AS c LEFT JOIN {prefix}posts AS p ON p.ID = c.item_id"
             " AND c.meta_group IN ('post', 'topic') LEFT JOIN {prefix}comments AS o"
             " ON o.comment_ID = c.item_id AND c.meta_group = 'comment'"
             " WHERE (c.meta_group = 'activity' OR COALESCE(p.ID, o.comment_ID) IS NOT NULL)"
             " AND c.meta_key LIKE 'count\\_%like'",
     .group = "GROUP BY c.item_id, c.meta_group",
     .read = read_counters,
     .applies = is_4},
    {.table = "postmeta",
     .object_type = "'post'",
     .votes = "_liked",
     .more_votes = "_topicliked",
     .read = read_likes,
     .applies = adds_old_sums,
     .scope = TotalQuery::Scope::beside},
    {.table = "commentmeta",
     .object_type = "'comment'",
     .votes = "_commentliked",
     .read = read_likes,
     .applies = adds_old_sums,
     .scope = TotalQuery::Scope::beside},
    likes_of_activities(adds_old_sums, TotalQuery::Scope::beside)};

constexpr Reason kHidden = Reason(
    "WP ULike does not show likes that were stored by version 3, because its option to add "
    "these likes is off");

constexpr SkippedRows kSkippedRows[] = {
    {"postmeta", kOldSums, kHidden, hides_old_sums},
    {"commentmeta", kOldSumsOfComments, kHidden, hides_old_sums},
    {"bp_activity_meta", kOldSumsOfActivities, kHidden, hides_old_sums}};

}  // namespace

constexpr Plugin kPlugin{.name = "wp-ulike",
                         .title = "WP ULike",
                         .options = "wp\\_ulike\\_%",
                         .folder = "wp-ulike",
                         .tables = kTables,
                         .votes = kVotes,
                         .totals = kTotals,
                         .skipped_rows = kSkippedRows,
                         .read_context = read_context};

}  // namespace imports::wp_ulike
