#include "runtime/workers.h"

#include <unistd.h>

namespace runtime {
namespace {

using std::memory_order_relaxed;

static_assert(static_cast<std::size_t>(Gauge::end) <=
              std::tuple_size_v<decltype(MetricsTable::Slot::gauges)>);

}  // namespace

bool Workers::join() {
  for (unsigned slot = 0; slot < table_.slots.size(); ++slot) {
    if (!memory_.lock_slot(slot)) continue;
    for (auto& gauge : table_.slots[slot].gauges) gauge.store(0, memory_order_relaxed);
    slot_ = slot;
    show(Gauge::process, static_cast<std::uint64_t>(getpid()));
    return true;
  }
  return false;
}

void Workers::show(Gauge gauge, std::uint64_t value) {
  if (!slot_) return;
  table_.slots[*slot_].gauges[static_cast<std::size_t>(gauge)].store(value, memory_order_relaxed);
}

std::vector<Workers::Shown> Workers::all() const {
  std::vector<Shown> shown;
  for (unsigned slot = 0; slot < table_.slots.size(); ++slot) {
    const auto& gauges = table_.slots[slot].gauges;
    const bool was_taken = gauges[0].load(memory_order_relaxed) != 0;
    if (!was_taken || (slot_ != slot && !memory_.is_locked_elsewhere(slot))) continue;
    Shown& one = shown.emplace_back();
    one.slot = slot;
    for (std::size_t i = 0; i < one.gauges.size(); ++i) {
      one.gauges[i] = gauges[i].load(memory_order_relaxed);
    }
  }
  return shown;
}

std::uint64_t sum(const std::vector<Workers::Shown>& workers, Gauge gauge) {
  std::uint64_t sum = 0;
  for (const auto& worker : workers) sum += worker.at(gauge);
  return sum;
}

}  // namespace runtime
