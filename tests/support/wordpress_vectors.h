#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "json/codec.h"
#include "support/tests_folder.h"

// Reads results of WordPress's own code from tests/fixtures/wordpress_vectors.json. The results
// were recorded with WordPress 6.1.9, 6.7.7, 6.8.8, 6.9.7, 7.0.4 and 7.1. A case can cover several
// releases. If their results differ, the case lists the releases for each result.
namespace vectors {

inline const json::Value& member(const json::Value& object, std::string_view name) {
  const json::Value* const found = object.find(name);
  if (found == nullptr) throw std::runtime_error("no member " + std::string(name));
  return *found;
}

inline const json::Value& topic(std::string_view name) {
  static const json::Value all = [] {
    return json::parse(support::text_in_tests("fixtures/wordpress_vectors.json")).value();
  }();
  return member(all, name);
}

inline const json::Value::Array& array(const json::Value& value) {
  return std::get<json::Value::Array>(value.data);
}

inline const json::Value::Array& array(const json::Value& object, std::string_view name) {
  return array(member(object, name));
}

inline const std::string& text(const json::Value& object, std::string_view name) {
  return std::get<std::string>(member(object, name).data);
}

inline bool flag(const json::Value& object, std::string_view name) {
  return std::get<bool>(member(object, name).data);
}

inline std::int64_t integer(const json::Value& object, std::string_view name) {
  return std::stoll(std::get<json::Value::Number>(member(object, name).data).text);
}

inline base::Time time(const json::Value& object, std::string_view name) {
  return base::Time(std::chrono::seconds(integer(object, name)));
}

}  // namespace vectors
