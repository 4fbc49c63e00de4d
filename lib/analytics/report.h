#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analytics/calendar.h"
#include "analytics/materialized_lists.h"
#include "analytics/rating_filter.h"
#include "analytics/rating_lists.h"
#include "analytics/unpublished_objects.h"
#include "base/clock.h"
#include "cms/cms.h"
#include "db/connection.h"
#include "model/rating.h"
#include "model/settings.h"

namespace analytics {

// A period whose days have not been computed yet.
struct Period {
  using Name = NamedPeriod;
  Name name = Name::days_30;
  std::optional<DayRange> days = {};  // if set, takes precedence over the name

  [[nodiscard]] bool is_all() const { return !days && name == Name::all; }
};

// Selects the ratings for a report.
struct ReportQuery {
  Period period = {};
  std::optional<model::Category> category = {};
  std::optional<std::string> object_type = {};
  bool type_is_of_object = false;  // "object_type" names one object and is not a filter
};

// The total time limit for all searches in one report.
class SearchTime {
 public:
  explicit SearchTime(std::chrono::milliseconds limit) : limit_(limit) {}
  [[nodiscard]] std::chrono::milliseconds left() const {
    return std::max(limit_ - stopwatch_.elapsed(), std::chrono::milliseconds(0));
  }

 private:
  std::chrono::milliseconds limit_;
  base::Stopwatch stopwatch_;
};

// DESIGN. Most reports need only materialized lists, rollups for the whole site and short searches.
// Some reports need a long scan of very many votes. Reports for days without materialized lists may
// need a long scan of the sums of all objects or users. The caller derives a class from Report and
// overrides two functions. The function begin_long_scan() either permits or refuses a long scan.
// The function connection() provides the database session. If a short search shows that a report
// needs a long scan, the long scan continues where the short search stopped.
//
// Not safe for concurrent use. All functions throw TakesTooLong if the report exceeds its time
// limit, in addition to the exceptions of db::Connection.
class Report {
 public:
  // The site, and the permissions of the report's reader. The referenced objects must outlive the
  // report.
  struct Site {
    const cms::Cms& cms;
    const UnpublishedObjects& unpublished;
    const model::Settings& settings;
    bool sees_unpublished = false;
  };

  // "at" is the time of the report.
  Report(const Site& of, base::Time at) : site(of), as_of(at), made_at_(at) {}
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  virtual ~Report() = default;

  // Returns a session, which is valid until begin_long_scan() is called.
  [[nodiscard]] virtual db::Connection& connection() const = 0;
  // Begins a long scan, unless a long scan has already begun. Returns false if the long scan is
  // refused.
  [[nodiscard]] virtual bool begin_long_scan() = 0;
  [[nodiscard]] virtual bool is_long_scan() const = 0;

  // Reads the calendar and sets the filter. Returns false if the report needs a long scan, but
  // begin_long_scan() has refused it. Must be called before any of the functions below.
  [[nodiscard]] bool begin(const ReportQuery& query);

  const Site site;
  Calendar calendar = {};
  base::Day today = {};
  std::optional<base::Day> first_day = {};  // the first day with ratings
  RatingFilter filter = {};
  // Selects the materialized lists for the report, or is empty if the report is not for a named
  // period.
  std::optional<ListQuery> list_query = {};
  base::Time as_of;  // no part of the report is older than this time

  // Returns the part of "days" that is not in the future, because ratings with a future date do not
  // count yet. Returns nothing if all days are in the future.
  [[nodiscard]] std::optional<DayRange> past_days(const DayRange& days) const;

  // The following functions return the sums for each category on the filter's days. The function
  // sums_in_period() includes only the filter's type, sums_of_site() includes all objects, and
  // sums_of_parents() includes all objects except facets. The first call reads the sums, and later
  // calls reuse them.
  const SumsByCategory& sums_in_period();
  const SumsByCategory& sums_of_site();
  const SumsByCategory& sums_of_parents();

  // Returns the time limit for a search for the newest ratings.
  [[nodiscard]] SearchTime search_time() const;

  // Returns the result of analytics::recent_ratings() with the time limit "time". If the list is
  // still incomplete at the time limit, the search continues as a long scan with a new time limit.
  // Returns nothing if the search needs a long scan but begin_long_scan() refuses it.
  [[nodiscard]] std::optional<RecentRatings> newest_ratings(std::span<const TimeSpan> spans,
                                                            const RatingFilter& kind,
                                                            const std::optional<Cursor>& cursor,
                                                            std::int64_t limit, SearchTime& time);

  // Returns the part of "days" in which ratings can exist. The default for "days" is the filter's
  // days. Returns nothing if no day can have ratings.
  [[nodiscard]] std::optional<DayRange> rated_days(const DayRange& days) const;
  [[nodiscard]] std::optional<DayRange> rated_days() const { return rated_days(filter.days); }

  // Returns the result of "find(list_query)", which reads a materialized list. If "find" finds no
  // list, begins a long scan and returns the result of "compute(filter)". Returns nothing if the
  // long scan is refused or takes too long.
  template <typename Find, typename Compute>
  auto materialized_or(const Find& find, const Compute& compute) -> decltype(compute(filter)) {
    using Optional = decltype(compute(filter));
    if (list_query) {
      if (auto found = find(*list_query)) {
        as_of = std::min(as_of, found->as_of);
        return std::move(found->value);
      }
    }
    const auto rated = rated_filter();
    if (!rated) return typename Optional::value_type{};
    return begin_long_scan() ? compute(*rated) : std::nullopt;
  }

  // Like materialized_or(), but "use(sums)" computes the result from each object's sums. Reads each
  // object's sums from materialized lists if possible, and otherwise from the rollups.
  template <typename Find, typename Use>
  auto materialized_or_summed(const Find& find, Signs signs, const Use& use) {
    using Made = decltype(use(SumsByTypeAndId()));
    return materialized_or(find, [&](const RatingFilter& rated) {
      const auto sums = sums_of_objects(rated, signs);
      return sums ? std::optional<Made>(use(*sums)) : std::nullopt;
    });
  }

 private:
  [[nodiscard]] std::optional<SumsByTypeAndId> sums_of_objects(const RatingFilter& rated,
                                                               Signs signs);
  // Returns the filter without days that cannot have ratings, or nothing if no day is left.
  [[nodiscard]] std::optional<RatingFilter> rated_filter();
  [[nodiscard]] SumsByCategory read_sums(RatingFilter kind) const;

  const base::Time made_at_;
  std::optional<SumsByCategory> period_sums_, site_sums_, parent_sums_;
};

// Returns the rated objects omitted from lists: internal objects, and unpublished objects that the
// reader must not see. Objects that are unknown to the CMS are never omitted. Returns nullptr if a
// long scan is needed but is refused or takes too long.
[[nodiscard]] std::shared_ptr<const model::ObjectSet> hidden_objects(Report& report);

// Returns the number of ratings in the report's period that match the filter's category and type.
// No list of rated objects or users can be longer than the number of ratings.
[[nodiscard]] std::int64_t ratings_in_period(Report& report);

// The types, titles and links of objects in the CMS, if the reader may see them. A value type.
class ObjectTitles {
 public:
  // Adds "objects". A facet gets the title of its object. If "sees_unpublished" is true, the reader
  // may see unpublished objects. Throws the same exceptions as db::Connection.
  void add(db::Connection& connection, const cms::Cms& cms, const model::Settings& settings,
           bool sees_unpublished, const std::vector<model::Object>& objects);

  // Returns the CMS's data about the object, or nullptr if the CMS does not have the object or the
  // reader may not see it.
  [[nodiscard]] const cms::ContentItem* find(const model::Object& object) const;
  // Returns whether lists omit the object. See hidden_objects().
  [[nodiscard]] bool hides(const model::Object& object) const { return hidden_.contains(object); }

 private:
  std::map<model::Object, cms::ContentItem> known_;  // the objects that the reader may see
  std::set<model::Object> hidden_;
};

}  // namespace analytics
