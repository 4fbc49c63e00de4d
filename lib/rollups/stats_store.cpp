#include "rollups/stats_store.h"

#include <array>
#include <cassert>
#include <cstring>

#include "base/text.h"
#include "db/bulk_statement.h"
#include "rollups/rollup.h"

namespace rollups {
namespace {

constexpr unsigned kVersionColumn = 6 + model::Totals::kBins;

const std::string& select_totals() {
  static const std::string kText = "SELECT " + totals_rollup().columns() +
                                   " FROM {prefix}ratingd_totals FORCE INDEX (PRIMARY) WHERE ";
  return kText;
}

StatsOf zeros_of(std::span<const model::Object> objects) {
  StatsOf stats;
  for (const model::Object& object : objects) stats[object];
  return stats;
}

void bind_listed_object(db::Statement& statement, const model::Object& object) {
  statement.bind(object.id, object.type);
}

void add_row(const db::Rows& row, StatsOf& stats) {
  const auto category = static_cast<std::size_t>(row.integer(3));
  VersionedStats& counted = stats.at({row.unsigned_integer(1), row.text(2)});
  counted.stats.at(category) = totals_in(row, 4);
  counted.versions.at(category) = row.unsigned_integer(kVersionColumn);
}

}  // namespace

StatsOf read_totals(db::Connection& connection, std::span<const model::Object> objects) {
  StatsOf stats = zeros_of(objects);
  static const std::string kHead = select_totals() + "(object_id, object_type) IN (";
  db::BulkStatement({kHead, "(?,?)", ",", ")"})
      .query(connection, objects, bind_listed_object,
             [&](const db::Rows& row) { add_row(row, stats); });
  return stats;
}

// Each SQL condition combines a list of types with all ids that have these types, because a
// separate condition for each object would be slower.
void add_read_totals(db::Connection& connection, std::span<const model::Object> objects) {
  std::map<std::uint64_t, std::vector<std::string_view>> types_of_id;
  for (const model::Object& object : objects) types_of_id[object.id].push_back(object.type);
  std::map<std::vector<std::string_view>, std::vector<std::uint64_t>> ids_of_types;
  for (auto& [id, types] : types_of_id) ids_of_types[types].push_back(id);
  const auto condition = [](const auto& group) {
    const auto& [types, ids] = group;
    return "(object_type IN " + db::marks(types.size()) + " AND object_id IN " +
           db::marks(ids.size()) + ")";
  };
  db::Statement& statement =
      connection.prepare(select_totals() + base::joined(ids_of_types, " OR ", condition));
  for (const auto& [types, ids] : ids_of_types) {
    for (const std::string_view type : types) statement.bind(type);
    for (const std::uint64_t id : ids) statement.bind(id);
  }
  statement.execute();
}

StatsOf stats_in_rows(db::Rows& rows, std::span<const model::Object> objects) {
  StatsOf stats = zeros_of(objects);
  while (rows.next()) add_row(rows, stats);
  return stats;
}

std::optional<std::string> only_other_type(db::Connection& connection, std::uint64_t object_id,
                                           const model::FacetNames& facets) {
  std::string text =
      "SELECT DISTINCT object_type FROM {prefix}ratingd_totals WHERE object_id = ?"
      " AND object_type <> 'post' AND " +
      std::string(kTotalOfBins) + " > 0";
  if (!facets.empty()) {
    text += " AND (object_type NOT LIKE '_%:%' OR SUBSTRING_INDEX(object_type, ':', -1) NOT IN (?";
    for (std::size_t i = 1; i < facets.size(); ++i) text += ",?";
    text += "))";
  }
  db::Statement& statement = connection.prepare(text + " LIMIT 2");
  statement.bind(object_id);
  for (const std::string& facet : facets) statement.bind(facet);
  db::Rows row = statement.query();
  if (!row.next()) return std::nullopt;
  std::string type = row.text(1);
  if (row.next()) return std::nullopt;
  return type;
}

// --- StatsStore ----------------------------------------------------------------------------------

namespace {

using model::Category;
using model::Object;
using model::Stats;
using runtime::SharedCache;
using Record = SharedCache::Record;
using CasToken = SharedCache::CasToken;

constexpr std::string_view kPost = "post";

// Returns the indexes of the bins in which votes in "category" are counted (model::bin_of()).
std::span<const std::size_t> bins_of(Category category) {
  static constexpr std::array<std::size_t, 2> kBinary = {0, 10};
  static constexpr std::array<std::size_t, 3> kBipolar = {0, 5, 10};
  static constexpr std::array<std::size_t, 11> kScale = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  switch (category) {
    case Category::binary:
      return kBinary;
    case Category::bipolar:
      return kBipolar;
    case Category::scale:
      break;
  }
  return kScale;
}

static_assert(2 + 3 + 11 + 2 * model::kCategories.size() == SharedCache::kWords &&
              model::kCategories.size() == SharedCache::kVersions);

// Returns the cache record that contains an object's totals. For each category, the record contains
// the sum, the time of the last rating in microseconds since 1970, and the number of votes in each
// bin.
Record record_of(const VersionedStats& counted) {
  Record record{counted.versions, {}};
  std::size_t next = 0;
  const auto put = [&](std::int64_t value) {
    record.words[next++] = static_cast<std::uint64_t>(value);
  };
  for (const Category category : model::kCategories) {
    const model::Totals& totals = counted.stats[static_cast<std::size_t>(category)];
    put(totals.sum);
    put(totals.last_rated_at.value_or(base::Time()).time_since_epoch().count());
    for (const std::size_t bin : bins_of(category)) put(totals.bins[bin]);
  }
  return record;
}

model::Stats stats_in(const Record& record) {
  model::Stats stats;
  std::size_t next = 0;
  const auto take = [&] { return static_cast<std::int64_t>(record.words[next++]); };
  for (const Category category : model::kCategories) {
    model::Totals& totals = stats[static_cast<std::size_t>(category)];
    totals.sum = take();
    const base::Time last_rated_at{std::chrono::microseconds(take())};
    for (const std::size_t bin : bins_of(category)) totals.bins[bin] = take();
    if (totals.total() > 0) totals.last_rated_at = last_rated_at;
  }
  return stats;
}

// Returns the cache record that contains the object type for an id. The record contains the length
// and the characters of the object type. The object type must be at most 64 bytes long.
Record record_of(const std::string& type) {
  Record record;
  assert(type.size() <= sizeof record.words - sizeof record.words[0]);
  record.words[0] = type.size();
  std::memcpy(&record.words[1], type.data(), type.size());
  return record;
}

std::string type_in(const Record& record) {
  std::string type(record.words[0], '\0');
  std::memcpy(type.data(), &record.words[1], type.size());
  return type;
}

SharedCache::Key key_of(const Object& object) { return {object.id, object.type}; }

// Returns the key of the cache record that contains the object type for an id.
SharedCache::Key without_type(std::uint64_t object_id) { return {object_id, ""}; }

}  // namespace

StatsStore::StatsStore(SharedCache& cache, runtime::Metrics* metrics)
    : cache_(cache), metrics_(metrics) {}

std::vector<Stats> StatsStore::read(db::Pool& sessions, std::span<const Object> objects) const {
  std::vector<Stats> stats(objects.size());
  std::vector<Object> missing;
  std::vector<std::size_t> positions;  // for the missing objects
  std::vector<CasToken> tokens;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    CasToken token;
    if (const auto record = cache_.find(key_of(objects[i]), token)) {
      stats[i] = stats_in(*record);
    } else {
      missing.push_back(objects[i]);
      positions.push_back(i);
      tokens.push_back(token);
    }
  }
  count_lookups(objects.size() - missing.size(), missing.size());
  if (missing.empty()) return stats;
  std::uint64_t server = 0;
  const auto found = sessions.with_session([&](db::Connection& connection) {
    server = connection.server_hash();
    return read_totals(connection, missing);
  });
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const VersionedStats& counted = found.at(missing[i]);
    cache_.fill(key_of(missing[i]), record_of(counted), tokens[i], server);
    stats[positions[i]] = counted.stats;
  }
  return stats;
}

std::optional<std::vector<Stats>> StatsStore::remembered(std::span<const Object> objects) const {
  std::vector<Stats> stats;
  for (const Object& object : objects) {
    const auto record = cache_.find_expired(key_of(object));
    if (!record) return std::nullopt;
    stats.push_back(stats_in(*record));
  }
  return stats;
}

void StatsStore::count_lookups(std::size_t hits, std::size_t misses) const {
  if (metrics_ == nullptr) return;
  if (hits > 0) metrics_->add(runtime::Count::stats_cache_hit, hits);
  if (misses > 0) metrics_->add(runtime::Count::stats_cache_miss, misses);
}

StatsStore::CasTokens StatsStore::begin_publishing(std::span<const Object> objects) const {
  CasTokens tokens;
  for (const Object& object : objects) tokens.emplace(object, cache_.begin_fill(key_of(object)));
  return tokens;
}

void StatsStore::publish(const StatsOf& totals, const CasTokens& tokens,
                         std::uint64_t server) const {
  for (const auto& [object, counted] : totals) {
    // Remove the object type that is cached for this id, because it may be outdated.
    if (object.type != kPost) cache_.invalidate(without_type(object.id));
    cache_.fill(key_of(object), record_of(counted), tokens.at(object), server);
  }
}

std::string StatsStore::type_of_id(std::uint64_t object_id,
                                   const std::function<std::string()>& find) const {
  CasToken token;
  const SharedCache::Key key = without_type(object_id);
  if (const auto record = cache_.find(key, token)) return type_in(*record);
  std::string type = find();
  cache_.fill(key, record_of(type), token);
  return type;
}

void StatsStore::invalidate(std::span<const Object> objects) const {
  for (const Object& object : objects) {
    if (object.type != kPost) cache_.invalidate(without_type(object.id));
    cache_.invalidate(key_of(object));
  }
}

}  // namespace rollups
