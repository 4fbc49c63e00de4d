#include "analytics/unpublished_objects.h"

#include <algorithm>
#include <utility>

namespace analytics {

class UnpublishedObjects::LookUp {
 public:
  explicit LookUp(const UnpublishedObjects& owner) : owner_(owner) { owner_.note_look_ups(1); }
  LookUp(const LookUp&) = delete;
  LookUp& operator=(const LookUp&) = delete;
  ~LookUp() { owner_.note_look_ups(-1); }

 private:
  const UnpublishedObjects& owner_;
};

std::shared_ptr<const model::ObjectSet> UnpublishedObjects::find(
    db::Connection& connection, std::chrono::milliseconds patience) const {
  if (auto objects = known()) return objects;
  if (takes_longer_than(patience)) return nullptr;
  const LookUp look_up(*this);
  const base::Stopwatch stopwatch;
  auto read = objects_.rated_unpublished(connection, patience);
  const auto found = read ? std::make_shared<const model::ObjectSet>(*std::move(read)) : nullptr;
  keep(found, stopwatch.elapsed());
  return found;
}

std::shared_ptr<const model::ObjectSet> UnpublishedObjects::known() const {
  const base::MutexLock lock(mutex_);
  if (!kept_) return nullptr;
  const bool is_fresh = kept_->age.elapsed() < kept_->life;
  const bool is_being_replaced = look_ups_ > 0 && kept_->age.elapsed() < 2 * bounds_.longest_kept;
  return is_fresh || is_being_replaced ? kept_->objects : nullptr;
}

bool UnpublishedObjects::takes_longer_than(std::chrono::milliseconds patience) const {
  const base::MutexLock lock(mutex_);
  return last_ && last_->cost >= patience && last_->age.elapsed() < 2 * bounds_.longest_kept;
}

void UnpublishedObjects::keep(const std::shared_ptr<const model::ObjectSet>& found,
                              std::chrono::milliseconds cost) const {
  const base::MutexLock lock(mutex_);
  last_ = Cost{cost, {}};
  kept_.reset();
  if (found == nullptr) return;
  if (cost < bounds_.cheap || found->size() > kMaxKept) return;
  kept_ = Recent{found, {}, std::min(bounds_.costs_kept * cost, bounds_.longest_kept)};
}

void UnpublishedObjects::note_look_ups(int more) const {
  const base::MutexLock lock(mutex_);
  look_ups_ += more;
}

}  // namespace analytics
