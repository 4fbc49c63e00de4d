#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analytics/report.h"
#include "api/answer_cache.h"
#include "api/app.h"
#include "api/call.h"
#include "api/fields.h"
#include "api/table.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "db/pool.h"
#include "handlers/trend.h"
#include "runtime/semaphore.h"

namespace handlers {

struct AnalyticsQuery : analytics::ReportQuery {
  bool is_csv = false;
  bool has_ids = false;  // individual ratings have their ids
};

[[nodiscard]] AnalyticsQuery read_analytics_query(api::Fields& fields);

// Reads and trims the `search` parameter, which contains words from a title or a name.
[[nodiscard]] std::optional<std::string> read_search(api::Fields& fields);

// Reads the `order` parameter and returns whether its value is "asc". The default order is
// descending.
[[nodiscard]] bool read_ascending(api::Fields& fields);

// The `orderby` and `order` parameters. The first element in "allowed" is the default value of
// `orderby`.
struct Order {
  int by = 0;
  bool ascending = false;
};
inline constexpr std::array<std::string_view, 1> kOrderOfRatings = {"rated_at"};
[[nodiscard]] Order read_order(api::Fields& fields, std::span<const std::string_view> allowed);

// The response, or nothing if it requires a long scan that times out or is not currently allowed.
using Attempt = std::optional<api::Result>;

// An analytics request in progress. Only a few long scans run at the same time. While a request
// waits for the permit to begin a long scan, the request uses no database session.
struct Analysis final : analytics::Report {
  Analysis(const api::Core& its_core, const api::Analytics& its_analytics,
           const api::Call& its_call, db::Pool::Lease& its_session, bool gives_csv)
      : Report({.cms = its_core.cms,
                .unpublished = its_analytics.unpublished,
                .settings = its_call.site.settings,
                .sees_unpublished = its_call.requester.may(model::Right::see_unpublished)},
               its_call.request.received_at),
        core(its_core),
        analytics(its_analytics),
        call(its_call),
        session(its_session),
        is_csv(gives_csv) {}

  const api::Core& core;
  const api::Analytics& analytics;
  const api::Call& call;
  db::Pool::Lease& session;
  const bool is_csv;
  std::vector<std::pair<std::string_view, api::Cell>> meta = {};  // additional members of "meta"
  std::optional<runtime::Semaphore::Permit> permit = {};          // the permit for a long scan
  // The response to return if the long scan must not begin: an error because too many scans are
  // running, or a response that another request has just cached.
  std::optional<api::Result> early_result = {};

  [[nodiscard]] db::Connection& connection() const override { return session.connection(); }
  // Waits a limited time for a permit. Returns true if the long scan may begin. If the long scan
  // must not begin, sets "early_result" to the response that the caller must return.
  [[nodiscard]] bool begin_long_scan() override;
  [[nodiscard]] bool is_long_scan() const override { return permit && permit->is_granted(); }
};

// Returns a cached response if it is recent enough. If there is no recent response, calls "work"
// once and caches the new response.
//
// Returns the "unavailable" error if too many long scans are running or a long scan takes too long.
// Also returns the errors from "work" and the errors in "fields". "query" must have been read from
// "fields".
[[nodiscard]] api::Result analyze(const api::Core& core, const api::Analytics& analytics,
                                  const api::Call& call, const api::Fields& fields,
                                  const AnalyticsQuery& query,
                                  const std::function<Attempt(Analysis&)>& work);

[[nodiscard]] api::Answer json_answer(const Analysis& analysis, const std::string& data);

// Returns the response that contains a list. If the response is a CSV file, "name" is the file
// name.
[[nodiscard]] api::Answer list_answer(const Analysis& analysis, std::string_view name,
                                      const api::Table& table);

// The titles and links of the objects in a list.
class Titles {
 public:
  explicit Titles(analytics::ObjectTitles titles) : titles_(std::move(titles)) {}
  Titles(const api::Core& core, const api::Call& call, db::Connection& connection,
         const std::vector<model::Object>& objects);
  Titles(const Analysis& analysis, const std::vector<model::Object>& objects)
      : Titles(analysis.core, analysis.call, analysis.connection(), objects) {}

  void add(const Analysis& analysis, const std::vector<model::Object>& objects);

  static void add_columns(api::Table& table);
  void add_cells(std::vector<api::Cell>& row, const model::Object& object) const;
  // Writes the type, title and link as members of the current JSON object.
  void write(json::Writer& json, const model::Object& object) const;
  // Returns the CMS's data about the object, or nullptr if the CMS has no data that the requester
  // may see.
  [[nodiscard]] const cms::ContentItem* find(const model::Object& object) const {
    return titles_.find(object);
  }
  // Returns whether lists omit the object. See analytics::hidden_objects().
  [[nodiscard]] bool hides(const model::Object& object) const { return titles_.hides(object); }

 private:
  void add(const api::Core& core, const api::Call& call, db::Connection& connection,
           const std::vector<model::Object>& objects);

  analytics::ObjectTitles titles_;
};

}  // namespace handlers
