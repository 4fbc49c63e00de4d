#include "analytics/unpublished_objects.h"

#include <algorithm>
#include <utility>

namespace analytics {

class UnpublishedObjects::Lookup {
 public:
  explicit Lookup(const UnpublishedObjects& owner) : owner_(owner) { owner_.add_lookups(1); }
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;
  ~Lookup() { owner_.add_lookups(-1); }

 private:
  const UnpublishedObjects& owner_;
};

std::shared_ptr<const cms::OmittedObjects> UnpublishedObjects::find(
    db::Connection& connection, const model::Settings& settings,
    std::chrono::milliseconds time_limit) const {
  if (auto objects = cached()) return objects;
  if (takes_longer_than(time_limit)) return nullptr;
  const Lookup lookup(*this);
  const base::Stopwatch stopwatch;
  auto read = cms_.rated_and_omitted(connection, settings.facets, settings.enabled_object_types,
                                     time_limit);
  auto found = read ? std::make_shared<const cms::OmittedObjects>(*std::move(read)) : nullptr;
  fill(found, stopwatch.elapsed());
  return found;
}

std::shared_ptr<const cms::OmittedObjects> UnpublishedObjects::cached() const {
  const base::MutexLock lock(mutex_);
  if (!cached_) return nullptr;
  const bool is_fresh = cached_->age.elapsed() < cached_->life;
  const bool is_being_replaced = lookups_ > 0 && cached_->age.elapsed() < 2 * bounds_.max_age;
  return is_fresh || is_being_replaced ? cached_->objects : nullptr;
}

bool UnpublishedObjects::takes_longer_than(std::chrono::milliseconds time_limit) const {
  const base::MutexLock lock(mutex_);
  return last_ && last_->cost >= time_limit && last_->age.elapsed() < 2 * bounds_.max_age;
}

void UnpublishedObjects::fill(const std::shared_ptr<const cms::OmittedObjects>& found,
                              std::chrono::milliseconds cost) const {
  const base::MutexLock lock(mutex_);
  last_ = Cost{cost, {}};
  cached_.reset();
  if (found == nullptr) return;
  if (cost < bounds_.min_cost || found->for_everybody.size() > kMaxCached) return;
  cached_ = Recent{found, {}, std::min(bounds_.age_per_cost * cost, bounds_.max_age)};
}

void UnpublishedObjects::add_lookups(int more) const {
  const base::MutexLock lock(mutex_);
  lookups_ += more;
}

}  // namespace analytics
