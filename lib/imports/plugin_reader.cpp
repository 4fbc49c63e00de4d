#include "imports/plugin_reader.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "imports/damaged_table.h"

namespace imports {
namespace {

constexpr std::size_t kObjectsOfRange = 512;
constexpr std::int64_t kVotesOfRange = 8192;
constexpr std::uint64_t kAllObjects = std::numeric_limits<std::int64_t>::max();

std::string limited(std::string_view expression, std::size_t limit) {
  return "LEFT(" + std::string(expression) + ", " + std::to_string(limit) + ")";
}

// Returns the columns that describe a vote. Each value is truncated to its maximum length.
std::string columns_of(const VoteQuery& query) {
  std::string columns(query.key);
  const auto add = [&](std::string_view expression, std::size_t limit) {
    columns += ", " + limited(expression, limit);
  };
  add(query.object_id, kMaxNumber + 1);
  for (const std::string_view text :
       {query.object_type, query.object_table, query.user, query.visitor, query.kind}) {
    add(text, kMaxText);
  }
  for (const std::string_view number : {query.value, query.rated_at, query.created_at}) {
    add(number, kMaxNumber + 1);
  }
  return columns;
}

PluginVote vote_in(const db::Rows& row) {
  PluginVote vote;
  unsigned column = 1;
  vote.row = row.unsigned_integer(column++);
  for (std::string* text :
       {&vote.object_id, &vote.object_type, &vote.object_table, &vote.user, &vote.visitor,
        &vote.kind, &vote.value, &vote.rated_at, &vote.created_at}) {
    *text = row.text(column++);
  }
  return vote;
}

PluginTotal total_in(const db::Rows& row) {
  PluginTotal total;
  unsigned column = 1;
  for (std::string* text : {&total.object_id, &total.object_type, &total.published, &total.votes,
                            &total.sum, &total.more_votes, &total.more_sum}) {
    *text = row.text(column++);
  }
  return total;
}

// Returns the primary key of query.table, or an empty string if the key is unknown.
std::string_view primary_key(const VoteQuery& query) {
  // In a join, "query.key" contains a dot and may belong to a table other than "query.table".
  return query.key.find('.') == std::string_view::npos ? query.key : "";
}
std::string_view primary_key(const TotalQuery&) { return {}; }

// The parts of an SQL statement that reads a PluginTotal for each object.
struct TotalSql {
  std::string id, columns, from;
};

std::string first_meta(const TotalQuery& query, std::string_view id_of_meta, std::string_view id,
                       std::string_view key) {
  if (key.empty()) return "''";
  return "(SELECT LEFT(m.meta_value, " + std::to_string(kMaxNumber + 1) + ") FROM {prefix}" +
         std::string(query.table) + " AS m WHERE m." + std::string(id_of_meta) + " = " +
         std::string(id) + " AND m.meta_key = '" + std::string(key) +
         "' ORDER BY m.meta_id LIMIT 1)";
}

// Returns the parts of an SQL statement that reads sums from post meta or comment meta.
TotalSql meta_sql(const TotalQuery& query) {
  const bool is_of_posts = query.table == "postmeta";
  const std::string id = is_of_posts ? "o.ID" : "o.comment_ID";
  const std::string id_of_meta = is_of_posts ? "post_id" : "comment_id";
  TotalSql sql{id, id + ", " + std::string(query.object_type), {}};
  sql.columns += is_of_posts ? ", o.post_date_gmt" : ", o.comment_date_gmt";
  std::vector<std::string> keys;
  for (const std::string_view key : {query.votes, query.sum, query.more_votes, query.more_sum}) {
    sql.columns += ", " + first_meta(query, id_of_meta, id, key);
    if (!key.empty()) keys.push_back("'" + std::string(key) + "'");
  }
  sql.from = std::string(is_of_posts ? "{prefix}posts" : "{prefix}comments") +
             " AS o WHERE EXISTS (SELECT 1 FROM {prefix}" + std::string(query.table) +
             " AS k WHERE k." + id_of_meta + " = " + id + " AND k.meta_key IN (" +
             base::joined(keys) + "))";
  return sql;
}

TotalSql sql_of(const TotalQuery& query) {
  if (query.from.empty()) return meta_sql(query);
  TotalSql sql{std::string(query.object_id), std::string(query.object_id), std::string(query.from)};
  for (const std::string_view text : {query.object_type, query.published}) {
    sql.columns += ", " + limited(text, kMaxText);
  }
  for (const std::string_view number : {query.votes, query.sum, query.more_votes, query.more_sum}) {
    sql.columns += ", " + (number.empty() ? "''" : limited(number, kMaxNumber + 1));
  }
  return sql;
}

}  // namespace

// Computes the end of a range of objects from the object ids returned by several queries.
struct PluginReader::Ids {
  std::uint64_t upto = kAllObjects;
  std::uint64_t last = 0;  // 0 if none was found

  // Adds the object ids and vote counts returned by a query. "rows" must be ordered by object id
  // and must contain at most kObjectsOfRange rows.
  void add(db::Rows rows) {
    std::int64_t votes = 0;
    std::size_t objects = 0;
    std::uint64_t end = 0;
    bool is_full = false;
    while (rows.next()) {
      const std::uint64_t id = rows.unsigned_integer(1);
      votes += rows.integer(2);
      is_full = is_full || (votes > kVotesOfRange && objects > 0);
      if (!is_full) end = id;
      last = std::max(last, id);
      ++objects;
    }
    if (is_full || objects == kObjectsOfRange) upto = std::min(upto, end);
  }
};

template <typename Query>
void PluginReader::reading(const Query& query, const std::function<void()>& read) {
  try {
    read();
  } catch (const db::Failure& failure) {
    if (lacks_column(failure)) throw table_without_column(connection_, query.table, failure);
    if (!is_of_table(failure)) throw;
    throw damaged_table(connection_, query.table, primary_key(query), failure);
  }
}

std::optional<ObjectRange> PluginReader::next_range(std::uint64_t after) {
  Ids ids;
  for (const VoteQuery& query : plugin_.votes) {
    if (!reads(query)) continue;
    const std::string id(query.object_id);
    reading(query, [&] {
      ids.add(connection_.query("SELECT " + id + ", COUNT(*) FROM " + std::string(query.from) +
                                    " WHERE " + id + " > ? AND " + id + " <= ? GROUP BY " + id +
                                    " ORDER BY " + id + " LIMIT ?",
                                after, kAllObjects, kObjectsOfRange));
    });
  }
  for (const TotalQuery& query : plugin_.totals) {
    if (!reads(query)) continue;
    const TotalSql sql = sql_of(query);
    reading(query, [&] {
      ids.add(connection_.query("SELECT DISTINCT " + sql.id + ", 1 FROM " + sql.from + " AND " +
                                    sql.id + " > ? ORDER BY 1 LIMIT ?",
                                after, kObjectsOfRange));
    });
  }
  ids.add(connection_.query(
      "SELECT object_id, COUNT(*) FROM {prefix}ratingd_imports WHERE plugin = ? AND object_id > ?"
      " GROUP BY object_id ORDER BY object_id LIMIT ?",
      plugin_.name, after, kObjectsOfRange));
  const std::uint64_t upto = std::min(ids.upto, ids.last);
  return upto > after ? std::optional(ObjectRange{after, upto}) : std::nullopt;
}

std::uint64_t PluginReader::last_object() {
  std::uint64_t last = 0;
  const auto look = [&](const std::string& id, const std::string& from) {
    db::Rows row = connection_.query("SELECT MAX(" + id + ") FROM " + from);
    if (row.next() && !row.is_null(1)) last = std::max(last, row.unsigned_integer(1));
  };
  for (const VoteQuery& query : plugin_.votes) {
    if (!reads(query)) continue;
    reading(query, [&] { look(std::string(query.object_id), std::string(query.from)); });
  }
  for (const TotalQuery& query : plugin_.totals) {
    const TotalSql sql = sql_of(query);
    if (reads(query)) reading(query, [&] { look(sql.id, sql.from); });
  }
  return last;
}

std::int64_t PluginReader::count_without_object() {
  std::int64_t count = 0;
  for (const VoteQuery& query : plugin_.votes) {
    if (!reads(query)) continue;
    const std::string id(query.object_id);
    const std::string statement = "SELECT COUNT(*) FROM " + std::string(query.from) + " WHERE " +
                                  id + " IS NULL OR " + id + " < 1 OR " + id + " > " +
                                  std::to_string(kAllObjects);
    reading(query, [&] { count += connection_.query(statement).number(); });
  }
  return count;
}

std::set<std::string_view> PluginReader::replaced_logs() const {
  std::set<std::string_view> logs;
  if (plugin_.votes.empty()) return logs;
  const VoteQuery& last = plugin_.votes.back();
  if (!last.has_copies || !reads(last)) return logs;
  for (const VoteQuery& query : plugin_.votes) {
    if (!reads(query)) logs.insert(query.table);
  }
  return logs;
}

void PluginReader::for_votes(const ObjectRange& range, const OnVotes& on_votes) {
  for (std::size_t i = 0; i < plugin_.votes.size(); ++i) {
    const VoteQuery& query = plugin_.votes[i];
    if (!reads(query)) continue;
    const std::string id(query.object_id);
    const std::string key(query.key);
    const std::string statement = "SELECT " + columns_of(query) + " FROM " +
                                  std::string(query.from) + " WHERE " + id + " > ? AND " + id +
                                  " <= ? AND (" + key + " > ? OR " + key + " = ? AND " + id +
                                  " > ?) ORDER BY " + key + ", " + id + " LIMIT ?";
    for (std::uint64_t row = 0, object = 0;;) {
      std::vector<PluginVote> votes;
      reading(query, [&] {
        votes =
            connection_.query(statement, range.after, range.upto, row, row, object, kVotesOfRange)
                .all(vote_in);
      });
      if (!votes.empty()) on_votes(i, votes);
      if (std::ssize(votes) < kVotesOfRange) break;
      row = votes.back().row;
      object = base::parse_number<std::uint64_t>(votes.back().object_id).value_or(range.upto);
    }
  }
}

void PluginReader::for_totals(const ObjectRange& range, const OnTotal& on_total) {
  for (const TotalQuery& query : plugin_.totals) {
    if (!reads(query)) continue;
    const TotalSql sql = sql_of(query);
    std::vector<PluginTotal> totals;
    reading(query, [&] {
      totals = connection_
                   .query("SELECT " + sql.columns + " FROM " + sql.from + " AND " + sql.id +
                              " > ? AND " + sql.id + " <= ? " + std::string(query.group),
                          range.after, range.upto)
                   .all(total_in);
    });
    for (const PluginTotal& total : totals) on_total(query, total);
  }
}

void PluginReader::for_skipped_rows(
    const std::function<void(Reason reason, std::int64_t count)>& on_skipped) {
  for (const SkippedRows& skipped : plugin_.skipped_rows) {
    if (!tables_.have(skipped.table, "")) continue;
    if (skipped.applies != nullptr && !skipped.applies(context_)) continue;
    const std::int64_t count = connection_.query(skipped.count).number();
    if (count > 0) on_skipped(skipped.reason, count);
  }
}

}  // namespace imports
