// Fuzzes the files that "ratingctl restore" reads. If the first byte of the input is "s", the test
// adds the correct checksum to each line.

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "base/text.h"
#include "transfer/backup_file.h"

namespace {

using transfer::BackupLines;
using transfer::BackupReader;
using transfer::BackupRows;

std::string with_sums(std::string_view objects) {
  BackupLines lines;
  std::string file;
  while (!objects.empty()) file += lines.line_of(base::take_until(objects, '\n'));
  return file;
}

std::string text_of(const BackupRows& rows) {
  std::string text;
  json::Writer json(text);
  json.begin_object().key("table").string(rows.table).key("columns").begin_array();
  for (const std::string& column : rows.columns) json.string(column);
  json.end_array().key("rows").begin_array();
  for (const auto& row : rows.rows) {
    json.begin_array();
    for (const std::string& value : row) json.string(value);
    json.end_array();
  }
  json.end_array().end_object();
  return text;
}

// Checks that a backup does not change when it is read, written and read again.
void check(const std::string& file) {
  std::istringstream input(file);
  BackupReader reader(input);
  BackupLines lines;
  std::string again = lines.line_of(transfer::text_of(reader.header()));
  std::string content;
  while (const auto rows = reader.next()) {
    for (const auto& row : rows->rows) {
      if (row.size() != rows->columns.size()) std::abort();
    }
    content += text_of(*rows) + "\n";
  }
  std::string_view rest = content;
  while (!rest.empty()) again += lines.line_of(base::take_until(rest, '\n'));
  again += lines.line_of(R"({"end":true})");
  if (again.size() > transfer::kMaxBackupLine) return;  // a line may have become too long
  std::istringstream written(again);
  BackupReader second(written);
  if (second.header() != reader.header()) std::abort();
  std::string content_again;
  while (const auto rows = second.next()) content_again += text_of(*rows) + "\n";
  if (content != content_again) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    check(data[0] == 's' ? with_sums(text) : std::string(text));
  } catch (const transfer::BackupError&) {
    // Most inputs are not valid backups.
  }
  return 0;
}
