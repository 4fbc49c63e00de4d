#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/zone_history.h"
#include "db/connection.h"
#include "transfer/rating_scan.h"

namespace transfer {

// What clean() deletes.
enum class CleanScope { ratings, addresses, settings, templates };
// Their names, in their order.
inline constexpr std::array<std::string_view, 4> kCleanScopes = {"ratings", "addresses", "settings",
                                                                 "templates"};
static_assert(kCleanScopes.size() == static_cast<std::size_t>(CleanScope::templates) + 1);

// Settings and templates can only be deleted all at once.
[[nodiscard]] constexpr bool takes_filters(CleanScope scope) {
  return scope == CleanScope::ratings || scope == CleanScope::addresses;
}

// Parses a day, which means its beginning in "zone", or a time in UTC.
[[nodiscard]] std::optional<base::Time> parse_before(std::string_view text,
                                                     const base::ZoneHistory& zones);

struct CleanReport {
  std::uint64_t ratings = 0;     // deleted, also held ones
  std::uint64_t aggregates = 0;  // deleted
  std::uint64_t addresses = 0;   // ratings whose address was erased
  std::uint64_t settings = 0;    // reset to their defaults
  std::uint64_t templates = 0;   // deleted

  bool operator==(const CleanReport&) const = default;
};

// Deletes "scope" within "selected", in slices of one transaction each, so that votes never wait
// long. If all ratings are deleted, votes that arrive meanwhile stay. Calls "progress" now and then
// with the number of finished rows. If it is interrupted, finished slices stay; a repeated call
// continues, and deletes what has arrived since, too. transfer/retention.h deletes by age every
// night.
//
// All data of voters without remaining ratings is deleted. If the selection is one voter only, or
// all ratings, this is also done for voters who had no ratings. Aggregates are deleted with the
// ratings, unless a voter is selected. REQUIRES: settings and templates need an empty selection.
//
// Errors: as db::Connection; db::Busy - an import or another clean-up is running; as
// require_full_activity().
CleanReport clean(db::Connection& connection, CleanScope scope, const Selection& selected,
                  const std::function<void(std::uint64_t rows)>& progress);

}  // namespace transfer
