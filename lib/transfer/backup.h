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

// DESIGN. A backup contains all rows in ratingd's tables at one point in time. It also contains the
// sums because not all of them follow from the votes that are still stored (rollups/repair.h). The
// names of tables and columns come from the migrations and the database, so a backup contains new
// tables and columns without further code. It does not contain three kinds of tables: tables whose
// rows belong to running programs (leases, writers and their batches, limit counters), tables that
// are computed again (materialized lists), and the second set of rollups from version
// 0.3.
//
// A backup reads one snapshot, row by row, so votes may arrive in the meantime. It excludes
// repairs. It also excludes rebuilds by version 0.3 because they swap tables, and a snapshot does
// not protect against this.
//
// A restore reads the file twice. The first time, it only checks the file. The file must contain
// each table in its version, and only columns that the database knows. It must contain exactly one
// rollup_state row because without this row no vote can be read or written. The second time, one
// transaction takes the lock on rollup_state, which excludes all changes to votes, empties the
// tables and fills them again. So a restore is complete or changes no row, even when it is killed.
// During this time, votes wait, and they are refused after their deadline. Reads return the rows
// from before the restore.
//
// A restore also repairs damaged tables. A restore requires neither a valid rollup_state row nor
// sums that match, and it creates missing tables.

using RowCounts = std::map<std::string, std::uint64_t>;  // by the table's name without prefix
using BackupProgress = std::function<void(std::int64_t done, std::int64_t all)>;

// Passes the lines of a backup to "write" and returns the header and the number of rows in each
// table. The caller sets the program in "header", and the secret if the backup should contain it.
// The other members are read from the database. Blocks until all rows are written. Errors: db::Busy
// - a repair is running. Otherwise as db::Connection. Exceptions from "write" are passed on.
struct Backup {
  BackupHeader header;
  RowCounts rows;
};
[[nodiscard]] Backup write_backup(db::Connection& connection, BackupHeader header,
                                  const std::function<void(std::string_view line)>& write,
                                  const BackupProgress& progress);

// Replaces all rows in ratingd's tables by the rows from a backup, whose tables may have an older
// version. Returns the number of restored rows. "file" must be seekable. No row is changed after an
// error. Errors: BackupError - the file is not a complete backup for these tables;
// std::runtime_error - the tables contain votes, and "replaces_votes" is false; db::Busy - a
// repair, a backup or an import is running. Otherwise as db::Connection.
struct RestoreOptions {
  bool replaces_votes = false;
};
[[nodiscard]] RowCounts restore_backup(db::Connection& connection, std::istream& file,
                                       RestoreOptions options, const BackupProgress& progress);

}  // namespace transfer
