#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "cms/cms.h"
#include "model/rating.h"
#include "runtime/shared_cache.h"

namespace cms {

// DESIGN. A cache of the states of published objects. Without the cache, each vote reads the CMS's
// tables, so a site handles 40% fewer votes per second. Like cached totals, an entry expires after
// at most a minute, and all entries expire when ratings are deleted (runtime/shared_cache.h).
// Unpublished objects are not cached, so objects can be rated as soon as they are published.
//
// The cache contains at most 2 * kMaxObjects entries. A full cache discards the older half of its
// entries.
//
// Safe for concurrent use.
class PublishedObjects {
 public:
  static constexpr std::size_t kMaxObjects = 10'000;

  using Stamp = runtime::CacheEpoch::Stamp;

  // "epoch" and "ttl" must have the same values as in the caches for totals and for voters' own
  // ratings. "clock" must outlive this object.
  PublishedObjects(runtime::CacheEpoch epoch, base::Uptime ttl, const base::Clock& clock)
      : epoch_(epoch), ttl_(ttl), clock_(clock) {}

  // Returns the value for the "stamp" parameter of fill(). Call stamp() before the object's state
  // is read from the CMS.
  [[nodiscard]] Stamp stamp() const { return epoch_.stamp(clock_.uptime()); }

  [[nodiscard]] std::optional<ObjectState> find(const model::Object& object) const {
    const base::MutexLock lock(mutex_);
    for (const Entries* entries : {&newer_, &older_}) {
      const auto found = entries->find(object);
      if (found == entries->end()) continue;
      if (!epoch_.is_valid(found->second.stamp, clock_.uptime(), ttl_)) return std::nullopt;
      return found->second.state;
    }
    return std::nullopt;
  }

  void fill(const model::Object& object, ObjectState state, Stamp stamp) {
    if (state.passed_check != model::ObjectCheck::published) return;
    const base::MutexLock lock(mutex_);
    if (newer_.size() >= kMaxObjects && !newer_.contains(object)) {
      older_ = std::exchange(newer_, {});
    }
    newer_.insert_or_assign(object, Entry{std::move(state), stamp});
  }

 private:
  struct Entry {
    ObjectState state;
    Stamp stamp;
  };
  using Entries = std::map<model::Object, Entry>;

  const runtime::CacheEpoch epoch_;
  const base::Uptime ttl_;
  const base::Clock& clock_;
  mutable base::Mutex mutex_;
  Entries newer_ GUARDED_BY(mutex_), older_ GUARDED_BY(mutex_);
};

}  // namespace cms
