#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "db/connection.h"
#include "transfer/backup_file.h"

namespace transfer {

// DESIGN. A backup contains all rows in ratingd's tables at one point in time. A backup also
// contains the sums, because not all sums can be computed from the stored votes (rollups/repair.h).
// The table and column names are read from the migrations and the database, so a backup contains
// new tables and columns without additional code. A backup omits tables that only running programs
// use, such as leases, writers, batches and limit counters. A backup also omits materialized lists,
// because workers compute them again. The second set of rollup tables, which only version 0.3 uses,
// is omitted, too.
//
// A backup reads one snapshot, row by row, so votes may arrive during the backup. Repairs cannot
// run during a backup. Version 0.3 cannot rebuild the rollup tables during a backup, because a
// rebuild swaps tables, and a transaction sees the swap in spite of its snapshot.
//
// A restore reads the file twice. The first pass only checks the file. The file must contain every
// table that exists in the file's version, and only columns that exist in the database. The file
// must also contain exactly one row of the table rollup_state, which is necessary to read or write
// votes. In the second pass, one transaction locks the table rollup_state, so that no other
// transaction can change votes. The transaction then empties the tables and fills them again. A
// restore therefore replaces all rows or none, even if it is killed. During the transaction, reads
// return the old rows. Votes wait, and are refused after their deadline.
//
// A restore can also repair damaged tables. Before the restore, the row in the table rollup_state
// may be invalid, and sums may be wrong. Missing tables are created.

using RowCounts = std::map<std::string, std::uint64_t>;  // the number of rows by table name without
                                                         // prefix
using BackupProgress = std::function<void(std::int64_t done, std::int64_t all)>;

// Passes the lines of a backup to "write" and returns the header and the number of rows in each
// table. The caller sets the program in "header", and the secret if the backup should contain it.
// The function fills in the rest of the header from the database. Blocks until all rows are
// written. Throws the same exceptions as db::Connection. Throws db::Busy if a repair is running.
// Exceptions from "write" are passed on to the caller.
struct Backup {
  BackupHeader header;
  RowCounts rows;
};
[[nodiscard]] Backup write_backup(db::Connection& connection, BackupHeader header,
                                  const std::function<void(std::string_view line)>& write,
                                  const BackupProgress& progress);

// Replaces all rows in ratingd's tables with the rows from a backup. The backup may have an older
// table version. Returns the number of restored rows. "file" must be seekable. If an error occurs,
// no row is changed. Throws BackupError if the file is not a complete backup for the tables in the
// database. Throws std::runtime_error if the tables contain votes and "replaces_votes" is false.
// Throws db::Busy if a repair, a backup or an import is running. Also throws the same exceptions as
// db::Connection.
struct RestoreOptions {
  bool replaces_votes = false;
};
[[nodiscard]] RowCounts restore_backup(db::Connection& connection, std::istream& file,
                                       RestoreOptions options, const BackupProgress& progress);

}  // namespace transfer
