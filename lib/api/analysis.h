#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/call.h"
#include "api/fields.h"
#include "api/paging.h"
#include "api/period.h"
#include "api/table.h"
#include "base/stopwatch.h"
#include "db/connection.h"

namespace api {

// The parameters that all analytics share.
struct AnalyticsQuery {
  Period period;
  std::optional<model::Category> category;
  std::optional<std::string> object_type;
  bool is_csv = false;
};

[[nodiscard]] AnalyticsQuery read_analytics_query(Fields& fields);

// The parameter order: whether it is "asc"; descending is the default.
[[nodiscard]] bool read_ascending(Fields& fields);

// The parameters orderby, of which "allowed" is the first if it is absent, and order.
struct Order {
  int by = 0;
  bool ascending = false;
};
inline constexpr std::array<std::string_view, 1> kOrderOfRatings = {"rated_at"};
[[nodiscard]] Order read_order(Fields& fields, std::span<const std::string_view> allowed);

// How much the making of an answer may cost.
enum class Effort {
  quick,      // what is kept ready, rollups of the site, short searches
  long_scan,  // also a row for each object and day, or very many votes: few at a time
};

// An answer; nothing if it takes more effort than is allowed.
using Attempt = std::optional<Result>;

// A bound for all searches of one answer together.
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

// One request for analytics while its answer is made.
struct Analysis {
  const App& app;
  const Call& call;
  db::Connection& connection;
  analytics::Calendar calendar = {};
  base::Day today = {};
  std::optional<base::Day> first_day = {};  // that any rating counts on
  analytics::RatingFilter filter = {};
  bool is_csv = false;
  // The lists of a named period that are kept ready; nothing for other days.
  std::optional<analytics::ListQuery> kept = {};
  Effort effort = Effort::quick;
  base::Time as_of = {};  // no part of the answer is older
  // Further members of "meta"; the values are JSON.
  std::vector<std::pair<std::string, std::string>> meta = {};

  // Those of "days" that are not in the future: what is dated there counts nowhere until then.
  // Nothing if there are none.
  [[nodiscard]] std::optional<analytics::DayRange> past_days(const analytics::DayRange& days) const;

  // How long the newest ratings may be looked for.
  [[nodiscard]] SearchTime search_time() const;

  // As RatingLists::recent(), as long as there is time. Nothing if that is over before the list has
  // an end, and more effort gives more time.
  [[nodiscard]] std::optional<analytics::RecentRatings> newest_ratings(
      std::span<const analytics::TimeSpan> spans, const analytics::RatingFilter& kind,
      const std::optional<analytics::Cursor>& cursor, std::int64_t limit,
      const SearchTime& time) const;

  // The filter's days that ratings can be on; nothing if there are none.
  [[nodiscard]] std::optional<analytics::DayRange> rated_days() const;

  // What "find(question)" gives as store::Kept, else what "compute(filter)" gives by a long scan,
  // as an optional. Nothing if that takes more effort, or too long.
  template <typename Find, typename Compute>
  auto kept_or(const Find& find, const Compute& compute) -> decltype(compute(filter)) {
    using Optional = decltype(compute(filter));
    if (kept) {
      if (auto found = find(*kept)) {
        as_of = std::min(as_of, found->as_of);
        return std::move(found->value);
      }
    }
    const auto rated = rated_filter();
    if (!rated) return typename Optional::value_type{};
    return effort == Effort::long_scan ? compute(*rated) : std::nullopt;
  }

 private:
  // The filter without days that no rating can be on; nothing if there is no rating for it.
  [[nodiscard]] std::optional<analytics::RatingFilter> rated_filter() const;
};

// Gives an answer again that is not too old for it. Else attempts "work", with a session of the
// database, in two steps: with quick effort, which most answers need no more than; and if that is
// not enough, from the beginning with a long scan. Few long scans run at the same time, and some
// more requests wait a moment for their turn.
//
// Errors: unavailable - too many long scans are made just now, or this one takes too long;
//         those of "work".
[[nodiscard]] Result analyse(const App& app, const Call& call, const AnalyticsQuery& query,
                             const std::function<Attempt(Analysis&)>& work);

// The rated objects that lists leave out: what the CMS has not published, unless the requester may
// edit others' posts. Objects that the CMS does not know are never left out. nullptr if it takes
// more effort to find them, or too long.
[[nodiscard]] std::shared_ptr<const model::ObjectSet> hidden_objects(const Analysis& analysis);

// How many ratings the period has of "filter" category and type, and so at most how many objects or
// users: a page behind that many is past the end, which is known before those are summed up.
[[nodiscard]] std::int64_t ratings_in_period(const Analysis& analysis);

// The answer with "data", which is JSON.
[[nodiscard]] Answer json_answer(const Analysis& analysis, const std::string& data);

// The answer with a list, as CSV if the request asks for it. "name" is that of the file then.
[[nodiscard]] Answer list_answer(const Analysis& analysis, std::string_view name,
                                 const Table& table);

// The two columns "title" and "link" of objects, as far as the requester may know them.
class Titles {
 public:
  Titles(const Analysis& analysis, const std::vector<model::Object>& objects);

  // Also of these.
  void add(const Analysis& analysis, const std::vector<model::Object>& objects);

  static void add_columns(Table& table);
  void add_cells(std::vector<Cell>& row, const model::Object& object) const;
  // What the CMS says of the object; nullptr if it has none that the requester may know of.
  [[nodiscard]] const wordpress::ContentItem* find(const model::Object& object) const;
  // Whether lists leave the object out; see hidden_objects().
  [[nodiscard]] bool hides(const model::Object& object) const { return hidden_.contains(object); }

 private:
  std::map<model::Object, wordpress::ContentItem> known_;  // as far as the requester may know
  std::set<model::Object> hidden_;
};

}  // namespace api
