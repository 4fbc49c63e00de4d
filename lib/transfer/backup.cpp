#include "transfer/backup.h"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/timestamp.h"
#include "base/zone.h"
#include "db/bulk_statement.h"
#include "db/lease.h"
#include "db/migrations.h"
#include "db/transaction.h"
#include "rollups/repair.h"
#include "rollups/rollup_state.h"
#include "rollups/verification.h"
#include "rollups/writers.h"
#include "store/named_values.h"
#include "store/site.h"
#include "transfer/locks.h"

namespace transfer {
namespace {

constexpr std::size_t kRowsOfLine = db::BulkStatement::kManyRows;
constexpr std::size_t kBytesOfLine = kMaxBackupLine / 4;
constexpr int kAttemptsOfRestore = 3;  // an attempt may take several minutes
constexpr const char* kBusy = "A repair of the sums or another backup is running.";

struct Column {
  std::string name;
  bool is_binary = false;
};
struct Table {
  std::vector<Column> columns;
  bool is_stored = true;  // if false, a restore only empties the table
};
using Tables = std::map<std::string, Table>;  // by table name without prefix

// Returns whether a table is excluded from backups because it describes running programs or the
// database itself.
bool is_of_server(const std::string& table) {
  constexpr std::array kNames = {"schema",  "leases",   "writers",
                                 "batches", "counters", "fingerprints"};
  return std::ranges::find(kNames, table) != kNames.end();
}

bool is_made_again(const std::string& table) {
  return table.ends_with("_new") || table.starts_with("kept_");
}

Tables read_tables(db::Connection& connection) {
  const std::string own = connection.table_prefix() + "ratingd_";
  Tables tables;
  for (const std::string& full_name : db::table_names(connection.table_prefix())) {
    const std::string name = full_name.substr(own.size());
    if (is_of_server(name)) continue;
    Table& table = tables[name];
    table.is_stored = !is_made_again(name);
    db::Rows row = connection.query(
        "SELECT column_name, data_type LIKE '%binary' OR data_type LIKE '%blob'"
        " FROM information_schema.columns WHERE table_schema = DATABASE()"
        " AND table_name = ? ORDER BY ordinal_position",
        full_name);
    while (row.next()) table.columns.push_back({row.text(1), row.integer(2) != 0});
  }
  return tables;
}

// Returns the SQL statement that reads the rows in a table as JSON. The salt for voter ids is
// omitted, because anyone with a copy of the salt could later link voter ids to IP addresses.
std::string select_lines(const std::string& name, const std::vector<Column>& columns) {
  const std::string values = base::joined(columns, ", ", [](const Column& column) {
    return column.is_binary ? "HEX(" + column.name + ")" : column.name;
  });
  std::string text = "SELECT CAST(JSON_ARRAY(" + values + ") AS CHAR) FROM {prefix}ratingd_" + name;
  if (name == "state") text.append(" WHERE name <> '").append(store::kNetworkSalt).append("'");
  return text;
}

// Returns the database columns named in "rows.columns", in the same order. Returns nothing if the
// database lacks one of these columns.
std::optional<std::vector<Column>> columns_of(const BackupRows& rows, const Tables& tables) {
  const auto table = tables.find(rows.table);
  if (table == tables.end() || !table->second.is_stored) return std::nullopt;
  const std::vector<Column>& known = table->second.columns;
  std::vector<Column> columns;
  for (const std::string& name : rows.columns) {
    const auto column = std::ranges::find(known, name, &Column::name);
    if (column == known.end()) return std::nullopt;
    columns.push_back(*column);
  }
  return columns;
}

void insert(db::Connection& connection, const std::string& table,
            const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows) {
  const std::string head = "INSERT INTO {prefix}ratingd_" + table + " (" +
                           base::joined(columns, ", ", &Column::name) + ") VALUES ";
  const std::string row =
      "(" +
      base::joined(columns, ", ",
                   [](const Column& column) { return column.is_binary ? "UNHEX(?)" : "?"; }) +
      ")";
  const std::string& first = columns.front().name;
  const std::string tail = " ON DUPLICATE KEY UPDATE " + first + " = " + first;
  db::BulkStatement({head, row, ",", tail})
      .execute(connection, rows, [](db::Statement& to, const std::vector<std::string>& values) {
        for (const std::string& value : values) to.bind(value);
      });
}

// Checks that a file contains all tables and exactly one valid row of the rollup_state table, and
// that all time zones in the file exist on this host. Votes cannot be read or written if a time
// zone or the rollup_state row is missing.
class Inventory {
 public:
  void add(const BackupRows& rows, std::int64_t line) {
    tables_.insert(rows.table);
    for (const std::vector<std::string>& row : rows.rows) {
      if (rows.table == kState) add_state(rows, row, line);
      if (rows.table != kZones || base::Zone::named(value_of(rows, row, "zone"))) continue;
      throw BackupError(line, "The table zones has a time zone that is unknown on this host.");
    }
  }

  // Call require_all() after add() has been called for all rows in the file. "line" is the number
  // of the file's last line, for the error message.
  void require_all(const BackupHeader& header, std::int64_t line) const {
    for (const std::string& table : tables_of(header)) {
      if (tables_.contains(table)) continue;
      throw BackupError(line, "The backup has no table " + table + ".");
    }
    if (states_ == 1) return;
    throw BackupError(line, "The backup must have one row of rollup_state, and has " +
                                std::to_string(states_) + ".");
  }

 private:
  static constexpr const char* kState = "rollup_state";
  static constexpr const char* kZones = "zones";

  static std::string value_of(const BackupRows& rows, const std::vector<std::string>& row,
                              std::string_view column) {
    const auto place = std::ranges::find(rows.columns, column) - rows.columns.begin();
    return place == std::ssize(rows.columns) ? "" : row[static_cast<std::size_t>(place)];
  }

  void add_state(const BackupRows& rows, const std::vector<std::string>& row, std::int64_t line) {
    ++states_;
    if (value_of(rows, row, "id") == "1" && base::Zone::named(value_of(rows, row, "zone"))) return;
    throw BackupError(line, "The row of rollup_state is invalid, or its time zone is unknown.");
  }

  static std::vector<std::string> tables_of(const BackupHeader& header) {
    if (!header.has_all_tables) return {kState};
    constexpr std::string_view kOwn = "ratingd_";
    std::vector<std::string> tables;
    for (const std::string& full_name : db::table_names("", header.schema)) {
      const std::string name = full_name.substr(kOwn.size());
      if (!is_of_server(name) && !is_made_again(name)) tables.push_back(name);
    }
    return tables;
  }

  std::set<std::string> tables_;
  std::uint64_t states_ = 0;
};

// Writes the tables to a backup, in one database snapshot.
class Writer {
 public:
  Writer(db::Connection& connection, const std::function<void(std::string_view)>& write,
         const BackupProgress& progress)
      : connection_(connection), write_(write), progress_(progress) {}

  RowCounts run(const BackupHeader& header) {
    const Tables tables = read_tables(connection_);
    for (const auto& [name, table] : tables) {
      if (table.is_stored) all_ += rollups::estimated_rows(connection_, name);
    }
    write_(lines_.line_of(text_of(header)));
    RowCounts counts;
    for (const auto& [name, table] : tables) {
      if (table.is_stored) counts[name] = write_table(name, table.columns);
    }
    write_(lines_.line_of(R"({"end":true})"));
    return counts;
  }

 private:
  std::uint64_t write_table(const std::string& name, const std::vector<Column>& columns) {
    std::string head;
    json::Writer json(head);
    json.begin_object().key("table").string(name).key("columns").begin_array();
    for (const Column& column : columns) json.string(column.name);
    json.end_array().key("rows");
    std::string rows;
    std::uint64_t count = 0;
    std::size_t of_line = 0;
    const auto end_line = [&] {
      write_(lines_.line_of(head + "[" + rows + "]}"));
      rows.clear();
      of_line = 0;
      done_ = std::min(done_ + static_cast<std::int64_t>(kRowsOfLine), all_);
      if (all_ > 0) progress_(done_, all_);
    };
    for (db::Rows row = connection_.stream(select_lines(name, columns)); row.next(); ++count) {
      const std::string values = row.text(1);
      if (row.is_null(1) || values.size() > kMaxBackupLine - 2 * kBytesOfLine) {
        throw std::runtime_error("a row of the table " + name + " is too large");
      }
      rows += (of_line == 0 ? "" : ",") + values;
      if (++of_line == kRowsOfLine || rows.size() > kBytesOfLine) end_line();
    }
    if (of_line > 0 || count == 0) end_line();
    return count;
  }

  db::Connection& connection_;
  const std::function<void(std::string_view)>& write_;
  const BackupProgress& progress_;
  BackupLines lines_;
  std::int64_t done_ = 0, all_ = 0;
};

// Checks whether a file matches the tables in the database, and fills the tables from the file.
class Restorer {
 public:
  Restorer(db::Connection& connection, std::istream& file, const BackupProgress& progress)
      : connection_(connection),
        tables_(read_tables(connection)),
        schema_(db::schema_version(connection)),
        file_(file),
        progress_(progress) {
    file_.seekg(0, std::ios::end);
    size_ = std::max<std::int64_t>(file_.tellg(), 1);
  }

  void check() {
    read([](const BackupRows&, const std::vector<Column>&, std::int64_t) {});
  }

  // Replaces the rows in all tables. Call replace() in a transaction that has not locked any rows
  // yet.
  RowCounts replace(bool replaces_votes) {
    rollups::lock_damaged(connection_);
    rollups::note_change(connection_);
    require_replaceable(replaces_votes);
    const std::uint64_t version = newest_version();
    for (const auto& [name, table] : tables_)
      connection_.execute("DELETE FROM {prefix}ratingd_" + name);
    RowCounts counts = fill();
    store::remove_value(connection_, store::kNetworkSalt);  // workers create a new salt
    // Give all restored totals a higher version than the previous totals, because caches ignore
    // totals with a lower version.
    connection_.execute("UPDATE {prefix}ratingd_totals SET version = version + ?", version);
    // If version 0.3 created the backup during a rebuild, mark the rebuild as finished in the
    // restored row of the rollup_state table.
    rollups::end_old_rebuild(connection_, rollups::read_state(connection_));
    return counts;
  }

  void require_replaceable(bool replaces_votes) {
    db::Rows row = connection_.query(
        "SELECT EXISTS (SELECT 1 FROM {prefix}ratingd_votes)"
        " OR EXISTS (SELECT 1 FROM {prefix}ratingd_balances)");
    if (replaces_votes || row.number() == 0) return;
    throw std::runtime_error(
        "The tables hold votes. Nothing was changed. To replace all of them with the backup: "
        "ratingctl restore --replace FILE");
  }

 private:
  template <typename Take>
  void read(const Take& take) {
    file_.clear();
    file_.seekg(0);
    BackupReader reader(file_);
    check_header(reader.header());
    Inventory inventory;
    while (const auto rows = reader.next()) {
      const auto columns = columns_of(*rows, tables_);
      if (!columns) {
        throw BackupError(reader.line(), "This program does not know the table " +
                                             base::printable(rows->table) + " or its columns.");
      }
      inventory.add(*rows, reader.line());
      take(*rows, *columns, reader.line());
      progress_((pass_ * size_ + std::min(reader.bytes(), size_)) / 2, size_);
    }
    inventory.require_all(reader.header(), reader.line());
    pass_ = 1;
  }

  void check_header(const BackupHeader& header) const {
    if (header.schema > schema_) {
      throw BackupError(1, "The backup has tables of version " + std::to_string(header.schema) +
                               ", and these have version " + std::to_string(schema_) +
                               ". Install the newer version of ratingd.");
    }
    if (base::Zone::named(header.zone)) return;
    throw BackupError(1, "Days are counted in " + base::printable(header.zone) +
                             ", which is unknown on this host. Install tzdata.");
  }

  RowCounts fill() {
    RowCounts counts;
    read([&](const BackupRows& rows, const std::vector<Column>& columns, std::int64_t line) {
      try {
        insert(connection_, rows.table, columns, rows.rows);
      } catch (const db::BadData& failure) {
        throw BackupError(line, "The table " + rows.table + " refuses it: " + failure.what());
      }
      counts[rows.table] += rows.rows.size();
    });
    return counts;
  }

  std::uint64_t newest_version() {
    db::Rows row =
        connection_.query("SELECT COALESCE(MAX(version), 0) FROM {prefix}ratingd_totals");
    return row.next() ? row.unsigned_integer(1) : 0;
  }

  db::Connection& connection_;
  const Tables tables_;
  const int schema_;
  std::istream& file_;
  const BackupProgress& progress_;
  std::int64_t size_ = 0, pass_ = 0;
};

}  // namespace

Backup write_backup(db::Connection& connection, BackupHeader header,
                    const std::function<void(std::string_view)>& write,
                    const BackupProgress& progress) {
  db::Lease lease = rollups::lock_repairs(connection, kLockTimeout, kBusy);
  Backup backup{std::move(header), {}};
  // Set "taken_at" before the snapshot begins, so that data erased before "taken_at" cannot be in
  // the snapshot.
  if (db::Rows now = connection.query("SELECT UTC_TIMESTAMP()"); now.next()) {
    backup.header.taken_at = now.time(1);
  }
  {
    const db::Transaction snapshot = db::one_snapshot(connection);
    backup.header.schema = db::schema_version(connection);
    backup.header.zone = rollups::read_state(connection).zone.name();
    backup.header.table_prefix = connection.table_prefix();
    backup.header.has_all_tables = true;
    backup.rows = Writer(connection, write, progress).run(backup.header);
  }
  lease.confirm();  // throws if a rebuild by version 0.3 may have replaced tables
  return backup;
}

RowCounts restore_backup(db::Connection& connection, std::istream& file, RestoreOptions options,
                         const BackupProgress& progress) {
  db::restore_missing_tables(connection);
  const db::Lease changes = lock_changes(connection, kLockTimeout);
  const db::Lease rebuilds = rollups::lock_repairs(connection, kLockTimeout, kBusy);
  Restorer restorer(connection, file, progress);
  restorer.require_replaceable(options.replaces_votes);
  restorer.check();
  return db::in_transaction(connection, kAttemptsOfRestore,
                            [&] { return restorer.replace(options.replaces_votes); });
}

}  // namespace transfer
