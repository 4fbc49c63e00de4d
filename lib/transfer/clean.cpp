#include "transfer/clean.h"

#include <cassert>

#include "store/bulk_ratings.h"
#include "store/kept_lists.h"
#include "store/settings_store.h"
#include "store/template_store.h"
#include "transfer/locks.h"

namespace transfer {
namespace {

using Progress = std::function<void(std::uint64_t rows)>;
using store::BulkRatings;
constexpr std::chrono::minutes kFoldPatience{5};
constexpr auto kAtOnce = static_cast<std::int64_t>(BulkRatings::kAtOnce);

struct Task {
  db::Connection& connection;
  const std::string& table_prefix;
  const store::Selection& selection;
  const Progress& progress;
  BulkRatings bulk{table_prefix};

  [[nodiscard]] base::Time before() const { return selection.before.value_or(base::Time::max()); }
};

// Calls "work" with the keys of each slice of the selection.
template <typename Work>
std::uint64_t for_ratings(const Task& task, const Work& work) {
  store::RatingScan scan(task.table_prefix, task.selection);
  std::uint64_t done = 0;
  for (;;) {
    const auto ratings = scan.next(task.connection, kAtOnce);
    if (ratings.empty()) return done;
    std::vector<model::RatingKey> keys;
    keys.reserve(ratings.size());
    for (const store::StoredRating& rating : ratings) keys.push_back(rating.key);
    done += work(keys);
    task.progress(done);
  }
}

std::uint64_t remove_balances(const Task& task) {
  store::BalanceScan scan(task.table_prefix, task.selection);
  std::uint64_t removed = 0;
  for (;;) {
    const auto balances = scan.next(task.connection, kAtOnce);
    if (balances.empty()) return removed;
    std::vector<store::Balance::Key> keys;
    keys.reserve(balances.size());
    for (const store::Balance& balance : balances) keys.push_back(balance.key);
    removed += task.bulk.remove_balances(task.connection, keys);
  }
}

void forget_voters(const Task& task) {
  const store::Selection& selection = task.selection;
  if (selection.object_id || selection.object_type || selection.before) return;
  if (selection.voter) return task.bulk.forget(task.connection, {&*selection.voter, 1});
  store::VoterScan scan(task.table_prefix);
  for (;;) {
    const auto voters = scan.next(task.connection, kAtOnce);
    if (voters.empty()) return;
    task.bulk.forget(task.connection, voters);
  }
}

CleanReport clean_ratings(const Task& task) {
  CleanReport report;
  report.ratings = for_ratings(task, [&](const auto& keys) {
    return task.bulk.remove(task.connection, keys, task.before());
  });
  report.balances = remove_balances(task);
  forget_voters(task);
  if (task.selection.is_all()) task.bulk.forget_fold(task.connection);
  store::KeptLists(task.table_prefix).forget(task.connection);
  return report;
}

CleanReport clean_addresses(const Task& task) {
  CleanReport report;
  report.addresses = for_ratings(task, [&](const auto& keys) {
    return task.bulk.erase_addresses(task.connection, keys, task.before());
  });
  return report;
}

CleanReport clean_settings(const Task& task) {
  const store::SettingsStore settings(task.table_prefix);
  CleanReport report;
  for (const store::SettingRow& row : settings.rows(task.connection)) {
    if (settings.reset(task.connection, row.name)) ++report.settings;
  }
  return report;
}

CleanReport clean_templates(const Task& task) {
  const store::TemplateStore templates(task.table_prefix);
  CleanReport report;
  for (const model::Template& look : templates.all(task.connection)) {
    if (templates.remove(task.connection, look.slug)) ++report.templates;
  }
  return report;
}

}  // namespace

CleanReport clean(db::Connection& connection, const std::string& table_prefix, CleanScope scope,
                  const store::Selection& selection, const Progress& progress) {
  const auto lock = lock_changes(connection, table_prefix, kLockPatience);
  const Task task{connection, table_prefix, selection, progress};
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

std::uint64_t fold(db::Connection& connection, const std::string& table_prefix, base::Time before) {
  const auto lock = lock_changes(connection, table_prefix, kFoldPatience);
  const BulkRatings bulk(table_prefix);
  std::uint64_t folded = 0;
  while (const std::size_t more = bulk.fold(connection, before)) folded += more;
  if (folded > 0) store::KeptLists(table_prefix).forget(connection);  // those of users have changed
  return folded;
}

}  // namespace transfer
