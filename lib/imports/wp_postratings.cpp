#include <algorithm>
#include <vector>

#include "imports/plugin.h"
#include "wordpress/php_serialized.h"
#include "wordpress/site_reader.h"

namespace imports::wp_postratings {
namespace {

using model::Category;

// Thumbs-down and thumbs-up votes are stored as -1 and 1, respectively.
bool has_thumbs(const PluginContext& context) { return context.lowest.negative; }

tl::expected<VoteMeaning, Reason> read_vote(const PluginVote& vote, const PluginContext& context) {
  if (!has_thumbs(context)) return scale_value(vote.value, context.lowest, context.highest);
  const auto value = whole_number(vote.value);
  if (!value || *value < -1 || *value > 1) return because(kOutOfRange);
  return VoteMeaning{Category::bipolar, static_cast<model::Thousandths>(*value * 1000)};
}

// Some plugin versions and settings do not log every vote, but the stored totals always include
// every vote.
tl::expected<TotalMeaning, Reason> read_total(const PluginTotal& total,
                                              const PluginContext& context) {
  const auto votes = php_integer(total.votes);
  const auto score = php_integer(total.sum);
  if (!has_thumbs(context)) {
    return scale_figures(votes, score, number(model::to_text(context.highest)).value_or(0));
  }
  auto meaning = scale_figures(votes, score, 1);
  if (meaning) meaning->category = Category::bipolar;
  return meaning;
}

std::optional<model::Decimal> decimal_in(const wordpress::PhpValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) {
    return model::decimal_of(*integer);
  }
  const std::string* text = value.as_string();
  return text == nullptr ? std::nullopt : model::parse_decimal(*text);
}

// Returns the values of the rating's steps, for example 1 to 5 for five stars. Before version 2.0,
// WP-PostRatings stored the step values in a separate option. Since version 2.0, the step values
// have been part of the wp_postratings_options option.
std::vector<model::Decimal> step_values(db::Connection& connection) {
  const auto parsed = [&](const char* name) {
    return wordpress::parse_php_serialized(wordpress::read_option(connection, name).value_or(""));
  };
  auto option = parsed("wp_postratings_options");
  const wordpress::PhpValue* ratings = option ? option->find("ratings") : nullptr;
  const wordpress::PhpValue* values = ratings != nullptr ? ratings->find("value") : nullptr;
  if (values == nullptr) {
    option = parsed("postratings_ratingsvalue");
    values = option ? &*option : nullptr;
  }
  std::vector<model::Decimal> result;
  if (values == nullptr || values->as_array() == nullptr) return result;
  for (const auto& [step, value] : *values->as_array()) {
    if (const auto worth = decimal_in(value)) result.push_back(*worth);
  }
  return result;
}

void read_context(db::Connection& connection, PluginContext& context) {
  context.lowest = model::decimal_of(1);  // five stars, the plugin's default
  const auto values = step_values(connection);
  if (values.empty()) return;
  const auto [lowest, highest] = std::ranges::minmax(values);
  constexpr std::int64_t kMost = 1'000'000;
  const bool is_valid = highest > model::decimal_of(0) && highest <= model::decimal_of(kMost) &&
                        lowest >= model::decimal_of(-kMost);
  if (!is_valid) return;
  context.lowest = lowest;
  context.highest = highest;
}

constexpr PluginTable kTables[] = {{"ratings"}, {"postmeta"}};

constexpr VoteQuery kVotes[] = {{.table = "ratings",
                                 .key = "rating_id",
                                 .object_id = "rating_postid",
                                 .object_type = "'post'",
                                 .object_table = "'posts'",
                                 .user = "rating_userid",
                                 .visitor = "rating_ip",
                                 .value = "rating_rating",
                                 .rated_at = "rating_timestamp",
                                 .from = "{prefix}ratings",
                                 .read = read_vote,
                                 .read_time = site_unix_time}};

constexpr TotalQuery kTotals[] = {{.table = "postmeta",
                                   .object_type = "'post'",
                                   .votes = "ratings_users",
                                   .sum = "ratings_score",
                                   .read = read_total}};

}  // namespace

constexpr Plugin kPlugin{.name = "wp-postratings",
                         .title = "WP-PostRatings",
                         .options = "%postratings\\_%",
                         .folder = "wp-postratings",
                         .tables = kTables,
                         .votes = kVotes,
                         .totals = kTotals,
                         .skipped_rows = {},
                         .read_context = read_context,
                         .shows_sums_only = true};

}  // namespace imports::wp_postratings
