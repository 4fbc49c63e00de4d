#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "db/connection.h"
#include "model/rating.h"

// A mark in the table ratingd_imports records which plugin data earlier imports have read. All
// functions can throw the same exceptions as db::Connection.
namespace imports {

// Describes the votes on one object that earlier imports have read from a log. A log is a plugin's
// table of individual votes.
struct ImportMark {
  std::uint64_t last_row = 0;  // these votes' greatest key
  base::Time last_rated_at;    // these votes' latest time
  std::int64_t rows = 0;       // the number of these votes

  bool operator==(const ImportMark&) const = default;
};

struct MarkKey {
  model::Object object;
  std::string log;

  auto operator<=>(const MarkKey&) const = default;
};
using ImportMarks = std::map<MarkKey, ImportMark>;

// Returns the marks for all objects whose ids are greater than "after" and at most "upto".
[[nodiscard]] ImportMarks read_marks(db::Connection& connection, std::string_view plugin,
                                     std::uint64_t after, std::uint64_t upto);
void save_marks(db::Connection& connection, std::string_view plugin, const ImportMarks& marks);

}  // namespace imports
