#include "imports/plugin.h"

namespace imports::wp_ulike {
namespace {

tl::expected<VoteMeaning, Reason> read(const PluginVote& vote, const PluginFacts&) {
  if (vote.kind != "vote") return because("it is a star or an emoji, no like");
  if (vote.value == "like") return VoteMeaning{model::Category::binary, 1000};
  if (vote.value == "dislike") return VoteMeaning{model::Category::binary, 0};
  if (vote.value == "unlike" || vote.value == "undislike") {
    return because("its voter took it back");
  }
  return because(kOutOfRange);
}

// The plugin writes UTC since this day (after version 4.7.10), and wrote the site's time before.
std::optional<base::Time> read_time(std::string_view text, const base::Zone& site_zone) {
  constexpr std::string_view kFirstInUtc = "2025-08-18";
  return text < kFirstInUtc ? site_time(text, site_zone) : utc_time(text, site_zone);
}

// No table exists in every version.
constexpr PluginTable kTables[] = {{"ulike", false},
                                   {"ulike_comments", false},
                                   {"ulike_activities", false},
                                   {"ulike_forums", false},
                                   {"ulike_pulse", false}};

// For anonymous voters, the user id is a number made from the address. A vote may be in an old
// table and in the new one, ulike_pulse, with the same voter and the same time.
constexpr VoteQuery kVotes[] = {
    {.table = "ulike",
     .key = "id",
     .object_id = "post_id",
     .object_type = "'post'",
     .object_table = "'posts'",
     .user = "user_id",
     .visitor = "ip",
     .kind = "'vote'",
     .value = "status",
     .rated_at = "date_time",
     .from = "{prefix}ulike",
     .read = read,
     .read_time = read_time},
    {.table = "ulike_comments",
     .key = "id",
     .object_id = "comment_id",
     .object_type = "'comment'",
     .object_table = "'comments'",
     .user = "user_id",
     .visitor = "ip",
     .kind = "'vote'",
     .value = "status",
     .rated_at = "date_time",
     .from = "{prefix}ulike_comments",
     .read = read,
     .read_time = read_time},
    {.table = "ulike_activities",
     .key = "id",
     .object_id = "activity_id",
     .object_type = "'activity'",
     .object_table = "''",
     .user = "user_id",
     .visitor = "ip",
     .kind = "'vote'",
     .value = "status",
     .rated_at = "date_time",
     .from = "{prefix}ulike_activities",
     .read = read,
     .read_time = read_time},
    // Topics of bbPress are posts.
    {.table = "ulike_forums",
     .key = "id",
     .object_id = "topic_id",
     .object_type = "'post'",
     .object_table = "'posts'",
     .user = "user_id",
     .visitor = "ip",
     .kind = "'vote'",
     .value = "status",
     .rated_at = "date_time",
     .from = "{prefix}ulike_forums",
     .read = read,
     .read_time = read_time},
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
     .read_time = read_time}};

}  // namespace

constexpr Plugin kPlugin{.name = "wp-ulike",
                         .title = "WP ULike",
                         .options = "wp\\_ulike\\_%",
                         .folder = "wp-ulike",
                         .tables = kTables,
                         .votes = kVotes,
                         .totals = {},
                         .leftovers = {}};

}  // namespace imports::wp_ulike
