#include <fmt/core.h>

#include <array>
#include <functional>
#include <string_view>

#include "admin/commands.h"
#include "admin/output.h"
#include "base/counted.h"
#include "base/parse.h"
#include "rollups/rebuild.h"
#include "rollups/rollup_state.h"
#include "votes/demo_votes.h"

namespace admin {
namespace {

struct Quantity {
  std::string_view name;
  std::int64_t least, most;
  std::int64_t votes::DemoSite::*place;
};
constexpr std::array kQuantities = {
    Quantity{"votes", 1, 1'000'000'000, &votes::DemoSite::votes},
    Quantity{"objects", 1, 10'000'000, &votes::DemoSite::objects},
    Quantity{"days", 1, 3650, &votes::DemoSite::days},
};

bool read_flag(const std::string& name, const std::string& value, votes::DemoSite& site) {
  const auto number = base::parse_number<std::int64_t>(value);
  if (!number) return false;
  if (name == "seed") {
    site.seed = static_cast<std::uint64_t>(*number);
    return true;
  }
  for (const Quantity& quantity : kQuantities) {
    if (name != quantity.name) continue;
    site.*quantity.place = *number;
    return quantity.least <= *number && *number <= quantity.most;
  }
  return false;
}

}  // namespace

int make_demo_data(const Invocation& call) {
  const std::string& table_prefix = call.config.table_prefix;
  votes::DemoSite site;
  site.until = base::SystemClock().now();
  for (const auto& [name, value] : call.flags) {
    if (read_flag(name, value, site)) continue;
    return refuse("--" + name + "=" + value +
                  ": must be a positive number; the maximum of days is 3650");
  }
  // Votes of one voter on one object would be one vote.
  if (site.votes / site.objects > 10'000) {
    return refuse("more objects are required: at least one for 10000 votes");
  }
  db::Connection connection = connect(call.config);
  const base::Zone zone = rollups::RollupStateStore(table_prefix).zone(connection);
  if (votes::has_votes(connection, table_prefix)) {
    return refuse("the site has votes: demo-data requires a site without votes");
  }
  {
    Progress progress("votes");
    votes::store_demo_votes(connection, table_prefix, site,
                            [&](std::int64_t done) { progress(done, site.votes); });
  }
  {
    Progress progress("summing up");
    using rollups::RollupRebuild;
    RollupRebuild(connection, table_prefix, zone, RollupRebuild::kMostSlice,
                  RollupRebuild::kLockTimeout, RollupRebuild::Pace::alone)
        .run(std::ref(progress), [] {});
  }
  fmt::print("stored {}\n", base::counted(site.votes, "vote", "votes"));
  return 0;
}

}  // namespace admin
