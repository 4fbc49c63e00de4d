#pragma once

#include "api/app.h"

namespace api {

// A change of many ratings. Whatever its outcome, no client gets older totals or own ratings
// afterwards.
class ChangeOfMany {
 public:
  // "app" must outlive this.
  explicit ChangeOfMany(const App& app) : app_(app) {}
  ChangeOfMany(const ChangeOfMany&) = delete;
  ChangeOfMany& operator=(const ChangeOfMany&) = delete;
  ~ChangeOfMany() {
    app_.stats.invalidate_all();
    app_.own_ratings_cache.invalidate_all();
  }

 private:
  const App& app_;
};

}  // namespace api
