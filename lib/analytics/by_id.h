#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace analytics {

// A hash table that maps the ids of objects or users to values. Its entries are in the order in
// which the ids were added. Used by one thread.
template <typename Value>
class ById {
 public:
  using Entry = std::pair<std::uint64_t, Value>;

  // Returns the value for the id. A new id gets the value zero. Valid as long as this object.
  Value& operator[](std::uint64_t id) { return at(place_of(id)); }

  // Returns the position of the id among the entries. A new id is added at the end.
  std::size_t place_of(std::uint64_t id) {
    if (2 * entries_.size() >= slots_.size()) grow();
    std::uint32_t& slot = slots_[slot_of(id)];
    if (slot == kFree) {
      slot = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back(id, Value());
    }
    return slot;
  }
  Value& at(std::size_t place) { return entries_[place].second; }

  // Returns the value for the id, or nullptr if there is none.
  [[nodiscard]] const Value* find(std::uint64_t id) const {
    if (slots_.empty()) return nullptr;
    const std::uint32_t slot = slots_[slot_of(id)];
    return slot == kFree ? nullptr : &entries_[slot].second;
  }

  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};
  static constexpr unsigned kFirstBits = 4;

  // Returns the slot that contains the id, or the free slot for it. The search begins at the id's
  // hash (Knuth's multiplicative hash).
  [[nodiscard]] std::size_t slot_of(std::uint64_t id) const {
    std::size_t slot = id * 0x9E3779B97F4A7C15U >> (64 - bits_);
    while (slots_[slot] != kFree && entries_[slots_[slot]].first != id) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }

  void grow() {
    bits_ = slots_.empty() ? kFirstBits : bits_ + 1;
    slots_.assign(std::size_t{1} << bits_, kFree);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      slots_[slot_of(entries_[i].first)] = static_cast<std::uint32_t>(i);
    }
  }

  std::deque<Entry> entries_;         // grows without copying, because there may be many entries
  std::vector<std::uint32_t> slots_;  // places in entries_
  unsigned bits_ = 0;                 // the binary logarithm of the number of slots
};

}  // namespace analytics
