#pragma once

#include "config/cms.h"
#include "support/database.h"
#include "wordpress/wordpress.h"

namespace support {

// WordPress as described by the tables in a test's database. Nobody can log in.
inline const cms::Cms& wordpress_cms() {
  static const config::WordPressSite kSite;
  static const wordpress::WordPress kCms(kSite);
  return kCms;
}

}  // namespace support
