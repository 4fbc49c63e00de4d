#include "imports/plugin.h"

namespace imports::rest_likes {
namespace {

// The plugin stores only likes and shows the number of likes.
tl::expected<TotalMeaning, Reason> read(const PluginTotal& total, const PluginContext&) {
  const auto likes = php_integer(total.votes);
  if (!likes) return because(kNoNumber);
  if (*likes < 0 || *likes > static_cast<double>(kMaxVotes)) return because(kNoSums);
  return TotalMeaning{model::Category::binary, {static_cast<std::int64_t>(*likes), *likes}};
}

constexpr PluginTable kTables[] = {{"postmeta"}, {"commentmeta"}};

constexpr TotalQuery kTotals[] = {
    {.table = "postmeta", .object_type = "'post'", .votes = "_rest_likes", .read = read},
    {.table = "commentmeta", .object_type = "'comment'", .votes = "_rest_likes", .read = read}};

}  // namespace

constexpr Plugin kPlugin{.name = "rest-likes",
                         .title = "REST Likes",
                         .options = "rest\\_likes\\_%",
                         .folder = "rest-likes",
                         .tables = kTables,
                         .votes = {},
                         .totals = kTotals,
                         .skipped_rows = {}};

}  // namespace imports::rest_likes
