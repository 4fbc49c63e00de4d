#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analytics/materialized_lists.h"
#include "base/clock.h"
#include "db/connection.h"
#include "db/server_lock.h"
#include "store/settings_store.h"
#include "store/template_store.h"
#include "transfer/bulk_ratings.h"
#include "transfer/row.h"
#include "transfer/row_reader.h"

namespace transfer {

struct ImportReport {
  static constexpr std::size_t kMaxReasons = 20;

  struct Reason {
    std::int64_t line = 0;  // from 1
    std::string message;
    bool operator==(const Reason&) const = default;
  };
  std::uint64_t read = 0;  // rows, but for the last one that has the count
  std::uint64_t added = 0;
  std::uint64_t changed = 0;
  std::uint64_t kept = 0;  // what is stored is the same, or newer
  // Votes that are not stored and older than what retention has folded: they may be in its sums.
  std::uint64_t rolled_up = 0;
  std::uint64_t refused = 0;
  std::vector<Reason> reasons;  // of the first that were refused
  bool is_complete = false;     // the last row was there and had the right count

  bool operator==(const ImportReport&) const = default;
};

// Takes over a file that comes in pieces, of whatever size: rows that are right are stored, others
// are counted. Ratings are stored in slices of one transaction each, and what is newer wins: so an
// import may be interrupted and repeated, and repeating changes nothing. A setting or a template
// takes the place of the stored one.
//
// Used by one thread. Errors of all functions: as db::Connection; what is done stays.
class Import {
 public:
  // "connection" must outlive this. Rows may not lie after "now". Errors: db::Busy - another import
  // runs, or what deletes.
  Import(db::Connection& connection, const std::string& table_prefix, Format format,
         base::Time now);
  Import(const Import&) = delete;
  Import& operator=(const Import&) = delete;
  ~Import();

  void read(std::string_view piece);
  // The file has ended. Called once, last.
  [[nodiscard]] const ImportReport& finish();

 private:
  void take(std::int64_t line, const RowReader::Members& members);
  void store(transfer::StoredRating rating);
  void store(rollups::Aggregate aggregate);
  void store(const SettingRow& row);
  void store(const model::Template& look);
  void store(const EndRow& end);
  void flush_ratings();
  void flush_aggregates();
  void count(const transfer::MergeCounts& counts);
  void forget_lists();
  void refuse(std::int64_t line, std::string message);

  db::Connection& connection_;
  const base::Time now_;
  const db::ServerLock lock_;
  RowReader reader_;
  const transfer::BulkRatings bulk_;
  const store::SettingsStore settings_;
  const store::TemplateStore templates_;
  const analytics::MaterializedLists materialized_lists_;
  const bool restores_;                          // into a site that had no votes
  std::vector<transfer::StoredRating> ratings_;  // to be stored next
  std::vector<rollups::Aggregate> aggregates_;
  bool has_new_sums_ = false;
  std::int64_t line_ = 0;  // of the row that is being stored
  ImportReport report_;
};

}  // namespace transfer
