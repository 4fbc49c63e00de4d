#include "imports/plugin.h"

namespace imports::ratepress {
namespace {

// RatePress uses the same categories and values as ratingd.
tl::expected<VoteMeaning, Reason> read(const PluginVote& vote, const PluginContext&) {
  const auto category = model::category_named(vote.kind);
  if (!category) return because("the category does not exist");
  if (*category == model::Category::scale) {
    return scale_value(vote.value, model::decimal_of(0), model::decimal_of(1));
  }
  const auto value = model::parse_decimal(vote.value);
  if (!value) return because(kNoNumber);
  const std::int64_t lowest = *category == model::Category::bipolar ? -1 : 0;
  const auto integer = model::to_integer(*value);
  if (!integer || *integer < lowest || *integer > 1) return because(kOutOfRange);
  return VoteMeaning{*category, static_cast<model::Thousandths>(*integer * 1000)};
}

constexpr PluginTable kTables[] = {{"ratepress_ratings"}};

constexpr VoteQuery kVotes[] = {{.table = "ratepress_ratings",
                                 .key = "id",
                                 .object_id = "object_id",
                                 .object_type = "object_type",
                                 .object_table = "CONCAT(object_type, 's')",
                                 .user = "user_id",
                                 .visitor = "COALESCE(NULLIF(cookie_hash, ''), ip)",
                                 .kind = "category",
                                 .value = "CAST(value AS CHAR)",
                                 .rated_at = "UNIX_TIMESTAMP(created_at)",
                                 .from = "{prefix}ratepress_ratings",
                                 .read = read,
                                 .read_time = unix_time,
                                 .is_of_addresses = false}};

}  // namespace

constexpr Plugin kPlugin{.name = "ratepress",
                         .title = "RatePress",
                         .options = "ratepress\\_%",
                         .folder = "ratepress",
                         .tables = kTables,
                         .votes = kVotes,
                         .totals = {},
                         .skipped_rows = {}};

}  // namespace imports::ratepress
