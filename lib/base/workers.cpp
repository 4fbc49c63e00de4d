#include "base/workers.h"

#include <unistd.h>

namespace base {
namespace {

using std::memory_order_relaxed;

static_assert(static_cast<std::size_t>(Gauge::end) <=
              std::tuple_size_v<decltype(MetricsTable::Seat::gauges)>);

}  // namespace

bool Workers::join() {
  for (unsigned seat = 0; seat < table_.seats.size(); ++seat) {
    if (!memory_.take_place(seat)) continue;
    for (auto& gauge : table_.seats[seat].gauges) gauge.store(0, memory_order_relaxed);
    seat_ = seat;
    show(Gauge::process, static_cast<std::uint64_t>(getpid()));
    return true;
  }
  return false;
}

void Workers::show(Gauge gauge, std::uint64_t value) {
  if (!seat_) return;
  table_.seats[*seat_].gauges[static_cast<std::size_t>(gauge)].store(value, memory_order_relaxed);
}

std::vector<Workers::Shown> Workers::all() const {
  std::vector<Shown> shown;
  for (unsigned seat = 0; seat < table_.seats.size(); ++seat) {
    const auto& gauges = table_.seats[seat].gauges;
    const bool was_taken = gauges[0].load(memory_order_relaxed) != 0;
    if (!was_taken || (seat_ != seat && !memory_.is_taken(seat))) continue;
    Shown& one = shown.emplace_back();
    one.seat = seat;
    for (std::size_t i = 0; i < one.gauges.size(); ++i) {
      one.gauges[i] = gauges[i].load(memory_order_relaxed);
    }
  }
  return shown;
}

}  // namespace base
