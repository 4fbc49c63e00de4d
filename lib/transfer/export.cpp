#include "transfer/export.h"

#include <utility>

#include "model/settings_table.h"
#include "store/settings_store.h"
#include "store/template_store.h"
#include "transfer/locks.h"

namespace transfer {
namespace {

constexpr std::int64_t kRowsOfSlice = 500;

ExportRequest with_selection_resolved(db::Connection& connection, const std::string& table_prefix,
                                      ExportRequest request) {
  request.selection = transfer::resolved(connection, table_prefix, std::move(request.selection));
  return request;
}

}  // namespace

std::optional<Scopes> parse_scopes(const std::vector<std::string>& names) {
  Scopes scopes;
  for (const std::string& name : names) {
    if (name != "ratings" && name != "settings" && name != "templates") return std::nullopt;
    scopes.ratings |= name == "ratings";
    scopes.settings |= name == "settings";
    scopes.templates |= name == "templates";
  }
  if (names.empty()) return std::nullopt;
  return scopes;
}

Scopes default_scopes(const Selection& selection) {
  const bool is_all = selection.is_all();
  return {.ratings = true, .settings = is_all, .templates = is_all};
}

Export::Export(db::Connection& connection, const std::string& table_prefix, ExportRequest request)
    : connection_(connection),
      table_prefix_(table_prefix),
      request_(with_selection_resolved(connection, table_prefix, std::move(request))),
      writer_(request_.format, request_.scopes),
      lease_(connection, table_prefix, "export", kLockTimeout,
             "Another export runs. Please try again when it is done."),
      snapshot_(db::one_snapshot(connection)),
      ratings_(table_prefix, request_.selection),
      aggregates_(table_prefix, request_.selection) {}

bool Export::next(std::string& out) {
  switch (part_) {
    case Part::begin:
      writer_.begin(out);
      part_ = Part::ratings;
      return true;
    case Part::ratings:
      if (!request_.scopes.ratings || !write_ratings(out)) part_ = Part::aggregates;
      return true;
    case Part::aggregates:
      if (!request_.scopes.ratings || !write_aggregates(out)) part_ = Part::settings;
      return true;
    case Part::settings:
      if (request_.scopes.settings) write_settings(out);
      part_ = Part::templates;
      return true;
    case Part::templates:
      if (request_.scopes.templates) write_templates(out);
      part_ = Part::end;
      return true;
    case Part::end:
      writer_.write(EndRow{rows_}, out);
      part_ = Part::nothing;
      return true;
    case Part::nothing:
      break;
  }
  return false;
}

bool Export::write_ratings(std::string& out) {
  auto ratings = ratings_.next(connection_, kRowsOfSlice);
  for (StoredRating& rating : ratings) write(std::move(rating), out);
  return !ratings.empty();
}

bool Export::write_aggregates(std::string& out) {
  auto aggregates = aggregates_.next(connection_, kRowsOfSlice);
  for (rollups::Aggregate& aggregate : aggregates) write(std::move(aggregate), out);
  return !aggregates.empty();
}

void Export::write_settings(std::string& out) {
  const auto stored = store::SettingsStore(table_prefix_).load(connection_);
  for (const model::Setting& setting : model::all_settings()) {
    write(SettingRow{&setting, setting.get(stored.settings)}, out);
  }
}

void Export::write_templates(std::string& out) {
  for (model::Template& widget_template : store::TemplateStore(table_prefix_).all(connection_)) {
    write(std::move(widget_template), out);
  }
}

void Export::write(const Row& row, std::string& out) {
  writer_.write(row, out);
  ++rows_;
}

}  // namespace transfer
