#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>

#include "base/clock.h"
#include "base/mutex.h"
#include "cms/content.h"
#include "model/rating.h"

namespace cms {

// DESIGN. The states of objects that were published a moment ago: asking the CMS for each vote
// would take more than 40 % of the votes per second. Others are not kept: what becomes published
// may be rated at once. When there are too many, all are forgotten.
//
// Safe for concurrent use.
class PublishedObjects {
 public:
  static constexpr std::chrono::seconds kLife{60};
  static constexpr std::size_t kMaxObjects = 20'000;

  // The state that was read less than kLife ago.
  [[nodiscard]] std::optional<ObjectState> find(const model::Object& object, base::Time now) const {
    const base::MutexLock lock(mutex_);
    const auto found = objects_.find(object);
    if (found == objects_.end() || found->second.until <= now) return std::nullopt;
    return found->second.state;
  }

  // "state" was read after "now".
  void fill(const model::Object& object, const ObjectState& state, base::Time now) {
    if (state.passed != model::ObjectCheck::published) return;
    const base::MutexLock lock(mutex_);
    if (objects_.size() >= kMaxObjects) objects_.clear();
    objects_.insert_or_assign(object, Entry{state, now + kLife});
  }

 private:
  struct Entry {
    ObjectState state;
    base::Time until;
  };

  mutable base::Mutex mutex_;
  std::map<model::Object, Entry> objects_ GUARDED_BY(mutex_);
};

}  // namespace cms
