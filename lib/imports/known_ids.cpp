#include "imports/known_ids.h"

#include "base/text.h"
#include "db/bulk_statement.h"

namespace imports {
namespace {

using Ids = std::set<std::uint64_t>;

constexpr std::string_view kFindPosts = "SELECT ID, post_date_gmt FROM {prefix}posts WHERE ID IN (";
constexpr std::string_view kFindComments =
    "SELECT comment_ID, comment_date_gmt FROM {prefix}comments WHERE comment_ID IN (";

template <typename OnRow>
void find(db::Connection& connection, std::string_view head, const Ids& ids, const OnRow& on_row) {
  db::BulkStatement({head, "?", ",", ")"}).query(connection, ids, on_row);
}

}  // namespace

KnownIds known_ids(db::Connection& connection, const std::string& users_table,
                   std::span<const PluginVote> votes) {
  Ids users, posts, comments;
  for (const PluginVote& vote : votes) {
    if (const auto user = id_in(vote.user)) users.insert(*user);
    const auto object = id_in(vote.object_id);
    if (object && vote.object_table == "posts") posts.insert(*object);
    if (object && vote.object_table == "comments") comments.insert(*object);
  }
  KnownIds known;
  find(connection, "SELECT ID FROM " + users_table + " WHERE ID IN (", users,
       [&](const db::Rows& row) { known.users.insert(row.unsigned_integer(1)); });
  find(connection, kFindPosts, posts,
       [&](const db::Rows& row) { known.posts[row.unsigned_integer(1)] = row.text(2); });
  find(connection, kFindComments, comments,
       [&](const db::Rows& row) { known.comments[row.unsigned_integer(1)] = row.text(2); });
  return known;
}

std::optional<std::uint64_t> id_in(std::string_view text) {
  const auto number = base::parse_number<std::int64_t>(text);
  if (!number || *number <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

}  // namespace imports
