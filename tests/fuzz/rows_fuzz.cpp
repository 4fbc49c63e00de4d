// Fuzzes the files that POST /data/import accepts. The first byte of the input selects the format.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "transfer/row.h"
#include "transfer/row_file.h"

namespace {

using transfer::Format;
using transfer::Row;
using transfer::RowReader;

constexpr base::Time kNow = base::Day(std::chrono::year(2026) / 11 / 21);

std::string written(const Row& row, Format format) {
  const transfer::RowWriter writer(format, {.ratings = true, .settings = true, .templates = true});
  std::string text;
  writer.begin(text);
  writer.write(row, text);
  return text;
}

// Checks that an accepted row does not change when it is written and read again.
void check(const Row& row, Format format) {
  const std::string text = written(row, format);
  int rows = 0;
  const auto take = [&](std::int64_t, const RowReader::Members& members) {
    const auto again =
        members ? transfer::read_row(*members, kNow) : tl::unexpected(base::Message());
    if (!again || written(*again, format) != text) std::abort();
    ++rows;
  };
  RowReader reader(format);
  reader.read(text, take);
  reader.finish(take);
  if (rows != 1) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Format format = data[0] == 'c' ? Format::csv : Format::ndjson;
  const std::string_view file(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto take = [](std::int64_t, const RowReader::Members& members) {
    if (!members) return;
    const auto row = transfer::read_row(*members, kNow);
    if (!row) return;
    check(*row, Format::csv);
    check(*row, Format::ndjson);
  };
  RowReader reader(format);
  reader.read(file.substr(0, file.size() / 2), take);
  reader.read(file.substr(file.size() / 2), take);
  reader.finish(take);
  return 0;
}
