#pragma once

#include <cstdint>
#include <memory>
#include <set>
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
#include "transfer/merge_preview.h"
#include "transfer/rating_merge.h"
#include "transfer/row.h"
#include "transfer/row_reader.h"
#include "transfer/slices.h"

namespace transfer {

struct ImportReport {
  static constexpr std::size_t kMaxReasons = 20;
  static constexpr std::size_t kMaxObjects = 100;

  struct Reason {
    std::int64_t line = 0;  // from 1
    base::Message message;
  };
  std::uint64_t read = 0;  // rows, without the last row
  std::uint64_t added = 0;
  std::uint64_t changed = 0;
  std::uint64_t kept = 0;  // rows whose stored version is the same or newer
  // Votes that are not stored and so old that a rolled-up aggregate may contain them.
  std::uint64_t too_old = 0;
  std::uint64_t refused = 0;
  std::vector<Reason> reasons;  // of the first refused rows
  std::vector<Reason> notes;    // about the first rows that are accepted, but have no effect
  // Only in a preview: the number of objects with ratings or aggregates in the file, and the
  // objects with the most rows that an import would store.
  std::uint64_t objects = 0;
  std::vector<std::pair<model::Object, MergeCounts>> by_object;
  bool is_complete = false;  // the file has its last row, with the right count
};

// Imports a file that arrives in pieces, of any size. Valid rows are stored, others are counted.
// Ratings are stored in slices of one transaction each, and the newer rating wins: so an import may
// be interrupted and repeated, and repeating it changes nothing. A setting or a template replaces
// the stored one.
//
// A preview reads and counts the same, but stores nothing (transfer::MergePreview). It does not
// check whether a setting is valid together with other rows of the file.
//
// Used by one thread. Errors of all functions: as db::Connection; rows stored before stay.
class Import {
 public:
  enum class Mode { store, preview };

  // "connection" must outlive this. Times in rows may not be after "now". Errors: db::Busy -
  // another import or a clean-up is running.
  Import(db::Connection& connection, Format format, base::Time now, Mode mode = Mode::store);
  Import(const Import&) = delete;
  Import& operator=(const Import&) = delete;
  ~Import();

  void read(std::string_view piece);
  // Stores what is left. REQUIRES: the file has ended; called once, last.
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
  std::unique_ptr<MergePreview> preview_;  // nullptr: rows are stored
  std::set<std::string> new_templates_;    // of a preview
  Slices slices_;
  MergeMemory memory_;
  std::vector<StoredRating> ratings_;  // of the next slice
  std::vector<rollups::Aggregate> aggregates_;
  // Setting rows with their lines. They may name templates that come later in the file.
  std::vector<std::pair<std::int64_t, SettingRow>> setting_rows_;
  bool has_new_sums_ = false;
  std::int64_t line_ = 0;  // of the current row
  ImportReport report_;
};

}  // namespace transfer
