#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
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
#include "api/call.h"
#include "api/fields.h"
#include "api/period.h"
#include "api/table.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/semaphore.h"
#include "base/stopwatch.h"
#include "db/pool.h"

namespace api {

// The parameters that all analytics share.
struct AnalyticsQuery {
  Period period;
  std::optional<model::Category> category;
  std::optional<std::string> object_type;
  bool is_csv = false;
  bool ids = false;                // of single ratings
  bool type_is_of_object = false;  // "object_type" names one object and is not a filter
};

[[nodiscard]] AnalyticsQuery read_analytics_query(Fields& fields);

// The parameter order: whether it is "asc"; descending is the default.
[[nodiscard]] bool read_ascending(Fields& fields);

// The parameters orderby and order. The first of "allowed" is the default of orderby.
struct Order {
  int by = 0;
  bool ascending = false;
};
inline constexpr std::array<std::string_view, 1> kOrderOfRatings = {"rated_at"};
[[nodiscard]] Order read_order(Fields& fields, std::span<const std::string_view> allowed);

// An answer; nothing if it needs a long scan that may not be made, or that takes too long.
using Attempt = std::optional<Result>;

// A time limit for all searches of one answer together.
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

// DESIGN. Most answers need materialized lists, rollups of the site and short searches only. The
// rest need a long scan: the sums of all objects, or users, over other days, or very many votes.
// Few of these are made at the same time. An analysis that turns out to need one waits for a
// permit, without a session, and goes on where it was.

// An analytics request in progress.
struct Analysis {
  const App& app;
  const Call& call;
  db::Pool::Lease& session;
  analytics::Calendar calendar = {};
  base::Day today = {};
  std::optional<base::Day> first_day = {};  // with ratings
  analytics::RatingFilter filter = {};
  bool is_csv = false;
  // The materialized lists to use; nothing if the days are not those of a named period.
  std::optional<analytics::ListQuery> list_query = {};
  base::Time as_of = {};  // no part of the answer is older
  // Read once, when they are first asked for.
  std::optional<analytics::SumsByCategory> period_sums = {}, site_sums = {}, whole_sums = {};
  std::vector<std::pair<std::string_view, Cell>> meta = {};  // further members of "meta"
  std::optional<base::Semaphore::Permit> permit = {};        // for a long scan
  // Set if no long scan is made: too many are being made, or another request has just made this
  // answer.
  std::optional<Result> early_result = {};

  // Valid until begin_long_scan().
  [[nodiscard]] db::Connection& connection() const { return session.connection(); }

  // Turns this into a long scan, unless it already is one. Waits a bounded time for a permit. False
  // if there is an early result.
  [[nodiscard]] bool begin_long_scan();
  [[nodiscard]] bool is_long_scan() const { return permit && permit->is_granted(); }

  // The part of "days" that is not in the future: ratings with a future date do not count until
  // then. Nothing if it is empty.
  [[nodiscard]] std::optional<analytics::DayRange> past_days(const analytics::DayRange& days) const;

  // The sums of all categories in the filter's days: of its type, of the whole site, and of what is
  // no facet.
  const analytics::SumsByCategory& sums_in_period();
  const analytics::SumsByCategory& sums_of_site();
  const analytics::SumsByCategory& sums_of_wholes();

  // The time limit of a search for the newest ratings.
  [[nodiscard]] SearchTime search_time() const;

  // As analytics::recent_ratings(), within the time limit; if the list is incomplete by then, the
  // search continues as a long scan with a new time limit. Nothing if no long scan may be made.
  [[nodiscard]] std::optional<analytics::RecentRatings> newest_ratings(
      std::span<const analytics::TimeSpan> spans, const analytics::RatingFilter& kind,
      const std::optional<analytics::Cursor>& cursor, std::int64_t limit, SearchTime& time);

  // The part of "days", or of the filter's days, that can have ratings; nothing if there is none.
  [[nodiscard]] std::optional<analytics::DayRange> rated_days(
      const analytics::DayRange& days) const;
  [[nodiscard]] std::optional<analytics::DayRange> rated_days() const {
    return rated_days(filter.days);
  }

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
  auto materialized_or_summed(const Find& find, analytics::Signs signs, const Use& use) {
    using Made = decltype(use(analytics::SumsByTypeAndId()));
    return materialized_or(find, [&](const analytics::RatingFilter& rated) {
      const auto sums = sums_of_objects(rated, signs);
      return sums ? std::optional<Made>(use(*sums)) : std::nullopt;
    });
  }

 private:
  [[nodiscard]] std::optional<analytics::SumsByTypeAndId> sums_of_objects(
      const analytics::RatingFilter& rated, analytics::Signs signs);
  // The filter without days that cannot have ratings; nothing if none are left.
  [[nodiscard]] std::optional<analytics::RatingFilter> rated_filter();
  [[nodiscard]] analytics::SumsByCategory read_sums(analytics::RatingFilter kind) const;
};

// Returns a cached answer if it is recent enough. Otherwise runs "work" once.
//
// Errors: unavailable - too many long scans are made just now, or this one takes too long;
//         those of "fields", from which the query was read, and of "work".
[[nodiscard]] Result analyse(const App& app, const Call& call, const Fields& fields,
                             const AnalyticsQuery& query,
                             const std::function<Attempt(Analysis&)>& work);

// The rated objects that lists omit: those that the CMS has not published, unless the requester may
// edit others' posts. Objects that are unknown to the CMS are never omitted. nullptr if finding
// them needs a long scan that may not be made, or takes too long.
[[nodiscard]] std::shared_ptr<const model::ObjectSet> hidden_objects(Analysis& analysis);

// The number of ratings of the filter's category and type in the period. It is an upper bound of
// the number of objects or users, so a page past the end is detected before they are summed up.
[[nodiscard]] std::int64_t ratings_in_period(Analysis& analysis);

// The answer with "data", a JSON value.
[[nodiscard]] Answer json_answer(const Analysis& analysis, const std::string& data);

// The answer with a list, as CSV if the request asks for it; "name" is then the file name.
[[nodiscard]] Answer list_answer(const Analysis& analysis, std::string_view name,
                                 const Table& table);

// Types in the CMS, titles and links of objects, as far as the requester may see them; in lists of
// analytics the columns "type", "title" and "link".
class Titles {
 public:
  Titles(const App& app, const Call& call, db::Connection& connection,
         const std::vector<model::Object>& objects);
  Titles(const Analysis& analysis, const std::vector<model::Object>& objects)
      : Titles(analysis.app, analysis.call, analysis.connection(), objects) {}

  void add(const Analysis& analysis, const std::vector<model::Object>& objects) {
    add(analysis.app, analysis.call, analysis.connection(), objects);
  }

  static void add_columns(Table& table);
  void add_cells(std::vector<Cell>& row, const model::Object& object) const;
  // The same as members of an open object.
  void write(json::Writer& json, const model::Object& object) const;
  // The CMS's data about the object; nullptr if there is none that the requester may see.
  [[nodiscard]] const cms::ContentItem* find(const model::Object& object) const;
  // Whether lists omit the object; see hidden_objects().
  [[nodiscard]] bool hides(const model::Object& object) const { return hidden_.contains(object); }

 private:
  void add(const App& app, const Call& call, db::Connection& connection,
           const std::vector<model::Object>& objects);

  std::map<model::Object, cms::ContentItem> known_;  // visible to the requester
  std::set<model::Object> hidden_;
};

// A cache of answers for some seconds, by request and rights. Holds at most kMaxAnswers, none
// larger than kMaxBody; evicts the oldest. Safe for concurrent use.
class AnswerCache {
 public:
  static constexpr std::size_t kMaxAnswers = 64;
  static constexpr std::size_t kMaxBody = 65536;
  static constexpr std::chrono::minutes kMaxDuration{5};  // of a request

  // The answer with this key if it was made less than "life" before "now", or, by a clock that has
  // been set back since, after it.
  [[nodiscard]] std::optional<Answer> find(const std::string& key, base::Time now,
                                           std::chrono::seconds life) const;

  // Stores an answer, unless a newer one is cached.
  void fill(const std::string& key, const Answer& answer, base::Time made_at);

 private:
  struct Entry {
    Answer answer;
    base::Time made_at;
  };

  mutable base::Mutex mutex_;
  std::map<std::string, Entry> answers_ GUARDED_BY(mutex_);
};

}  // namespace api
