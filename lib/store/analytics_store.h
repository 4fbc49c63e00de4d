#pragma once

#include <string>

#include "config/config.h"
#include "store/calendar.h"
#include "store/kept_lists.h"
#include "store/object_analytics.h"
#include "store/rating_lists.h"
#include "store/site_analytics.h"
#include "store/user_analytics.h"
#include "store/wp_objects.h"
#include "store/wp_users.h"

namespace store {

// All that answers about many ratings are made from. Safe for concurrent use, each caller with its
// own connection.
struct AnalyticsStore {
  explicit AnalyticsStore(const config::Config& config)
      : calendar(config.table_prefix),
        site(config.table_prefix),
        objects(config.table_prefix),
        ratings(config.table_prefix),
        users(config.table_prefix),
        kept(config.table_prefix),
        wp_objects(config.table_prefix, config.home),
        wp_users(config) {}

  const CalendarStore calendar;
  const SiteAnalytics site;
  const ObjectAnalytics objects;
  const RatingLists ratings;
  const UserAnalytics users;
  const KeptLists kept;
  const WpObjects wp_objects;
  const WpUsers wp_users;
};

}  // namespace store
