#include "imports/plugin_import.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "base/bytes.h"
#include "base/parse.h"
#include "base/timestamp.h"
#include "rollups/rollup.h"
#include "rollups/rollup_state.h"
#include "transfer/locks.h"
#include "wordpress/site_reader.h"

namespace imports {
namespace {

constexpr std::size_t kSlice = 2048;  // rows

constexpr std::string_view kFindPosts = "SELECT ID FROM {prefix}posts WHERE ID IN (";
constexpr std::string_view kFindComments =
    "SELECT comment_ID FROM {prefix}comments WHERE comment_ID IN (";

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
  total.object_id = row.unsigned_integer(column++);
  for (std::string* text :
       {&total.published, &total.votes, &total.sum, &total.votes_in_rows, &total.sum_in_rows}) {
    *text = row.text(column++);
  }
  return total;
}

// The columns of a row, each with its limit.
std::string columns_of(const VoteQuery& query) {
  std::string columns(query.key);
  const auto add = [&](std::string_view expression, std::size_t limit) {
    columns.append(", LEFT(").append(expression).append(", ");
    columns.append(std::to_string(limit)).append(")");
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

// Parses an id, which is at least 1.
std::optional<std::uint64_t> id_in(std::string_view text) {
  const auto number = base::parse_number<std::int64_t>(text);
  if (!number || *number <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

}  // namespace

PluginImport::PluginImport(db::Connection& connection, const Plugin& plugin, Settings settings)
    : connection_(connection),
      plugin_(plugin),
      settings_(std::move(settings)),
      voters_(settings_.voter_key),
      merge_(connection),
      removal_(connection),
      slices_(transfer::Slices::of_ratings(connection)),
      find_users_("SELECT ID FROM " + settings_.users_table + " WHERE ID IN ("),
      zones_(rollups::stored_zones(connection)) {
  facts_.zone = wordpress::time_zone_of_site(connection);
  facts_.facets = settings_.facets;
  if (plugin.read_facts != nullptr) plugin.read_facts(connection, facts_);
  if (settings_.is_dry) preview_ = std::make_unique<transfer::MergePreview>(connection);
}

PluginImport::~PluginImport() = default;

PluginReport PluginImport::run(const PluginTables& tables, const Progress& progress) {
  return run_part(tables, {}, std::chrono::milliseconds::max(), progress).report;
}

PluginImport::Part PluginImport::run_part(const PluginTables& tables, Position position,
                                          std::chrono::milliseconds budget,
                                          const Progress& progress) {
  assert(tables.is_enough);
  time_ = {};
  budget_ = budget;
  const auto lock = transfer::lock_changes(connection_, transfer::kLockTimeout);
  transfer::require_full_activity(connection_);
  const std::size_t of_votes = plugin_.votes.size();
  for (; position.query < of_votes + plugin_.totals.size(); position = {position.query + 1, 0}) {
    bool is_done = true;
    if (position.query < of_votes) {
      const VoteQuery& query = plugin_.votes[position.query];
      if (tables.are_enough_for(query)) is_done = import_votes(query, position.row, progress);
    } else {
      const TotalQuery& query = plugin_.totals[position.query - of_votes];
      if (tables.readable.contains(query.table)) is_done = import_totals(query, position.row);
    }
    if (!is_done) return {std::move(report_), position};
  }
  count_leftovers(tables);
  return {std::move(report_), std::nullopt};
}

void PluginImport::refuse(Reason reason, const std::string& example) {
  Refusals& refusals = report_.refused[reason];
  ++refusals.count;
  if (refusals.examples.size() < Refusals::kMaxExamples) refusals.examples.push_back(example);
}

// --- Single votes --------------------------------------------------------------------------------

bool PluginImport::import_votes(const VoteQuery& query, std::uint64_t& row,
                                const Progress& progress) {
  const std::uint64_t last = last_row(query);
  do {
    const std::vector<PluginVote> votes = read_slice(query, row);
    if (votes.empty()) return true;
    const Known known = look_up(votes);
    std::vector<transfer::StoredRating> ratings;
    for (const PluginVote& vote : votes) import_vote(query, vote, known, ratings);
    store(std::move(ratings));
    row = votes.back().row;
    progress(query.table, row, std::max(row, last));
  } while (time_.elapsed() < budget_);
  return false;
}

std::uint64_t PluginImport::last_row(const VoteQuery& query) {
  db::Rows row = connection_.query("SELECT MAX(" + std::string(query.key) + ") FROM " +
                                   std::string(query.from));
  return row.next() && !row.is_null(1) ? row.unsigned_integer(1) : 0;
}

std::vector<PluginVote> PluginImport::read_slice(const VoteQuery& query, std::uint64_t after) {
  const std::string key(query.key);
  std::vector<PluginVote> votes;
  db::Rows row =
      connection_.query("SELECT " + columns_of(query) + " FROM " + std::string(query.from) +
                            " WHERE " + key + " > ? ORDER BY " + key + " LIMIT ?",
                        after, kSlice);
  while (row.next()) votes.push_back(vote_in(row));
  return votes;
}

PluginImport::Known PluginImport::look_up(std::span<const PluginVote> votes) {
  Known named;
  for (const PluginVote& vote : votes) {
    if (const auto user = id_in(vote.user)) named.users.insert(*user);
    const auto object = id_in(vote.object_id);
    if (object && vote.object_table == "posts") named.posts.insert(*object);
    if (object && vote.object_table == "comments") named.comments.insert(*object);
  }
  return {existing(find_users_, named.users), existing(kFindPosts, named.posts),
          existing(kFindComments, named.comments)};
}

PluginImport::Ids PluginImport::existing(std::string_view find, const Ids& ids) {
  Ids found;
  db::BulkStatement({find, "?", ",", ")"}).query(connection_, ids, [&](const db::Rows& row) {
    found.insert(row.unsigned_integer(1));
  });
  return found;
}

void PluginImport::import_vote(const VoteQuery& query, const PluginVote& vote, const Known& known,
                               std::vector<transfer::StoredRating>& ratings) {
  ++report_.votes;
  auto rating = rating_of(query, vote, known);
  if (!rating) {
    refuse(rating.error(),
           vote.object_type + " " + vote.object_id + " (row " + std::to_string(vote.row) + ")");
    return;
  }
  if (model::is_anonymous(rating->key.voter)) ++report_.anonymous;
  ratings.push_back(*std::move(rating));
}

tl::expected<transfer::StoredRating, Reason> PluginImport::rating_of(const VoteQuery& query,
                                                                     const PluginVote& vote,
                                                                     const Known& known) {
  const auto object = id_in(vote.object_id);
  const auto type = model::parse_object_type(vote.object_type);
  if (!object || !type) return because("there is no such object");
  if ((vote.object_table == "posts" && !known.posts.contains(*object)) ||
      (vote.object_table == "comments" && !known.comments.contains(*object))) {
    return because("the site does not have its object any more");
  }
  if (vote.value.size() > kMaxNumber) return because(kNoNumber);
  const auto meaning = query.read(vote, facts_);
  if (!meaning) return tl::unexpected(meaning.error());
  const auto rated_at = query.read_time(vote.rated_at, facts_.zone);
  if (!rated_at) return because("it has no time");
  if (*rated_at > settings_.now) return because("its time lies ahead");
  transfer::StoredRating rating;
  rating.key = {{*object, *type}, meaning->category, voter_of(query, vote, known)};
  rating.value = meaning->value;
  rating.rated_at = *rated_at;
  rating.created_at =
      std::min(*rated_at, query.read_time(vote.created_at, facts_.zone).value_or(*rated_at));
  return rating;
}

// An unknown user id belongs to an anonymous voter or to a deleted user. All votes with this id get
// the same anonymous voter.
model::VoterId PluginImport::voter_of(const VoteQuery& query, const PluginVote& vote,
                                      const Known& known) const {
  const auto user = id_in(vote.user);
  if (user && known.users.contains(*user)) return *user;
  if (!vote.user.empty() && vote.user != "0") {
    return voters_.voter(plugin_.name, "user", vote.user);
  }
  if (!vote.visitor.empty()) return voters_.voter(plugin_.name, "visitor", vote.visitor);
  return voters_.voter(plugin_.name, query.table, std::to_string(vote.row));
}

void PluginImport::store(std::vector<transfer::StoredRating> ratings) {
  // Sorted by object, so that the sums of an object change once per transaction.
  std::ranges::stable_sort(ratings, {}, &transfer::StoredRating::key);
  for (std::span<const transfer::StoredRating> rest = ratings; !rest.empty();) {
    const auto some = rest.first(std::min(rest.size(), slices_.rows()));
    report_.ratings += slices_.run(some.size(), [&] {
      return preview_ ? preview_->merge(some) : merge_.merge(some, memory_);
    });
    rest = rest.subspan(some.size());
  }
}

// --- Sums ----------------------------------------------------------------------------------------

bool PluginImport::import_totals(const TotalQuery& query, std::uint64_t& row) {
  do {
    const std::vector<PluginTotal> totals = read_totals(query, row);
    if (totals.empty()) return true;
    Aggregates earlier = earlier_aggregates(query, totals);
    std::vector<rollups::Aggregate> aggregates;
    std::vector<rollups::Aggregate::Key> emptied;
    for (const PluginTotal& total : totals) {
      import_total(query, total,
                   std::move(earlier[{total.object_id, std::string(query.object_type)}]),
                   aggregates, emptied);
    }
    if (!settings_.is_dry) {
      merge_.set_aggregates(aggregates);
      removal_.remove_aggregates(emptied);
    }
    row = totals.back().object_id;
  } while (time_.elapsed() < budget_);
  return false;
}

std::vector<PluginTotal> PluginImport::read_totals(const TotalQuery& query, std::uint64_t after) {
  // Half, so that the aggregates to remove fit into one call, too.
  constexpr std::size_t kLimit = transfer::Slices::kFirst / 2;
  std::vector<PluginTotal> totals;
  db::Rows row = connection_.query(
      std::string(query.select) + " > ? " + std::string(query.group) + " LIMIT ?", after, kLimit);
  while (row.next()) totals.push_back(total_in(row));
  return totals;
}

PluginImport::Aggregates PluginImport::earlier_aggregates(const TotalQuery& query,
                                                          std::span<const PluginTotal> totals) {
  Aggregates found;
  const std::string select =
      "SELECT " + rollups::aggregates_table().columns() + " FROM {prefix}ratingd_balances WHERE ";
  db::BulkStatement({select, "(object_id = ? AND object_type = ? AND source = ?)", " OR ",
                     " ORDER BY object_id, object_type, category, day"})
      .query(
          connection_, totals,
          [&](db::Statement& statement, const PluginTotal& total) {
            statement.bind(total.object_id, query.object_type, plugin_.name);
          },
          [&](const db::Rows& row) {
            const rollups::Aggregate aggregate = rollups::aggregate_in(row);
            found[aggregate.key.object].push_back(aggregate);
          });
  return found;
}

void PluginImport::import_total(const TotalQuery& query, const PluginTotal& total,
                                std::vector<rollups::Aggregate> earlier,
                                std::vector<rollups::Aggregate>& aggregates,
                                std::vector<rollups::Aggregate::Key>& emptied) {
  const model::Object object{total.object_id, std::string(query.object_type)};
  const auto meaning = query.read(total, facts_);
  if (!meaning) {
    refuse(meaning.error(), object.type + " " + std::to_string(object.id));
    return;
  }
  const auto same = std::ranges::find_if(earlier, [&](const rollups::Aggregate& aggregate) {
    return meaning->sums.total() > 0 && aggregate.key.category == meaning->category;
  });
  if (meaning->sums.total() > 0) {
    const bool is_new = same == earlier.end();
    const base::Time published =
        std::min(utc_time(total.published, facts_.zone).value_or(settings_.now), settings_.now);
    rollups::Aggregate aggregate{
        {object, meaning->category, is_new ? zones_.day_of(published) : same->key.day,
         std::string(plugin_.name)},
        meaning->sums};
    aggregate.sums.last_rated_at = is_new ? published : same->sums.last_rated_at;
    ++report_.objects;
    report_.votes_in_sums += aggregate.sums.total();
    const bool has_changed =
        !is_new && (same->sums.sum != meaning->sums.sum || same->sums.bins != meaning->sums.bins);
    ++(is_new        ? report_.aggregates.added
       : has_changed ? report_.aggregates.changed
                     : report_.aggregates.kept);
    aggregates.push_back(std::move(aggregate));
  }
  if (same != earlier.end()) earlier.erase(same);
  for (const rollups::Aggregate& aggregate : earlier) {
    ++report_.emptied;
    emptied.push_back(aggregate.key);
  }
}

void PluginImport::count_leftovers(const PluginTables& tables) {
  for (const Leftover& leftover : plugin_.leftovers) {
    if (!tables.readable.contains(leftover.table)) continue;
    db::Rows row = connection_.query(leftover.count);
    if (row.next() && row.integer(1) > 0) {
      report_.refused[leftover.reason].count += row.integer(1);
    }
  }
}

}  // namespace imports
