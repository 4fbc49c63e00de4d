#include "transfer/clean.h"

#include <cassert>
#include <utility>

#include "analytics/materialized_lists.h"
#include "base/timestamp.h"
#include "store/front_end_visitors.h"
#include "store/settings_store.h"
#include "store/template_store.h"
#include "transfer/import_records.h"
#include "transfer/locks.h"
#include "transfer/rating_removal.h"
#include "transfer/retention.h"

namespace transfer {
namespace {

using Progress = std::function<void(std::uint64_t rows)>;
constexpr std::size_t kRemovedAtOnce = 256;

struct Task {
  db::Connection& connection;
  Selection selection;
  const Progress& progress;
  RatingRemoval removal{connection};

  [[nodiscard]] base::Time before() const { return selection.before.value_or(base::Time::max()); }
};

bool selects_only_voter(const Selection& of) {
  return of.voter && of.voter != kNobody && !of.object_id && !of.object_type && !of.since &&
         !of.before;
}

// Divides the selected ratings into slices, and calls "work" with the keys of each slice.
template <typename Work>
std::uint64_t for_ratings(const Task& task, const Work& work) {
  if (!task.selection.ratings.empty()) return work(task.selection.ratings);
  KeyScan scan(task.connection, task.selection);
  Slices slices = Slices::of_ratings(task.connection);
  std::uint64_t done = 0;
  for (;;) {
    const auto keys = scan.next(slices.rows());
    if (keys.empty()) return done;
    done += slices.run(keys.size(), [&] { return work(keys); });
    task.progress(done);
  }
}

std::uint64_t remove_aggregates(const Task& task) {
  AggregateScan scan(task.connection, task.selection);
  std::uint64_t removed = 0;
  for (;;) {
    const auto aggregates = scan.next(kRemovedAtOnce);
    if (aggregates.empty()) return removed;
    std::vector<rollups::Aggregate::Key> keys;
    keys.reserve(aggregates.size());
    for (const rollups::Aggregate& aggregate : aggregates) keys.push_back(aggregate.key);
    removed += task.removal.remove_aggregates(keys);
  }
}

std::uint64_t remove_votes(const Task& task) {
  return for_ratings(task,
                     [&](const auto& keys) { return task.removal.remove(keys, task.before()); });
}

// Removes all votes that exist when the call begins. Newer votes remain.
std::uint64_t remove_all_votes(Task task) {
  db::Rows newest = task.connection.query("SELECT MAX(rated_at) FROM {prefix}ratingd_votes");
  if (!newest.next() || newest.is_null(1)) return 0;
  task.selection.before = newest.time(1) + std::chrono::microseconds(1);
  return remove_votes(task);
}

// Removes all data about voters who have no votes.
void remove_unused_voters(const Task& task) {
  Slices slices;
  for (model::VoterId last = 0;;) {
    const auto voters = task.connection
                            .query(
                                "SELECT voter FROM {prefix}ratingd_voters FORCE INDEX (PRIMARY)"
                                " WHERE voter > ? ORDER BY voter LIMIT ?",
                                last, slices.rows())
                            .all([](const db::Rows& row) { return row.unsigned_integer(1); });
    if (voters.empty()) return;
    slices.run(voters.size(), [&] {
      task.removal.remove_unused_voters(voters);
      return voters.size();
    });
    last = voters.back();
  }
}

CleanReport clean_selected_ratings(const Task& task) {
  const Selection& of = task.selection;
  CleanReport report;
  report.ratings = of.is_all() ? remove_all_votes(task) : remove_votes(task);
  report.aggregates = remove_aggregates(task);
  if (of.is_all()) {
    remove_unused_voters(task);
    store::remove_all_unused_visitors(task.connection);
    Aggregation(task.connection).clear_aggregated_before();
  } else if (selects_only_voter(of)) {
    task.removal.remove_unused_voters({&*of.voter, 1});
  }
  if (of.is_of_whole_objects()) forget_imports(task.connection, of);
  rollups::delete_empty_days(task.connection);
  analytics::invalidate_lists(task.connection);
  return report;
}

CleanReport clean_ratings(const Task& task) {
  require_full_activity(task.connection);
  if (!task.selection.is_all()) return clean_selected_ratings(task);
  const db::Lease repairs = lock_repairs(task.connection);
  return clean_selected_ratings(task);
}

CleanReport clean_addresses(const Task& task) {
  CleanReport report;
  report.addresses = for_ratings(
      task, [&](const auto& keys) { return task.removal.erase_addresses(keys, task.before()); });
  return report;
}

CleanReport clean_settings(const Task& task) {
  CleanReport report;
  for (const store::SettingRow& row : store::setting_rows(task.connection)) {
    if (!row.is_fixed && store::reset_setting(task.connection, row.name)) ++report.settings;
  }
  return report;
}

CleanReport clean_templates(const Task& task) {
  CleanReport report;
  for (const model::Template& widget_template : store::all_templates(task.connection)) {
    if (store::remove_template(task.connection, widget_template.slug)) ++report.templates;
  }
  return report;
}

}  // namespace

std::optional<base::Time> parse_before(std::string_view text, const base::ZoneHistory& zones) {
  if (const auto day = base::from_date(text)) return zones.start_of(*day);
  return base::from_rfc3339(text);
}

CleanReport clean(db::Connection& connection, CleanScope scope, const Selection& selected,
                  const Progress& progress) {
  const auto lock = lock_changes(connection, kLockTimeout);
  const Selection selection = resolved(connection, selected);
  const Task task{connection, selection, progress};
  switch (scope) {
    case CleanScope::ratings:
      return clean_ratings(task);
    case CleanScope::addresses:
      return clean_addresses(task);
    case CleanScope::settings:
      assert(selection.is_all());
      return clean_settings(task);
    case CleanScope::templates:
      break;
  }
  assert(selection.is_all());
  return clean_templates(task);
}

std::vector<Orphan> find_orphans(db::Connection& connection, const cms::Cms& cms,
                                 const model::FacetNames& facets) {
  std::vector<Orphan> orphans;
  for (model::Object& object : cms.rated_and_deleted(connection, facets)) {
    orphans.push_back({std::move(object)});
  }
  for (auto& [object, ratings, aggregates] : orphans) {
    const auto count = [&, &of = object](const std::string& table) {
      return connection
          .query(
              "SELECT COUNT(*) FROM {prefix}" + table + " WHERE object_id = ? AND object_type = ?",
              of.id, of.type)
          .number();
    };
    ratings = count("ratingd_votes");
    aggregates = count("ratingd_balances");
  }
  return orphans;
}

}  // namespace transfer
