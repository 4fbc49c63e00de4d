#include "transfer/clean.h"

#include <cassert>

#include "analytics/materialized_lists.h"
#include "base/timestamp.h"
#include "store/front_end_visitors.h"
#include "store/settings_store.h"
#include "store/template_store.h"
#include "transfer/bulk_ratings.h"
#include "transfer/clean_all.h"
#include "transfer/locks.h"

namespace transfer {
namespace {

using Progress = std::function<void(std::uint64_t rows)>;
constexpr std::size_t kAtOnce = 256;

struct Task {
  db::Connection& connection;
  const Selection& selection;
  const Progress& progress;
  BulkRatings bulk{connection};

  [[nodiscard]] base::Time before() const { return selection.before.value_or(base::Time::max()); }
};

// Calls "work" with the keys of each slice of the selection.
template <typename Work>
std::uint64_t for_ratings(const Task& task, const Work& work) {
  if (!task.selection.ratings.empty()) return work(task.selection.ratings);
  KeyScan scan(task.connection, task.selection);
  Slices slices;
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
    const auto aggregates = scan.next(kAtOnce);
    if (aggregates.empty()) return removed;
    std::vector<rollups::Aggregate::Key> keys;
    keys.reserve(aggregates.size());
    for (const rollups::Aggregate& aggregate : aggregates) keys.push_back(aggregate.key);
    removed += task.bulk.remove_aggregates(keys);
  }
}

CleanReport clean_all(const Task& task) {
  CleanReport report;
  report.ratings = clean_all_ratings(task.connection, task.progress);
  report.aggregates = remove_aggregates(task);
  store::remove_all_unused_visitors(task.connection);
  task.bulk.clear_roll_up();
  return report;
}

CleanReport clean_some(const Task& task) {
  require_full_activity(task.connection);
  CleanReport report;
  report.ratings =
      for_ratings(task, [&](const auto& keys) { return task.bulk.remove(keys, task.before()); });
  report.aggregates = remove_aggregates(task);
  const Selection& of = task.selection;
  if (of.voter && of.voter != kNobody && !of.object_id && !of.object_type && !of.before) {
    task.bulk.remove_unused_voters({&*of.voter, 1});
  }
  return report;
}

CleanReport clean_ratings(const Task& task) {
  const CleanReport report = task.selection.is_all() ? clean_all(task) : clean_some(task);
  rollups::delete_empty_days(task.connection);
  analytics::invalidate_lists(task.connection);
  return report;
}

CleanReport clean_addresses(const Task& task) {
  CleanReport report;
  report.addresses = for_ratings(
      task, [&](const auto& keys) { return task.bulk.erase_addresses(keys, task.before()); });
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

std::optional<base::Time> parse_before(std::string_view text, const base::Zone& zone) {
  if (const auto day = base::from_date(text)) return zone.start_of(*day);
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

}  // namespace transfer
