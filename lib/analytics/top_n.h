#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace analytics {

// Selects the items in a stream that come first in an order, at most "size" items. An object of the
// type "Before" returns whether its first argument comes before its second argument. Used by one
// thread.
template <typename Item, typename Before>
class TopN {
 public:
  TopN(std::size_t size, Before before) : size_(size), before_(std::move(before)) {}

  void add(const Item& item) {
    if (items_.size() == size_) {
      if (!before_(item, items_.front())) return;
      std::pop_heap(items_.begin(), items_.end(), before_);
      items_.pop_back();
    }
    items_.push_back(item);
    std::push_heap(items_.begin(), items_.end(), before_);  // the last item is at the front
  }

  [[nodiscard]] std::vector<Item> sorted() const {
    std::vector<Item> items = items_;
    std::sort_heap(items.begin(), items.end(), before_);
    return items;
  }

 private:
  std::size_t size_;
  Before before_;
  std::vector<Item> items_;
};

}  // namespace analytics
