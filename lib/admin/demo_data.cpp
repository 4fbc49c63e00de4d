#include "admin/demo_data.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>

#include "db/endpoint.h"
#include "store/demo_votes.h"
#include "store/rollup_build.h"
#include "store/state_store.h"

namespace admin {
namespace {

constexpr std::chrono::hours kPatience{24};  // a statement may read all votes

struct Quantity {
  std::string_view name;
  std::int64_t least, most;
  std::int64_t store::DemoSite::*place;
};
constexpr std::array kQuantities = {
    Quantity{"votes", 1, 1'000'000'000, &store::DemoSite::votes},
    Quantity{"objects", 1, 10'000'000, &store::DemoSite::objects},
    Quantity{"days", 1, 3650, &store::DemoSite::days},
};

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool read_word(std::string_view word, store::DemoSite& site) {
  const std::size_t equals = std::min(word.find('='), word.size());
  const auto number = number_in(word.substr(std::min(equals + 1, word.size())));
  if (!number) return false;
  if (word.substr(0, equals) == "seed") {
    site.seed = static_cast<std::uint64_t>(*number);
    return true;
  }
  for (const Quantity& quantity : kQuantities) {
    if (word.substr(0, equals) != quantity.name) continue;
    site.*quantity.place = *number;
    return quantity.least <= *number && *number <= quantity.most;
  }
  return false;
}

void show_progress(std::int64_t done, std::int64_t all) {
  std::fprintf(stderr, "\rvotes      %3lld %%", static_cast<long long>(done * 100 / all));
  if (done == all) std::fputc('\n', stderr);
}

}  // namespace

int make_demo_data(const config::Config& config, Words words) {
  store::DemoSite site;
  site.until = base::SystemClock().now();
  for (const std::string& word : words) {
    if (read_word(word, site)) continue;
    std::fprintf(stderr, "%s: it is votes=N, objects=M, days=D (up to 3650) or seed=S\n",
                 word.c_str());
    return 2;
  }
  // Votes of one voter on one object would be one vote.
  if (site.votes / site.objects > 10'000) {
    std::fputs("so many votes need more objects: at least one for 10000 votes\n", stderr);
    return 2;
  }
  db::Connection connection(db::endpoint_of(config.database, kPatience));
  const base::Zone zone = store::StateStore(config.table_prefix).zone(connection);
  if (store::has_votes(connection, config.table_prefix)) {
    std::fputs("there are votes already: demo-data is for a site without any\n", stderr);
    return 2;
  }
  store::store_demo_votes(connection, config.table_prefix, site,
                          [&](std::int64_t done) { show_progress(done, site.votes); });
  store::build_rollups(connection, config.table_prefix, zone, [](std::string_view rollup) {
    std::fprintf(stderr, "summing up %.*s\n", static_cast<int>(rollup.size()), rollup.data());
  });
  std::printf("stored %lld votes\n", static_cast<long long>(site.votes));
  return 0;
}

}  // namespace admin
