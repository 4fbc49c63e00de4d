#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/zone.h"
#include "db/connection.h"
#include "transfer/rating_scan.h"

namespace transfer {

// What clean() deletes.
enum class CleanScope { ratings, addresses, settings, templates };
// Their names, in their order.
inline constexpr std::array<std::string_view, 4> kCleanScopes = {"ratings", "addresses", "settings",
                                                                 "templates"};
static_assert(kCleanScopes.size() == static_cast<std::size_t>(CleanScope::templates) + 1);

// Settings and templates are only deleted as a whole.
[[nodiscard]] constexpr bool takes_filters(CleanScope scope) {
  return scope == CleanScope::ratings || scope == CleanScope::addresses;
}

// The moment that "text" names: a day, which begins in "zone", or a moment in UTC.
[[nodiscard]] std::optional<base::Time> parse_before(std::string_view text, const base::Zone& zone);

struct CleanReport {
  std::uint64_t ratings = 0;     // deleted, held ones too
  std::uint64_t aggregates = 0;  // deleted
  std::uint64_t addresses = 0;   // ratings that had one
  std::uint64_t settings = 0;    // that have their defaults again
  std::uint64_t templates = 0;   // deleted

  bool operator==(const CleanReport&) const = default;
};

// Deletes what "scope" says of "selection", in slices of one transaction each, so that votes never
// wait long. "progress" hears now and then of how many rows. Interrupted, what is done stays;
// repeating goes on.
//
// Of a voter who has no ratings left, nothing is kept; if the selection is one voter's and nothing
// else, the same holds for one who had none. Ratings of everybody take the balances with them,
// those of one voter do not. REQUIRES: of settings and templates, all.
//
// Errors: as db::Connection; db::Busy - an import runs, or another call.
CleanReport clean(db::Connection& connection, const std::string& table_prefix, CleanScope scope,
                  const transfer::Selection& selection,
                  const std::function<void(std::uint64_t rows)>& progress);

// Turns all ratings last changed before "before" into balances (BulkRatings::fold), in slices;
// returns how many they were. Interrupted, what is done stays; repeating goes on. Errors: as
// db::Connection; db::Busy - an import or a clean-up runs for long.
std::uint64_t roll_up(db::Connection& connection, const std::string& table_prefix,
                      base::Time before);

}  // namespace transfer
