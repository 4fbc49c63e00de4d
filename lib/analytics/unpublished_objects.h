#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "base/mutex.h"
#include "base/stopwatch.h"
#include "db/connection.h"
#include "model/object_set.h"
#include "wordpress/content.h"

namespace analytics {

// DESIGN. Lists leave out what the CMS has not published, and how many objects a list has is known
// only when all of them are. They are looked up for all lists at once, whatever category, type or
// period is asked for, and kept in the process in proportion to what the look-up costs: what is
// read in a moment is read anew for each list, and a look-up of seconds counts for a minute, so
// that look-ups never take more than a twentieth of the time of one session. While one requester
// looks them up again, the others go on with what is known. More than kMaxKept are not kept.
//
// Safe for concurrent use, each caller with its own connection.
class UnpublishedObjects {
 public:
  struct Bounds {
    std::chrono::milliseconds cheap{20};  // below it, a look-up is not kept
    int costs_kept = 20;                  // how many times its cost it is kept
    std::chrono::milliseconds longest_kept{60'000};
  };
  static constexpr std::size_t kMaxKept = 1'000'000;  // 8 MB

  // "objects" must outlive it.
  UnpublishedObjects(const wordpress::Content& objects, const Bounds& bounds)
      : objects_(objects), bounds_(bounds) {}

  // As Content::rated_unpublished(), or as that was a moment ago. Nothing if it takes longer than
  // "patience", or took longer a minute or two ago. Errors: as db::Connection.
  [[nodiscard]] std::shared_ptr<const model::ObjectSet> find(
      db::Connection& connection, std::chrono::milliseconds patience) const;

 private:
  struct Recent {
    std::shared_ptr<const model::ObjectSet> objects;
    base::Stopwatch age;
    std::chrono::milliseconds life;
  };
  struct Cost {
    std::chrono::milliseconds cost;
    base::Stopwatch age;
  };
  // One look-up that others may know of; ends with this object.
  class LookUp;

  // What may be used without a look-up.
  [[nodiscard]] std::shared_ptr<const model::ObjectSet> known() const;
  void keep(const std::shared_ptr<const model::ObjectSet>& found,
            std::chrono::milliseconds cost) const;
  [[nodiscard]] bool takes_longer_than(std::chrono::milliseconds patience) const;
  void note_look_ups(int more) const;

  const wordpress::Content& objects_;
  const Bounds bounds_;
  mutable base::Mutex mutex_;
  mutable std::optional<Recent> kept_ GUARDED_BY(mutex_);
  mutable std::optional<Cost> last_ GUARDED_BY(mutex_);  // of look-ups, in time or not
  mutable int look_ups_ GUARDED_BY(mutex_) = 0;          // under way
};

}  // namespace analytics
