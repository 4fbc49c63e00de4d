#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "analytics/calendar.h"
#include "analytics/materialized_lists.h"
#include "analytics/rating_filter.h"
#include "analytics/rating_lists.h"
#include "analytics/unpublished_objects.h"
#include "base/clock.h"
#include "base/stopwatch.h"
#include "cms/cms.h"
#include "db/connection.h"
#include "model/settings.h"

namespace analytics {

// A period, before it is resolved to days.
struct Period {
  using Name = NamedPeriod;
  Name name = Name::days_30;
  std::optional<DayRange> days = {};  // take precedence over the name

  [[nodiscard]] bool is_all() const { return !days && name == Name::all; }
};

// The ratings that a report is about.
struct ReportQuery {
  Period period = {};
  std::optional<model::Category> category = {};
  std::optional<std::string> object_type = {};
  bool type_is_of_object = false;  // "object_type" names one object and is not a filter
};

// A time limit for all searches of one report together.
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

// DESIGN. Most reports need materialized lists, rollups of the site and short searches only. The
// rest need a long scan: the sums of all objects, or users, over other days, or very many votes.
// The maker of a report overrides begin_long_scan(), which decides whether a long scan may begin,
// and connection(), which provides the database session. If a report needs a long scan after all,
// it continues from where it was.
//
// Used by one thread. Errors of all functions: as db::Connection; TakesTooLong.
class Report {
 public:
  // The site, and what the reader of the report may see. All must outlive the report.
  struct Site {
    const cms::Cms& cms;
    const UnpublishedObjects& unpublished;
    const model::Settings& settings;
    bool sees_unpublished = false;
  };

  // The report is made at "as_of".
  Report(const Site& of, base::Time at) : site(of), as_of(at), made_at_(at) {}
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  virtual ~Report() = default;

  // Valid until begin_long_scan().
  [[nodiscard]] virtual db::Connection& connection() const = 0;
  // Turns this into a long scan, unless it already is one. Returns false if none may begin.
  [[nodiscard]] virtual bool begin_long_scan() = 0;
  [[nodiscard]] virtual bool is_long_scan() const = 0;

  // Reads the calendar and sets the filter. Returns false if a long scan is needed and may not
  // begin. Called first.
  [[nodiscard]] bool begin(const ReportQuery& query);

  const Site site;
  Calendar calendar = {};
  base::Day today = {};
  std::optional<base::Day> first_day = {};  // with ratings
  RatingFilter filter = {};
  // The materialized lists to use. Empty if the days are not those of a named period.
  std::optional<ListQuery> list_query = {};
  base::Time as_of;  // no part of the report is older

  // The part of "days" that is not in the future: ratings with a future date do not count until
  // then. Nothing if it is empty.
  [[nodiscard]] std::optional<DayRange> past_days(const DayRange& days) const;

  // The sums of all categories in the filter's days: those of the filter's type, those of the whole
  // site, and those of all objects that are no facets. They are read once, at the first call.
  const SumsByCategory& sums_in_period();
  const SumsByCategory& sums_of_site();
  const SumsByCategory& sums_of_parents();

  // The time limit of a search for the newest ratings.
  [[nodiscard]] SearchTime search_time() const;

  // As analytics::recent_ratings(), within the time limit; if the list is incomplete by then, the
  // search continues as a long scan with a new time limit. Nothing if no long scan may be made.
  [[nodiscard]] std::optional<RecentRatings> newest_ratings(std::span<const TimeSpan> spans,
                                                            const RatingFilter& kind,
                                                            const std::optional<Cursor>& cursor,
                                                            std::int64_t limit, SearchTime& time);

  // The part of "days", or of the filter's days, that can have ratings; nothing if there is none.
  [[nodiscard]] std::optional<DayRange> rated_days(const DayRange& days) const;
  [[nodiscard]] std::optional<DayRange> rated_days() const { return rated_days(filter.days); }

  // The result of "find(list_query)" from a materialized list, or else of "compute(filter)" by a
  // long scan. Nothing if no long scan may be made, or if it takes too long.
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

  // As materialized_or(), with "use(sums)" of the objects' sums, which are from materialized lists,
  // too, or summed up here.
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
  // The filter without days that cannot have ratings; nothing if none are left.
  [[nodiscard]] std::optional<RatingFilter> rated_filter();
  [[nodiscard]] SumsByCategory read_sums(RatingFilter kind) const;

  const base::Time made_at_;
  std::optional<SumsByCategory> period_sums_, site_sums_, parent_sums_;
};

// The rated objects that lists omit: internal objects, and objects that the CMS has not published,
// unless the reader may see them. Objects that are unknown to the CMS are never omitted. nullptr if
// finding them needs a long scan that may not be made, or takes too long.
[[nodiscard]] std::shared_ptr<const model::ObjectSet> hidden_objects(Report& report);

// The number of ratings of the filter's category and type in the period. It is an upper bound of
// the number of objects or users, so a page past the end is detected before they are summed up.
[[nodiscard]] std::int64_t ratings_in_period(Report& report);

}  // namespace analytics
