#pragma once

#include <chrono>

namespace model {

// What the site's owner decides; the values here are the defaults.
struct Settings {
  int scale_maximum = 1;                  // 1 ... 1000
  std::chrono::hours address_window{24};  // how long a fingerprint is kept
  std::chrono::days voter_cookie_life{365};

  bool operator==(const Settings&) const = default;
};

}  // namespace model
