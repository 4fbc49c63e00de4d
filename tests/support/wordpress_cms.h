#pragma once

#include "support/database.h"
#include "wordpress/wordpress.h"

namespace support {

// WordPress as its tables in a test's database say; nobody can log in.
inline const cms::Cms& wordpress_cms() {
  static const config::Config kConfig;
  static const wordpress::WordPress kCms(kConfig);
  return kCms;
}

}  // namespace support
