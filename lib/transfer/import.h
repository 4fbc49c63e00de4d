#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analytics/materialized_lists.h"
#include "base/clock.h"
#include "db/connection.h"
#include "db/lease.h"
#include "store/settings_store.h"
#include "store/template_store.h"
#include "transfer/bulk_rows.h"
#include "transfer/merge_preview.h"
#include "transfer/rating_merge.h"
#include "transfer/row.h"
#include "transfer/row_file.h"

namespace transfer {

struct ImportReport {
  static constexpr std::size_t kMaxReasons = 20;
  static constexpr std::size_t kMaxObjects = 100;

  struct Reason {
    std::int64_t line = 0;  // the line number, counted from 1
    base::Message message;
  };
  std::uint64_t read = 0;  // the number of all rows except the last row in the file
  std::uint64_t added = 0;
  std::uint64_t changed = 0;
  std::uint64_t kept = 0;  // the number of skipped rows that are not newer than the stored version
  // The number of valid votes that were skipped because an aggregate may already contain them.
  std::uint64_t too_old = 0;
  std::uint64_t refused = 0;
  std::vector<Reason> reasons;  // the reasons for the first refused rows
  std::vector<Reason> notes;    // notes about the first accepted rows that had no effect
  // "objects" and "by_object" are set only in a preview. "objects" is the number of objects with
  // ratings or aggregates in the file. "by_object" contains the objects for which an import would
  // store the most rows.
  std::uint64_t objects = 0;
  std::vector<std::pair<model::Object, MergeCounts>> by_object;
  bool is_complete = false;  // true if the file ends with its last row, which contains the correct
                             // row count
};

// Imports a file that arrives in pieces of any size. Valid rows are stored, and invalid rows are
// counted. Ratings are stored in slices, with one transaction per slice. If two ratings have the
// same key, the newer rating is stored. An interrupted import can be repeated, and a second import
// of the same file changes nothing. Settings and templates replace the stored settings and
// templates.
//
// A preview reads and counts rows like an import, but stores nothing (transfer::MergePreview). A
// preview does not check whether a setting is compatible with the other rows in the file.
//
// The class is not thread-safe. All functions throw the same exceptions as db::Connection. Rows
// that were stored before an error remain stored.
class Import {
 public:
  enum class Mode { store, preview };

  // "connection" must outlive this object. Rows with a time after "now" are rejected. Throws the
  // same exceptions as db::Connection. Throws db::Busy if another import or a clean-up is running.
  Import(db::Connection& connection, Format format, base::Time now, Mode mode = Mode::store);
  Import(const Import&) = delete;
  Import& operator=(const Import&) = delete;
  ~Import();

  void read(std::string_view piece);
  // Stores the remaining rows and returns the report. Call finish() only once, at the end of the
  // file.
  [[nodiscard]] const ImportReport& finish();

 private:
  void import_row(std::int64_t line, const RowReader::Members& members);
  void store(StoredRating rating);
  void store(rollups::Aggregate aggregate);
  void store(const SettingRow& row);
  void store_settings();
  tl::expected<void, base::Message> change(const SettingRow& row);
  void store(const model::Template& widget_template);
  void store(const EndRow& end);
  void flush_ratings();
  void flush_aggregates();
  void report_objects();
  void count(const MergeCounts& counts);
  void invalidate_lists();
  void refuse(std::int64_t line, base::Message message);

  db::Connection& connection_;
  const base::Time now_;
  const db::Lease lease_;
  RowReader reader_;
  const RatingMerge merge_;
  const bool is_restore_;  // the site had no votes
  MergePreview::ObjectCounts by_object_;
  std::unique_ptr<MergePreview> preview_;  // nullptr if rows are stored
  // The slugs and categories of the templates that a preview has read, and the number of these
  // templates that are not stored.
  std::map<std::string, model::Category> previewed_templates_;
  std::int64_t new_templates_ = 0;
  Slices slices_;
  MergeMemory memory_;
  std::vector<StoredRating> ratings_;  // the next slice of ratings
  std::vector<rollups::Aggregate> aggregates_;
  // The rows with settings, and their line numbers. Settings are stored only at the end of the
  // file, because a setting may select a template from a later row.
  std::vector<std::pair<std::int64_t, SettingRow>> setting_rows_;
  bool has_new_sums_ = false;
  std::int64_t line_ = 0;  // the line number of the current row
  ImportReport report_;
};

}  // namespace transfer
