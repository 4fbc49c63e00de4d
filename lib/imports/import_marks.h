#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "db/connection.h"
#include "model/rating.h"

// What earlier imports have read of a plugin (table ratingd_imports). Errors of all functions: as
// db::Connection.
namespace imports {

// What was read of the votes on an object in one log, which is a table of the plugin.
struct ImportMark {
  std::uint64_t last_row = 0;  // the greatest key
  base::Time last_rated_at;    // the latest time
  std::int64_t rows = 0;       // how many the log had

  bool operator==(const ImportMark&) const = default;
};

struct MarkKey {
  model::Object object;
  std::string log;

  auto operator<=>(const MarkKey&) const = default;
};
using ImportMarks = std::map<MarkKey, ImportMark>;

// The marks of the objects with ids after "after" and up to "upto".
[[nodiscard]] ImportMarks read_marks(db::Connection& connection, std::string_view plugin,
                                     std::uint64_t after, std::uint64_t upto);
void save_marks(db::Connection& connection, std::string_view plugin, const ImportMarks& marks);

}  // namespace imports
