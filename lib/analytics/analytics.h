#pragma once

#include <string>

#include "analytics/calendar.h"
#include "analytics/materialized_lists.h"
#include "analytics/materialized_users.h"
#include "analytics/object_analytics.h"
#include "analytics/rating_lists.h"
#include "analytics/site_analytics.h"
#include "analytics/unpublished_objects.h"
#include "analytics/user_analytics.h"
#include "cms/cms.h"
#include "rollups/totals_reader.h"

namespace analytics {

// Everything that analytics queries need. Safe for concurrent use, each caller with its own
// connection.
struct Analytics {
  Analytics(const Analytics&) = delete;
  Analytics& operator=(const Analytics&) = delete;
  // "cms" must outlive it.
  Analytics(const std::string& table_prefix, const cms::Cms& cms)
      : calendar(table_prefix),
        site(table_prefix),
        objects(table_prefix),
        ratings(table_prefix),
        users(table_prefix),
        lists(table_prefix),
        materialized_users(table_prefix),
        totals(table_prefix),
        unpublished(cms, {}) {}

  const CalendarStore calendar;
  const SiteAnalytics site;
  const ObjectAnalytics objects;
  const RatingLists ratings;
  const UserAnalytics users;
  const MaterializedLists lists;
  const MaterializedUsers materialized_users;
  const rollups::TotalsReader totals;
  const UnpublishedObjects unpublished;
};

}  // namespace analytics
