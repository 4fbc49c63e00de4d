#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "base/cache_epoch.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "cms/content.h"
#include "model/rating.h"

namespace cms {

// DESIGN. The states of objects that were published when they were read: asking the CMS for each
// vote would take 40 % of the votes per second. They are valid as long as cached totals are, up to
// a minute (base/cache_epoch.h): a command or a request that deletes ratings ends it, and the
// deletion of an object that lets its ratings be deleted. Others are not kept: what becomes
// published may be rated at once.
//
// Bounded: when there are many, those of before the last kMaxObjects are forgotten.
//
// Safe for concurrent use.
class PublishedObjects {
 public:
  static constexpr std::size_t kMaxObjects = 10'000;

  using Stamp = base::CacheEpoch::Stamp;

  // "epoch" and "ttl" are those of the caches. "clock" must outlive this object.
  PublishedObjects(base::CacheEpoch epoch, base::Uptime ttl, const base::Clock& clock)
      : epoch_(epoch), ttl_(ttl), clock_(clock) {}

  // Before the state of an object is read, for fill().
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
    if (state.passed != model::ObjectCheck::published) return;
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

  const base::CacheEpoch epoch_;
  const base::Uptime ttl_;
  const base::Clock& clock_;
  mutable base::Mutex mutex_;
  Entries newer_ GUARDED_BY(mutex_), older_ GUARDED_BY(mutex_);
};

}  // namespace cms
