#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/mutex.h"
#include "cms/cms.h"
#include "db/connection.h"
#include "model/object_set.h"

namespace analytics {

// DESIGN. Lists omit objects that the CMS has not published, and internal objects such as menus.
// The length of a list is known only if all omitted objects are known. Therefore, the process looks
// up all omitted objects at once and caches the set for lists of any category, type and period. The
// longer the lookup takes, the longer the set stays in the cache, but at most for a minute. For
// example, the result of a lookup that takes one second is cached for 20 seconds. A lookup that
// takes a few milliseconds is not cached. While one request refreshes the cache, the other requests
// use the cached set until it is two minutes old. Sets larger than kMaxCached are not cached.
//
// Safe for concurrent use if each caller has its own connection.
class UnpublishedObjects {
 public:
  struct Bounds {
    std::chrono::milliseconds min_cost{20};  // faster lookups are not cached
    int age_per_cost = 20;                   // the lifetime of an entry is this many times its cost
    std::chrono::milliseconds max_age{60'000};
  };
  static constexpr std::size_t kMaxCached = 1'000'000;  // 8 MB

  // "cms" must outlive this object.
  UnpublishedObjects(const cms::Cms& cms, const Bounds& bounds) : cms_(cms), bounds_(bounds) {}

  // Returns the result of cms::Cms::rated_and_omitted(), possibly from the cache. Returns nothing
  // if the lookup exceeds "time_limit", or if the last lookup exceeded this limit and was less than
  // two minutes ago. Throws the same exceptions as db::Connection.
  [[nodiscard]] std::shared_ptr<const cms::OmittedObjects> find(
      db::Connection& connection, const model::Settings& settings,
      std::chrono::milliseconds time_limit) const;

 private:
  struct Recent {
    std::shared_ptr<const cms::OmittedObjects> objects;
    base::Stopwatch age;
    std::chrono::milliseconds life;
  };
  struct Cost {
    std::chrono::milliseconds cost;
    base::Stopwatch age;
  };
  // Represents a lookup in progress. The lookup ends when the Lookup object is destroyed.
  class Lookup;

  // Returns the cached set of omitted objects, or nullptr if a new lookup is needed.
  [[nodiscard]] std::shared_ptr<const cms::OmittedObjects> cached() const;
  void fill(const std::shared_ptr<const cms::OmittedObjects>& found,
            std::chrono::milliseconds cost) const;
  [[nodiscard]] bool takes_longer_than(std::chrono::milliseconds time_limit) const;
  void add_lookups(int more) const;

  const cms::Cms& cms_;
  const Bounds bounds_;
  mutable base::Mutex mutex_;
  mutable std::optional<Recent> cached_ GUARDED_BY(mutex_);
  mutable std::optional<Cost> last_
      GUARDED_BY(mutex_);  // the duration of the last lookup, even if it timed out
  mutable int lookups_ GUARDED_BY(mutex_) = 0;  // the number of lookups in progress
};

}  // namespace analytics
