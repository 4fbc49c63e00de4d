#include "transfer/export.h"

#include <array>
#include <utility>

#include "model/settings.h"
#include "store/settings_store.h"
#include "store/template_store.h"
#include "transfer/locks.h"

namespace transfer {
namespace {

constexpr std::size_t kRowsOfSlice = 500;

ExportRequest with_selection_resolved(db::Connection& connection, ExportRequest request) {
  request.selection = transfer::resolved(connection, std::move(request.selection));
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

Export::Export(db::Connection& connection, ExportRequest request)
    : connection_(connection),
      request_(with_selection_resolved(connection, std::move(request))),
      writer_(request_.format, request_.scopes),
      lease_(connection, "export", kLockTimeout,
             "Another export runs. Please try again when it is done."),
      snapshot_(db::one_snapshot(connection)),
      ratings_(connection, request_.selection),
      aggregates_(connection, request_.selection) {}

bool Export::next(std::string& out) {
  static constexpr std::array kParts = {
      &Export::begin,          &Export::write_ratings,   &Export::write_aggregates,
      &Export::write_settings, &Export::write_templates, &Export::end};
  if (part_ == kParts.size()) return false;
  if (!(this->*kParts[part_])(out)) ++part_;
  return true;
}

bool Export::begin(std::string& out) {
  writer_.begin(out);
  return false;
}

bool Export::write_ratings(std::string& out) {
  if (!request_.scopes.ratings) return false;
  auto ratings = ratings_.next(kRowsOfSlice);
  for (StoredRating& rating : ratings) write(std::move(rating), out);
  return !ratings.empty();
}

bool Export::write_aggregates(std::string& out) {
  if (!request_.scopes.ratings) return false;
  auto aggregates = aggregates_.next(kRowsOfSlice);
  for (rollups::Aggregate& aggregate : aggregates) {
    // Earlier versions have left rows without votes, which an import would refuse.
    if (aggregate.sums.total() > 0) write(std::move(aggregate), out);
  }
  return !aggregates.empty();
}

bool Export::write_settings(std::string& out) {
  if (!request_.scopes.settings) return false;
  const auto stored = store::load_settings(connection_);
  for (const model::Setting& setting : model::all_settings()) {
    write(SettingRow{&setting, setting.get(stored.settings)}, out);
  }
  return false;
}

bool Export::write_templates(std::string& out) {
  if (!request_.scopes.templates) return false;
  for (model::Template& widget_template : store::all_templates(connection_)) {
    write(std::move(widget_template), out);
  }
  return false;
}

bool Export::end(std::string& out) {
  writer_.write(EndRow{rows_}, out);
  return false;
}

void Export::write(const Row& row, std::string& out) {
  writer_.write(row, out);
  ++rows_;
}

}  // namespace transfer
