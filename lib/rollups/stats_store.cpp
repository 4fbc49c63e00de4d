#include "rollups/stats_store.h"

#include <algorithm>

#include "rollups/stats_record.h"

namespace rollups {
namespace {

using model::Object;
using model::Stats;
using Ticket = StatsCache::Ticket;

constexpr std::string_view kPost = "post";

// Stands for an id alone.
Object without_type(std::uint64_t object_id) { return {object_id, ""}; }

bool has_ratings(const Stats& stats) {
  return std::any_of(stats.begin(), stats.end(),
                     [](const model::Totals& totals) { return totals.total() > 0; });
}

}  // namespace

StatsStore::StatsStore(const std::string& table_prefix, StatsCache& cache, base::Metrics* metrics)
    : cache_(cache), metrics_(metrics), rollups_(table_prefix), wp_(table_prefix) {}

std::vector<Stats> StatsStore::read(db::Pool& sessions, std::span<const Object> objects,
                                    base::Time now) const {
  std::vector<Stats> stats(objects.size());
  std::vector<Object> missing;
  std::vector<std::size_t> places;  // of what is missing
  std::vector<Ticket> tickets;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    Ticket ticket;
    if (const auto record = cache_.find(objects[i], now, ticket)) {
      stats[i] = stats_in(*record);
    } else {
      missing.push_back(objects[i]);
      places.push_back(i);
      tickets.push_back(ticket);
    }
  }
  count_lookups(objects.size() - missing.size(), missing.size());
  if (missing.empty()) return stats;
  const auto found = sessions.with_session(
      [&](db::Connection& connection) { return rollups_.read(connection, missing); });
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const VersionedStats& counted = found.at(missing[i]);
    cache_.fill(missing[i], record_of(counted), tickets[i]);
    stats[places[i]] = counted.stats;
  }
  return stats;
}

void StatsStore::count_lookups(std::size_t hits, std::size_t misses) const {
  if (metrics_ == nullptr) return;
  if (hits > 0) metrics_->add(base::Count::cache_hit, hits);
  if (misses > 0) metrics_->add(base::Count::cache_miss, misses);
}

std::map<Object, Stats> StatsStore::read_committed(db::Connection& connection,
                                                   std::span<const Object> objects,
                                                   base::Time now) const {
  std::vector<Ticket> tickets;
  tickets.reserve(objects.size());
  for (const Object& object : objects) {
    // What an id alone means may have changed.
    if (object.type != kPost) cache_.invalidate(without_type(object.id));
    tickets.push_back(cache_.look(object, now));
  }
  const auto found = rollups_.read(connection, objects);
  std::map<Object, Stats> stats;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const VersionedStats& counted = found.at(objects[i]);
    cache_.fill(objects[i], record_of(counted), tickets[i]);
    stats[objects[i]] = counted.stats;
  }
  return stats;
}

Object StatsStore::meant_by(db::Pool& sessions, std::uint64_t object_id, base::Time now,
                            Stats& stats) const {
  Object object{object_id, std::string(kPost)};
  stats = read(sessions, {&object, 1}, now).front();
  if (has_ratings(stats)) return object;
  std::string type = type_without_ratings_of_post(sessions, object_id, now);
  if (type == kPost) return object;
  object.type = std::move(type);
  stats = read(sessions, {&object, 1}, now).front();
  return object;
}

// The type that is meant by "object_id" if no post with this id has ratings.
std::string StatsStore::type_without_ratings_of_post(db::Pool& sessions, std::uint64_t object_id,
                                                     base::Time now) const {
  Ticket ticket;
  const Object key = without_type(object_id);
  if (const auto record = cache_.find(key, now, ticket)) return type_in(*record);
  std::string type = sessions.with_session([&](db::Connection& connection) {
    const auto other = rollups_.only_other_type(connection, object_id);
    return other && !wp_.has_post(connection, object_id) ? *other : std::string(kPost);
  });
  cache_.fill(key, record_of(type), ticket);
  return type;
}

void StatsStore::invalidate(std::span<const Object> objects) const {
  for (const Object& object : objects) {
    if (object.type != kPost) cache_.invalidate(without_type(object.id));
    cache_.invalidate(object);
  }
}

void StatsStore::invalidate_all() const { cache_.clear(); }

}  // namespace rollups
