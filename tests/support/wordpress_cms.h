#pragma once

#include "config/cms.h"
#include "support/database.h"
#include "wordpress/wordpress.h"

namespace support {

// Returns an adapter for the WordPress tables in a test's database. Users cannot log in with this
// adapter.
inline const cms::Cms& wordpress_cms() {
  static const config::WordPressSite kSite;
  static const wordpress::WordPress kCms(kSite);
  return kCms;
}

}  // namespace support
