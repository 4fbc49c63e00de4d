#pragma once

#include <string>

#include "analytics/calendar.h"
#include "analytics/materialized_lists.h"
#include "analytics/object_analytics.h"
#include "analytics/rating_lists.h"
#include "analytics/site_analytics.h"
#include "analytics/unpublished_objects.h"
#include "analytics/user_analytics.h"
#include "config/config.h"
#include "rollups/totals_reader.h"
#include "wordpress/content.h"
#include "wordpress/users.h"

namespace analytics {

// Everything that analytics queries need. Safe for concurrent use, each caller with its own
// connection.
struct Analytics {
  Analytics(const Analytics&) = delete;
  Analytics& operator=(const Analytics&) = delete;
  explicit Analytics(const config::Config& config)
      : calendar(config.table_prefix),
        site(config.table_prefix),
        objects(config.table_prefix),
        ratings(config.table_prefix),
        users(config.table_prefix),
        lists(config.table_prefix),
        totals(config.table_prefix),
        cms_content(config.table_prefix, config.home),
        unpublished(cms_content, {}),
        cms_users(config) {}

  const CalendarStore calendar;
  const SiteAnalytics site;
  const ObjectAnalytics objects;
  const RatingLists ratings;
  const UserAnalytics users;
  const MaterializedLists lists;
  const rollups::TotalsReader totals;
  const wordpress::Content cms_content;
  const UnpublishedObjects unpublished;
  const wordpress::Users cms_users;
};

}  // namespace analytics
