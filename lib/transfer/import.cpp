#include "transfer/import.h"

#include <algorithm>
#include <exception>
#include <functional>

#include "transfer/locks.h"

namespace transfer {
namespace {

constexpr std::size_t kAggregatesAtOnce = 256;
constexpr std::size_t kSettingsAtOnce = 256;  // more than an export contains

}  // namespace

Import::Import(db::Connection& connection, Format format, base::Time now, Mode mode)
    : connection_(connection),
      now_(now),
      lease_(lock_changes(connection, kLockTimeout)),
      reader_(format),
      merge_(connection),
      is_restore_(!merge_.has_votes()),
      slices_(Slices::of_ratings(connection)) {
  require_full_activity(connection);
  if (mode == Mode::preview) preview_ = std::make_unique<MergePreview>(connection, &by_object_);
}

void Import::read(std::string_view piece) {
  reader_.read(piece,
               [this](std::int64_t line, const auto& members) { import_row(line, members); });
}

const ImportReport& Import::finish() {
  reader_.finish([this](std::int64_t line, const auto& members) { import_row(line, members); });
  flush_aggregates();
  store_settings();
  invalidate_lists();
  report_objects();
  return report_;
}

void Import::report_objects() {
  report_.objects = by_object_.size();
  auto& objects = report_.by_object;
  objects.assign(by_object_.begin(), by_object_.end());
  const auto stored = [](const auto& each) { return each.second.added + each.second.changed; };
  std::ranges::stable_sort(objects, std::ranges::greater(), stored);
  objects.resize(std::min(objects.size(), ImportReport::kMaxObjects));
}

// Invalidates the materialized lists even if the file is incomplete, because some ratings may
// already have been stored.
Import::~Import() {
  try {
    invalidate_lists();
  } catch (const std::exception&) {
    // Ignore the error, because the materialized lists are refreshed later anyway.
  }
}

void Import::invalidate_lists() {
  if (has_new_sums_) analytics::invalidate_lists(connection_);
  has_new_sums_ = false;
}

void Import::import_row(std::int64_t line, const RowReader::Members& members) {
  line_ = line;
  report_.is_complete = false;  // no row may follow the last row
  auto row = members ? read_row(*members, now_) : tl::unexpected(members.error());
  if (!row) {
    ++report_.read;
    return refuse(line, std::move(row.error()));
  }
  if (!std::holds_alternative<EndRow>(*row)) ++report_.read;
  std::visit([this](auto&& one) { store(std::forward<decltype(one)>(one)); }, *std::move(row));
}

void Import::store(StoredRating rating) {
  ratings_.push_back(std::move(rating));
  if (ratings_.size() >= slices_.rows()) flush_ratings();
}

void Import::store(rollups::Aggregate aggregate) {
  aggregates_.push_back(std::move(aggregate));
  if (aggregates_.size() == kAggregatesAtOnce) flush_aggregates();
}

void Import::store(const SettingRow& row) {
  if (row.retired) {
    ++report_.kept;
    if (report_.notes.size() < ImportReport::kMaxReasons) {
      report_.notes.push_back({line_, *row.retired});
    }
    return;
  }
  setting_rows_.emplace_back(line_, row);
  if (setting_rows_.size() == kSettingsAtOnce) store_settings();
}

void Import::store_settings() {
  for (const auto& [line, row] : setting_rows_) {
    const std::string name(row.setting->name);
    const auto before = store::load_settings(connection_);
    if (row.setting->get(before.settings) == row.value && !before.damaged.contains(name)) {
      ++report_.kept;
    } else if (const auto changed = change(row); changed) {
      ++report_.changed;
    } else {
      refuse(line, changed.error());
    }
  }
  setting_rows_.clear();
}

tl::expected<void, base::Message> Import::change(const SettingRow& row) {
  const store::SettingChanges changes = {{std::string(row.setting->name), row.value}};
  store::TemplateChoices names(connection_);
  for (const auto& [slug, category] : previewed_templates_) names.add(category, slug, slug);
  const auto changed =
      preview_ ? store::effective_changes(connection_, changes, names).map([](const auto&) {})
               : store::change_settings(connection_, changes, names).map([](const auto&) {});
  if (changed) return {};
  return tl::unexpected(changed.error().refusal.message);
}

void Import::store(const model::Template& widget_template) {
  auto stored = store::find_template(connection_, widget_template.slug);
  if (stored) stored->version = widget_template.version;
  if (stored == widget_template) {
    ++report_.kept;
  } else if (!stored && std::ssize(store::all_templates(connection_)) + new_templates_ >=
                            store::kMaxTemplates) {
    refuse(line_, store::too_many_templates());
  } else if (preview_) {
    const bool is_first =
        previewed_templates_.insert_or_assign(widget_template.slug, widget_template.category)
            .second;
    const bool is_new = is_first && !stored;
    new_templates_ += is_new ? 1 : 0;
    ++(is_new ? report_.added : report_.changed);
  } else {
    ++(store::put_template(connection_, widget_template) ? report_.added : report_.changed);
  }
}

void Import::store(const EndRow& end) { report_.is_complete = end.rows == report_.read; }

void Import::flush_ratings() {
  if (!ratings_.empty()) {
    count(slices_.run(ratings_.size(), [&] {
      return preview_ ? preview_->merge(ratings_) : merge_.merge(ratings_, memory_);
    }));
  }
  ratings_.clear();
}

// Stores the ratings before the aggregates. If the aggregates were stored first, an aggregate whose
// source is "retention" would cause the import to skip all older ratings.
void Import::flush_aggregates() {
  flush_ratings();
  if (!aggregates_.empty()) {
    count(preview_ ? preview_->merge_aggregates(aggregates_, is_restore_)
                   : merge_.merge_aggregates(aggregates_, is_restore_));
  }
  aggregates_.clear();
}

void Import::count(const MergeCounts& counts) {
  report_.added += counts.added;
  report_.changed += counts.changed;
  report_.kept += counts.kept;
  report_.too_old += counts.too_old;
  has_new_sums_ = has_new_sums_ || (!preview_ && counts.added + counts.changed > 0);
}

void Import::refuse(std::int64_t line, base::Message message) {
  ++report_.refused;
  if (report_.reasons.size() == ImportReport::kMaxReasons) return;
  report_.reasons.push_back({line, std::move(message)});
}

}  // namespace transfer
