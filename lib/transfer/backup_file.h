#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "json/codec.h"

namespace transfer {

// DESIGN. Each line in a backup file contains a checksum, a space and a JSON object. The JSON
// objects contain column values as numbers and strings. Binary columns are written in hexadecimal.
// The checksum is the SHA-256 of the previous line's checksum and the JSON object, in hexadecimal.
// Because each checksum depends on all previous lines, a reader can detect the first line that is
// damaged, missing or moved. A file without its last line is incomplete.
//
// If the header contains an "all_tables" member, the file contains at least one line for each
// table, even for an empty table. Versions before 0.4 wrote neither the "all_tables" member nor
// lines for empty tables. A backup file has the following form:
//
//   {"ratingd_backup":1,"program":"0.4.0","schema":3,"taken_at":"2026-11-24T05:28:47Z",...}   first
//   {"table":"votes","columns":["object_id",...],"rows":[[42,...],...]}                       then
//   {"end":true}                                                                              last

// Thrown if a file is not a complete backup for this program version. The message contains the
// number of the line with the error.
class BackupError : public std::runtime_error {
 public:
  BackupError(std::int64_t line, const std::string& problem)
      : std::runtime_error("line " + std::to_string(line) + ": " + problem) {}
};

struct BackupHeader {
  std::string program = {};  // the version of the ratingctl that wrote the file
  int schema = 0;            // the version of the tables
  base::Time taken_at = {};
  std::string zone = {};  // the time zone in which days are counted
  std::string table_prefix = {};
  std::optional<std::string> secret = {};  // the content of the secret file
  bool has_all_tables = false;             // true if the file also contains lines for empty tables

  bool operator==(const BackupHeader&) const = default;
};

// Rows from one table. "table" is the name of the table without its prefix.
struct BackupRows {
  std::string table;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // each row contains a value for each column
};

inline constexpr std::size_t kMaxBackupLine = 1'048'576;  // bytes

// Adds checksums to the lines of a backup file. The class is not thread-safe.
class BackupLines {
 public:
  // Returns the next line, including the line feed.
  [[nodiscard]] std::string line_of(std::string_view object);

 private:
  std::string sum_;
};

[[nodiscard]] std::string text_of(const BackupHeader& header);

// Reads a backup file. Accepts arbitrary bytes, and never holds more than one line in memory. The
// class is not thread-safe. The constructor and next() throw BackupError if the file is not a
// complete backup.
class BackupReader {
 public:
  // Reads the header. "file" must outlive this object.
  explicit BackupReader(std::istream& file);

  [[nodiscard]] const BackupHeader& header() const { return header_; }

  // Returns the next rows, or nothing at the end of a complete file.
  [[nodiscard]] std::optional<BackupRows> next();

  [[nodiscard]] std::int64_t line() const { return line_; }    // the number of the last line read
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }  // the number of bytes read so far

 private:
  [[nodiscard]] json::Value read_line();
  [[nodiscard]] std::string_view read_text();
  [[noreturn]] void fail(const std::string& problem) const;

  std::istream& file_;
  std::string buffer_, sum_;
  std::int64_t line_ = 0, bytes_ = 0;
  BackupHeader header_;
};

}  // namespace transfer
