#include "analytics/report.h"

#include <iterator>

#include "analytics/range_lists.h"
#include "analytics/rating_sums.h"
#include "model/facets.h"

namespace analytics {
namespace {

// The time limits for a search for the newest ratings. A search in a long scan may take up to
// kLongSearch, and any other search up to kShortSearch. The time limit for looking up unpublished
// objects is kShortSearch.
constexpr std::chrono::milliseconds kShortSearch{100}, kLongSearch{1000};

}  // namespace

bool Report::begin(const ReportQuery& query) {
  calendar = read_calendar(connection(), site.cms);
  today = calendar.zones.day_of(made_at_);
  first_day = analytics::first_day(connection());
  const Period& period = query.period;
  filter = {period.days ? *period.days : days_of(period.name, calendar, today, first_day),
            query.category, query.object_type, period.is_all()};
  const auto& facets = site.settings.facets;
  const bool is_of_facet = query.object_type && model::is_facet(*query.object_type, facets);
  if (query.object_type && !query.type_is_of_object && !is_of_facet) {
    filter.ids = site.cms.posts_of(connection(), *query.object_type);
  }
  if (!period.days && filter.ids.empty()) {
    list_query = {period.name, filter.days, calendar.zone.name()};
  }
  return filter.ids.empty() || begin_long_scan();
}

std::optional<DayRange> Report::past_days(const DayRange& days) const {
  // Include tomorrow, because votes that arrive during the report may already count for tomorrow.
  const DayRange past{days.first, std::min(days.last, today + std::chrono::days(1))};
  if (past.first > past.last) return std::nullopt;
  return past;
}

SearchTime Report::search_time() const {
  return SearchTime(is_long_scan() ? kLongSearch : kShortSearch);
}

std::optional<RecentRatings> Report::newest_ratings(std::span<const TimeSpan> spans,
                                                    const RatingFilter& kind,
                                                    const std::optional<Cursor>& cursor,
                                                    std::int64_t limit, SearchTime& time) {
  auto found = recent_ratings(connection(), spans, kind, cursor, limit, time.left());
  if (!found.rest || is_long_scan()) return found;
  if (!begin_long_scan()) return std::nullopt;
  time = search_time();
  const std::int64_t missing = limit - std::ssize(found.ratings);
  auto more = recent_ratings(connection(), spans, kind, found.rest, missing, time.left());
  std::move(more.ratings.begin(), more.ratings.end(), std::back_inserter(found.ratings));
  found.rest = more.rest;
  return found;
}

std::optional<DayRange> Report::rated_days(const DayRange& days) const {
  auto rated = past_days(days);
  if (!first_day || !rated) return std::nullopt;
  rated->first = std::max(rated->first, *first_day);
  if (rated->first > rated->last) return std::nullopt;
  return rated;
}

SumsByCategory Report::read_sums(RatingFilter kind) const {
  const auto days = rated_days();
  if (!days) return {};
  kind.days = *days;
  return site_sums(connection(), kind);
}

const SumsByCategory& Report::sums_in_period() {
  if (!period_sums_) {
    RatingFilter kind;
    kind.object_type = filter.object_type;
    kind.ids = filter.ids;
    period_sums_ = filter.object_type ? read_sums(std::move(kind)) : sums_of_site();
  }
  return *period_sums_;
}

const SumsByCategory& Report::sums_of_site() {
  if (!site_sums_) site_sums_ = read_sums({});
  return *site_sums_;
}

const SumsByCategory& Report::sums_of_parents() {
  const model::FacetNames& facets = site.settings.facets;
  if (facets.empty()) return sums_of_site();
  if (!parent_sums_) {
    RatingFilter parents;
    parents.without = facets;
    parent_sums_ = read_sums(std::move(parents));
  }
  return *parent_sums_;
}

std::optional<RatingFilter> Report::rated_filter() {
  const auto days = rated_days();
  if (!days) return std::nullopt;
  RatingFilter rated = filter;
  rated.days = *days;
  rated.other_days = (days->first - *first_day).count() + (today - days->last).count() + 1;
  const bool is_in_rollup = filter.object_type && filter.ids.empty();
  if (is_in_rollup && ratings_in_period(*this) == 0) return std::nullopt;
  return rated;
}

std::optional<SumsByTypeAndId> Report::sums_of_objects(const RatingFilter& rated, Signs signs) {
  if (rated.ids.empty()) {
    if (auto found = materialized_sums_of_objects(connection(), calendar.zone.name(), rated)) {
      as_of = std::min(as_of, found->as_of);
      return std::move(found->value);
    }
  }
  return sum_up_objects(connection(), rated, signs, kSumTimeLimit);
}

std::shared_ptr<const model::ObjectSet> hidden_objects(Report& report) {
  const auto find =
      [&](std::chrono::milliseconds limit) -> std::shared_ptr<const model::ObjectSet> {
    const auto omitted =
        report.site.unpublished.find(report.connection(), report.site.settings, limit);
    if (omitted == nullptr) return nullptr;
    return {omitted, report.site.sees_unpublished ? &omitted->internal : &omitted->for_everybody};
  };
  if (!report.is_long_scan()) {
    if (auto found = find(kShortSearch)) return found;
    if (!report.begin_long_scan()) return nullptr;
  }
  return find(kSumTimeLimit);
}

std::int64_t ratings_in_period(Report& report) {
  const SumsByCategory& sums = report.sums_in_period();
  const auto& category = report.filter.category;
  return category ? sums.at(static_cast<std::size_t>(*category)).total : total_of(sums);
}

// --- The titles of objects -----------------------------------------------------------------------

namespace {

// Returns whether everybody may see the object's title. The titles of password-protected posts are
// hidden. WordPress itself shows the titles of password-protected posts in lists, but omits these
// posts from searches.
bool is_for_everybody(const cms::ContentItem& object, const model::Settings& settings) {
  const bool is_rated = cms::names_own_type(settings.enabled_object_types, object.post_type);
  const bool is_public = object.type_access == cms::TypeAccess::everybody;
  return object.is_published && !object.has_password && (is_public || is_rated);
}

bool is_internal(const cms::ContentItem& object, const model::Settings& settings) {
  return object.type_access == cms::TypeAccess::internal &&
         !cms::names_own_type(settings.enabled_object_types, object.post_type);
}

// Returns the CMS's data about "objects". For a facet, the result contains the data about the
// object to which the facet belongs.
std::map<model::Object, cms::ContentItem> describe(db::Connection& connection, const cms::Cms& cms,
                                                   const model::FacetNames& facets,
                                                   const std::vector<model::Object>& objects) {
  if (facets.empty()) return cms.describe(connection, objects);
  std::vector<model::Object> parents;
  parents.reserve(objects.size());
  for (const model::Object& object : objects) parents.push_back(model::parent_of(object, facets));
  const auto known = cms.describe(connection, parents);
  std::map<model::Object, cms::ContentItem> described;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto found = known.find(parents[i]);
    if (found != known.end()) described.emplace(objects[i], found->second);
  }
  return described;
}

}  // namespace

void ObjectTitles::add(db::Connection& connection, const cms::Cms& cms,
                       const model::Settings& settings, bool sees_unpublished,
                       const std::vector<model::Object>& objects) {
  auto known = describe(connection, cms, settings.facets, objects);
  for (const auto& [object, one] : known) {
    const bool is_unpublished = !one.is_published && !sees_unpublished;
    if (is_unpublished || is_internal(one, settings)) hidden_.insert(object);
  }
  if (!sees_unpublished) {
    std::erase_if(known, [&](const auto& one) { return !is_for_everybody(one.second, settings); });
  }
  known_.merge(known);
}

const cms::ContentItem* ObjectTitles::find(const model::Object& object) const {
  const auto known = known_.find(object);
  return known == known_.end() ? nullptr : &known->second;
}

}  // namespace analytics
