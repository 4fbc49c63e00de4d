#include "transfer/active_days.h"

#include <chrono>
#include <utility>

namespace transfer {
namespace {

constexpr std::size_t kBytesOfEntry = 96;  // an estimate that includes the nodes of the map

std::size_t size_of(const std::vector<std::int32_t>& days) {
  return kBytesOfEntry + days.size() * sizeof days.front();
}

}  // namespace

void ActiveDays::begin(const Mark& now) {
  if (now != mark_) forget();
  mark_ = now;
  noted_.clear();
}

const ActiveDays::Days* ActiveDays::find(model::VoterId voter, base::Day last_day) {
  if (const auto aged = old_.find(voter); aged != old_.end()) {
    Packed days = std::move(aged->second);
    keep(voter, std::move(days));
  }
  const auto found = young_.find(voter);
  if (found == young_.end()) return nullptr;
  found_.clear();
  for (const std::int32_t day : found->second) found_.emplace_back(std::chrono::days(day));
  return !found_.empty() && found_.back() == last_day ? &found_ : nullptr;
}

void ActiveDays::note(model::VoterId voter, const Days& days) {
  Packed& packed = noted_[voter];
  packed.clear();
  packed.reserve(days.size());
  for (const base::Day day : days) {
    packed.push_back(static_cast<std::int32_t>(day.time_since_epoch().count()));
  }
}

void ActiveDays::commit() {
  for (auto& [voter, days] : noted_) keep(voter, std::move(days));
  noted_.clear();
  ++mark_.changes;
}

void ActiveDays::forget() {
  mark_ = {};
  young_.clear();
  old_.clear();
  noted_.clear();
  young_bytes_ = 0;
}

void ActiveDays::keep(model::VoterId voter, Packed days) {
  if (const auto earlier = young_.find(voter); earlier != young_.end()) {
    young_bytes_ -= size_of(earlier->second);
    young_.erase(earlier);
  }
  if (young_bytes_ + size_of(days) > max_bytes_ / 2) {
    old_ = std::move(young_);
    young_.clear();
    young_bytes_ = 0;
  }
  old_.erase(voter);
  young_bytes_ += size_of(days);
  young_.emplace(voter, std::move(days));
}

}  // namespace transfer
