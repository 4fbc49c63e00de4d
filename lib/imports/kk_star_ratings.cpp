#include "imports/plugin.h"
#include "wordpress/site_reader.h"

namespace imports::kk_star_ratings {
namespace {

tl::expected<TotalMeaning, Reason> read(const PluginTotal& total, const PluginFacts& facts) {
  const auto votes = whole_number(total.votes);
  const auto sum = number(total.sum);
  if (!votes || !sum) return because(kNoNumber);
  if (*votes == 0) return TotalMeaning{};
  return scale_sums(*votes, *sum, number(model::to_text(facts.highest)).value_or(0));
}

// Ratings are stored on a scale of five stars, whatever the site shows; version 2 stores them on
// the scale of the site.
void read_facts(db::Connection& connection, PluginFacts& facts) {
  if (!wordpress::read_option(connection, "kksr_ver").value_or("").starts_with("2.")) return;
  const auto stars = whole_number(wordpress::read_option(connection, "kksr_stars").value_or(""));
  if (stars && *stars > 0) facts.highest = model::decimal_of(*stars);
}

constexpr PluginTable kTables[] = {{"postmeta"}};

// Version 5 has its own keys, and writes the older keys, too.
constexpr TotalQuery kTotals[] = {
    {.table = "postmeta",
     .object_type = "post",
     .select =
         "SELECT p.ID, MAX(p.post_date_gmt),"
         " COALESCE(MAX(CASE m.meta_key WHEN '_kksr_count_default' THEN LEFT(m.meta_value, 33) "
         "END),"
         " MAX(CASE m.meta_key WHEN '_kksr_casts' THEN LEFT(m.meta_value, 33) END)),"
         " COALESCE(MAX(CASE m.meta_key WHEN '_kksr_ratings_default' THEN LEFT(m.meta_value, 33) "
         "END),"
         " MAX(CASE m.meta_key WHEN '_kksr_ratings' THEN LEFT(m.meta_value, 33) END)), 0, 0"
         " FROM {prefix}posts AS p STRAIGHT_JOIN {prefix}postmeta AS m ON m.post_id = p.ID"
         " WHERE m.meta_key IN ('_kksr_count_default', '_kksr_casts', '_kksr_ratings_default',"
         " '_kksr_ratings') AND p.ID",
     .group = "GROUP BY p.ID ORDER BY p.ID",
     .read = read}};

constexpr Leftover kLeftovers[] = {
    {"postmeta",
     "SELECT COUNT(*) FROM {prefix}postmeta WHERE meta_key LIKE '\\_kksr\\_count\\_%'"
     " AND meta_key <> '_kksr_count_default'",
     Reason("it is a second rating of the same post, under a name (slug) of its own")}};

}  // namespace

constexpr Plugin kPlugin{.name = "kk-star-ratings",
                         .title = "kk Star Ratings",
                         .options = "kksr\\_%",
                         .folder = "kk-star-ratings",
                         .tables = kTables,
                         .votes = {},
                         .totals = kTotals,
                         .leftovers = kLeftovers,
                         .read_facts = read_facts};

}  // namespace imports::kk_star_ratings
