#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/rating.h"

namespace model {

// A set of objects that needs only eight bytes per object. A value type.
class ObjectSet {
 public:
  using IdsByType = std::map<std::string, std::vector<std::uint64_t>, std::less<>>;

  ObjectSet() = default;
  // The lists of ids may be unsorted and may contain duplicates.
  explicit ObjectSet(IdsByType ids) : ids_(std::move(ids)) {
    for (auto& [type, of_type] : ids_) {
      std::ranges::sort(of_type);
      of_type.erase(std::unique(of_type.begin(), of_type.end()), of_type.end());
      of_type.shrink_to_fit();
    }
  }
  ObjectSet(std::initializer_list<Object> objects) {
    for (const Object& object : objects) ids_[object.type].push_back(object.id);
    *this = ObjectSet(std::move(ids_));
  }

  [[nodiscard]] bool contains(std::string_view type, std::uint64_t id) const {
    const auto of_type = ids_.find(type);
    return of_type != ids_.end() && std::ranges::binary_search(of_type->second, id);
  }

  [[nodiscard]] std::size_t size() const {
    std::size_t size = 0;
    for (const auto& [type, of_type] : ids_) size += of_type.size();
    return size;
  }

  bool operator==(const ObjectSet&) const = default;

 private:
  IdsByType ids_;
};

}  // namespace model
