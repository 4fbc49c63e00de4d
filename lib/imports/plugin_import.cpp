#include "imports/plugin_import.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <unordered_set>

#include "base/clock.h"
#include "base/text.h"
#include "rollups/rollup.h"
#include "rollups/rollup_state.h"
#include "transfer/import_records.h"
#include "transfer/locks.h"
#include "wordpress/site_reader.h"

namespace imports {
namespace {

// Returns whether "text" may be an address, a shortened address, or a hash of an address.
bool is_address_or_hash(std::string_view text) {
  constexpr std::string_view kAllowed = "0123456789abcdefABCDEF.:xX*%/-";
  return text.find_first_not_of(kAllowed) == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

bool is_nobody(std::string_view user) { return user.empty() || user == "0" || user == "-1"; }

std::string name_of(const model::Object& object) {
  return object.type + " " + std::to_string(object.id);
}

}  // namespace

struct PluginImport::Voter {
  std::optional<model::VoterId> id;
  // If the string in the "visitor" column does not identify a voter, "mark" is the voter id that
  // version 0.3 computed from the string.
  std::optional<model::VoterId> mark;
};

// The data about one object in the current range.
struct PluginImport::ObjectState {
  struct Log {
    ImportMark read;
    std::int64_t rows_before = 0;  // rows that the last import has also read
    std::int64_t new_rows = 0;
  };
  struct Shown {
    TotalMeaning meaning;
    TotalQuery::Scope scope = TotalQuery::Scope::all;
  };
  std::string published;
  std::map<model::Category, ObjectVotes> votes;
  std::map<std::string, Log> logs;
  std::vector<Shown> shown;
  std::unordered_multiset<std::size_t> rows;  // hashes that identify copies
  std::vector<rollups::Aggregate> earlier;    // aggregates from earlier imports
  bool is_refused = false;  // a figure from the plugin was refused, or the object no longer exists
};

PluginImport::PluginImport(db::Connection& connection, const Plugin& plugin, Settings settings)
    : connection_(connection),
      plugin_(plugin),
      settings_(std::move(settings)),
      voters_(settings_.voter_key),
      merge_(connection),
      removal_(connection),
      slices_(transfer::Slices::of_ratings(connection)),
      zones_(rollups::stored_zones(connection)) {
  context_.zone = wordpress::time_zone_of_site(connection);
  context_.facets = settings_.facets;
  if (plugin.read_context != nullptr) plugin.read_context(connection, context_);
  steps_ = number(model::to_text(context_.highest)).value_or(1);
  if (settings_.is_dry) preview_ = std::make_unique<transfer::MergePreview>(connection);
}

PluginImport::~PluginImport() = default;

PluginReport PluginImport::run(const PluginTables& tables, const Progress& progress) {
  return run_part(tables, 0, std::chrono::milliseconds::max(), progress).report;
}

PluginImport::Part PluginImport::run_part(const PluginTables& tables, std::uint64_t after,
                                          std::chrono::milliseconds budget,
                                          const Progress& progress) {
  assert(tables.is_enough);
  const base::Stopwatch time;
  const auto lock = transfer::lock_changes(connection_, transfer::kLockTimeout);
  transfer::require_full_activity(connection_);
  PluginReader reader(connection_, plugin_, tables, context_);
  replaced_logs_ = reader.replaced_logs();
  const std::uint64_t last = reader.last_object();
  if (after == 0) {
    const std::int64_t without = reader.count_without_object();
    report_.votes += without;
    if (without > 0) report_.refused["the rated content does not exist"].count += without;
  }
  while (const auto range = reader.next_range(after)) {
    import_range(reader, *range);
    after = range->upto;
    progress(after, std::max(after, last));
    if (time.elapsed() >= budget && after < last) return {std::move(report_), after};
  }
  reader.for_skipped_rows(
      [&](Reason reason, std::int64_t count) { report_.refused[reason].count += count; });
  return {std::move(report_), std::nullopt};
}

void PluginImport::refuse(Reason reason, const std::string& example) {
  Refusals& refusals = report_.refused[reason];
  ++refusals.count;
  if (refusals.examples.size() < Refusals::kMaxExamples) refusals.examples.push_back(example);
}

void PluginImport::import_range(PluginReader& reader, const ObjectRange& range) {
  marks_ = read_marks(connection_, plugin_.name, range.after, range.upto);
  Objects objects;
  for (const auto& [key, mark] : marks_) objects[key.object].logs[key.log].read = mark;
  reader.for_votes(range, [&](std::size_t query, std::span<const PluginVote> votes) {
    const KnownIds known = known_ids(connection_, settings_.users_table, votes);
    for (const PluginVote& vote : votes) read_vote(query, vote, known, objects);
  });
  reader.for_totals(range, [&](const TotalQuery& query, const PluginTotal& total) {
    read_total(query, total, objects);
  });
  read_earlier_aggregates(range, objects);
  for (auto& [object, state] : objects) finish(object, state);
  take_back_marks();
  drop_withdrawn();
  store_ratings();
  store_aggregates();
}

// --- Reading -------------------------------------------------------------------------------------

tl::expected<model::Object, Reason> PluginImport::object_of(const PluginVote& vote,
                                                            const KnownIds& known) const {
  const auto id = id_in(vote.object_id);
  auto type = model::parse_object_type(vote.object_type);
  if (!id || !type) return because("the rated content does not exist");
  if ((vote.object_table == "posts" && !known.posts.contains(*id)) ||
      (vote.object_table == "comments" && !known.comments.contains(*id))) {
    return because("the rated content no longer exists on this site");
  }
  return model::Object{*id, *std::move(type)};
}

void PluginImport::read_vote(std::size_t query_number, const PluginVote& vote,
                             const KnownIds& known, Objects& objects) {
  const VoteQuery& query = plugin_.votes[query_number];
  ++report_.votes;
  const std::string example =
      vote.object_type + " " + vote.object_id + " (row " + std::to_string(vote.row) + ")";
  const auto object = object_of(vote, known);
  if (!object) {
    note_gone(query, vote, objects);
    return refuse(object.error(), example);
  }
  ObjectState& state = objects[*object];
  if (vote.object_table == "posts") state.published = known.posts.at(object->id);
  if (vote.object_table == "comments") state.published = known.comments.at(object->id);
  note_row(query, vote, *object, state);

  const std::size_t hash =
      std::hash<std::string>()(vote.user + '\n' + vote.value + '\n' + vote.rated_at);
  const auto copied = query.has_copies ? state.rows.find(hash) : state.rows.end();
  if (copied != state.rows.end()) {
    state.rows.erase(copied);
    return;
  }
  if (!query.has_copies && plugin_.votes.back().has_copies) state.rows.insert(hash);

  if (vote.value.size() > kMaxNumber) return refuse(kNoNumber, example);
  const auto meaning = query.read(vote, context_);
  if (!meaning) return refuse(meaning.error(), example);
  const Voter voter = voter_of(query, vote, known);
  CountedVote counted{*meaning, voter.id,     query.read_time(vote.rated_at, context_.zone),
                      {},       query_number, vote.row};
  if (counted.rated_at > settings_.now) counted.rated_at = std::nullopt;
  if (counted.rated_at) {
    const auto created_at = query.read_time(vote.created_at, context_.zone);
    counted.created_at = std::min(*counted.rated_at, created_at.value_or(*counted.rated_at));
    if (voter.mark) {
      marked_[{*object, meaning->category, *voter.mark}].push_back(
          {meaning->value, *counted.rated_at});
    }
  }
  if (!voter.id || model::is_anonymous(*voter.id)) ++report_.anonymous;
  votes_of(*object, meaning->category, state).add(counted);
}

// Records that the row was read, even if its vote is not imported.
void PluginImport::note_row(const VoteQuery& query, const PluginVote& vote,
                            const model::Object& object, ObjectState& state) {
  ObjectState::Log& log = state.logs[std::string(query.table)];
  const auto before = marks_.find({object, std::string(query.table)});
  const bool is_new = before == marks_.end() || before->second.last_row < vote.row;
  ++(is_new ? log.new_rows : log.rows_before);
  log.read.last_row = std::max(log.read.last_row, vote.row);
  const auto time = query.read_time(vote.rated_at, context_.zone);
  if (time && *time <= settings_.now) {
    log.read.last_rated_at = std::max(log.read.last_rated_at, *time);
  }
}

// Records a vote whose object no longer exists. Ratings that earlier imports stored for this object
// are not deleted.
void PluginImport::note_gone(const VoteQuery& query, const PluginVote& vote, Objects& objects) {
  const auto id = id_in(vote.object_id);
  auto type = model::parse_object_type(vote.object_type);
  if (!id || !type) return;
  const auto object = objects.find({*id, *std::move(type)});
  if (object == objects.end()) return;
  object->second.is_refused = true;
  note_row(query, vote, object->first, object->second);
}

// An unknown user id belongs to an anonymous voter or to a deleted user. All votes with the same
// unknown user id are assigned to the same anonymous voter.
PluginImport::Voter PluginImport::voter_of(const VoteQuery& query, const PluginVote& vote,
                                           const KnownIds& known) const {
  const auto user = id_in(vote.user);
  if (user && known.users.contains(*user)) return {*user, {}};
  if (!is_nobody(vote.user)) return {voters_.voter(plugin_.name, "user", vote.user), {}};
  if (vote.visitor.empty()) {
    return {voters_.voter(plugin_.name, query.table, std::to_string(vote.row)), {}};
  }
  const auto visitor = voters_.voter(plugin_.name, "visitor", vote.visitor);
  if (query.is_of_addresses && !is_address_or_hash(vote.visitor)) return {{}, visitor};
  return {visitor, {}};
}

void PluginImport::read_total(const TotalQuery& query, const PluginTotal& total, Objects& objects) {
  const auto id = id_in(total.object_id);
  auto type = model::parse_object_type(total.object_type);
  if (!id || !type) return refuse("the rated content does not exist", total.object_type);
  const model::Object object{*id, *std::move(type)};
  const auto meaning = query.read(total, context_);
  if (!meaning && meaning.error() == kNoFigures) return;
  ObjectState& state = objects[object];
  if (!total.published.empty()) state.published = total.published;
  if (meaning) {
    state.shown.push_back({*meaning, query.scope});
  } else {
    state.is_refused = true;
    refuse(meaning.error(), name_of(object));
  }
}

void PluginImport::read_earlier_aggregates(const ObjectRange& range, Objects& objects) {
  db::Rows row = connection_.query(
      "SELECT " + rollups::aggregates_table().columns() +
          " FROM {prefix}ratingd_balances WHERE source IN (?, ?) AND object_id > ?"
          " AND object_id <= ? ORDER BY object_id, object_type, category, day, source",
      plugin_.name, std::string(plugin_.name) + std::string(kDated), range.after, range.upto);
  while (row.next()) {
    rollups::Aggregate aggregate = rollups::aggregate_in(row);
    const auto object = objects.find(aggregate.key.object);
    if (object != objects.end()) object->second.earlier.push_back(std::move(aggregate));
  }
}

// --- Deciding ------------------------------------------------------------------------------------

void PluginImport::finish(const model::Object& object, ObjectState& state) {
  for (auto& [category, votes] : state.votes) votes.settle();
  bool has_lost_votes = false;
  const bool is_merged = state.logs.erase(std::string(transfer::kMergedLog)) > 0;
  Change change;
  for (auto& [log, of_log] : state.logs) {
    const std::int64_t before = of_log.read.rows;
    if (of_log.rows_before < before && !replaced_logs_.contains(log)) has_lost_votes = true;
    // If the plugin has deleted votes, store the earlier row count, so that later imports also
    // detect that votes are missing.
    of_log.read.rows = std::max(before, of_log.rows_before) + of_log.new_rows;
    change.marks[{object, log}] = of_log.read;
  }
  for (const auto& [category, votes] : state.votes) add_ratings(object, category, votes);
  if (is_merged || has_lost_votes) {
    keep_aggregates(object, state, is_merged ? kMerged : kLostVotes);
  } else if (!state.is_refused || !state.votes.empty()) {
    compare(object, state);
    change.aggregates = aggregates_of(object, state);
    for (const rollups::Aggregate& aggregate : state.earlier) {
      change.earlier.push_back(aggregate.key);
    }
    count_aggregates(change, state.earlier);
  }
  changes_.push_back(std::move(change));
}

void PluginImport::keep_aggregates(const model::Object& object, const ObjectState& state,
                                   Reason why) {
  report_.aggregates.kept += state.earlier.size();
  model::Category category = model::Category::scale;
  Figures shown, left;
  if (!state.votes.empty()) category = state.votes.begin()->first;
  if (!state.shown.empty()) {
    category = state.shown.front().meaning.category;
    shown = state.shown.front().meaning.figures;
  }
  const auto votes = state.votes.find(category);
  if (votes != state.votes.end()) left = votes->second.figures();
  // The plugin may have no votes on an object that has received the sums of another object.
  if (why == kMerged && shown.votes == 0 && left.votes == 0) return;
  note_difference(object, category, shown, left, why);
}

ObjectVotes& PluginImport::votes_of(const model::Object& object, model::Category category,
                                    ObjectState& state) {
  const bool counts_once = context_.counted_once.contains(object.type);
  return state.votes.try_emplace(category, category, zones_, counts_once).first->second;
}

void PluginImport::compare(const model::Object& object, ObjectState& state) {
  bool has_all = state.is_refused || !plugin_.shows_sums_only;
  const auto note = [&](const auto& result, const TotalMeaning& shown, const ObjectVotes& votes) {
    if (result) return;
    note_difference(object, shown.category, shown.figures, votes.figures(), result.error());
    if (result.error() == kNoSums) refuse(kNoSums, name_of(object));
  };
  for (const auto& [meaning, scope] : state.shown) {
    ObjectVotes& votes = votes_of(object, meaning.category, state);
    if (scope == TotalQuery::Scope::all) {
      has_all = true;
      note(votes.complete(meaning.figures, steps_, plugin_.rounding), meaning, votes);
    }
  }
  for (const auto& [meaning, scope] : state.shown) {
    ObjectVotes& votes = votes_of(object, meaning.category, state);
    if (scope == TotalQuery::Scope::beside) {
      note(votes.add_sums(meaning.figures, steps_), meaning, votes);
    }
  }
  if (has_all) return;
  for (const auto& [category, votes] : state.votes) {
    note_difference(object, category, {}, votes.figures(), kFewerShown);
  }
}

void PluginImport::note_difference(const model::Object& object, model::Category category,
                                   const Figures& shown, const Figures& imported, Reason why) {
  ++report_.different;
  if (report_.differences.size() == PluginReport::kMaxDifferences) return;
  const double highest = category == model::Category::scale ? steps_ : 1;
  const auto average = [&](const Figures& figures) {
    return figures.votes > 0 ? figures.sum * highest / static_cast<double>(figures.votes) : 0;
  };
  report_.differences.push_back(
      {name_of(object), shown.votes, average(shown), imported.votes, average(imported), why});
}

void PluginImport::add_ratings(const model::Object& object, model::Category category,
                               const ObjectVotes& votes) {
  for (const auto& [voter, vote] : votes.attributed()) {
    transfer::StoredRating rating;
    rating.key = {object, category, voter};
    rating.value = vote.meaning.value;
    rating.rated_at = *vote.rated_at;
    rating.created_at = vote.created_at;
    if (was_read(object, vote)) known_.insert(rating.key);
    ratings_.push_back(std::move(rating));
  }
}

// Returns whether an earlier import has read the vote. A plugin may have copied the vote from
// another log. If so, an earlier import may have read the original, which has another key.
bool PluginImport::was_read(const model::Object& object, const CountedVote& vote) const {
  const VoteQuery& query = plugin_.votes[vote.query];
  for (auto mark = marks_.lower_bound({object, {}});
       mark != marks_.end() && mark->first.object == object; ++mark) {
    const auto& [key, read] = *mark;
    const bool may_be_in_log =
        key.log == query.table ? vote.row <= read.last_row : query.has_copies;
    if (may_be_in_log && vote.rated_at <= read.last_rated_at) return true;
  }
  return false;
}

std::vector<rollups::Aggregate> PluginImport::aggregates_of(const model::Object& object,
                                                            const ObjectState& state) const {
  const std::string source(plugin_.name);
  std::vector<rollups::Aggregate> aggregates;
  for (const auto& [category, votes] : state.votes) {
    for (const auto& [day, sums] : votes.dated()) {
      aggregates.push_back({{object, category, day, source + std::string(kDated)}, sums});
    }
    if (votes.undated().total() == 0) continue;
    const auto same = std::ranges::find_if(
        state.earlier, [&, category = category](const rollups::Aggregate& aggregate) {
          return aggregate.key.source == source && aggregate.key.category == category;
        });
    base::Time time =
        std::min(utc_time(state.published, context_.zone).value_or(settings_.now), settings_.now);
    base::Day day = zones_.day_of(time);
    if (same != state.earlier.end()) {
      day = same->key.day;
      time = same->sums.last_rated_at.value_or(time);
    }
    aggregates.push_back({{object, category, day, source}, votes.undated()});
    aggregates.back().sums.last_rated_at = time;
  }
  return aggregates;
}

void PluginImport::count_aggregates(const Change& change,
                                    const std::vector<rollups::Aggregate>& earlier) {
  if (!change.aggregates.empty()) ++report_.objects;
  std::map<rollups::Aggregate::Key, model::Totals> before;
  for (const rollups::Aggregate& aggregate : earlier) before[aggregate.key] = aggregate.sums;
  for (const rollups::Aggregate& aggregate : change.aggregates) {
    report_.votes_in_sums += aggregate.sums.total();
    const auto same = before.find(aggregate.key);
    ++(same == before.end()             ? report_.aggregates.added
       : same->second == aggregate.sums ? report_.aggregates.kept
                                        : report_.aggregates.changed);
    before.erase(aggregate.key);
  }
  report_.emptied += std::ssize(before);
}

}  // namespace imports
