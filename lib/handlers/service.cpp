#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analytics/calendar.h"
#include "api/fields.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "checks/inspection.h"
#include "db/migrations.h"
#include "db/pool.h"
#include "handlers/handlers.h"
#include "json/codec.h"
#include "openapi/description.h"

namespace handlers {
namespace {

constexpr std::string_view kDescribedBasePath = "/wp-json/ratingd/v1";

// ratingd's tables in the database.
struct Tables {
  int version = 0;
  // ratingd's tables that cannot be read. The list is empty if this program does not support the
  // version of the tables.
  std::vector<std::string> unreadable;

  [[nodiscard]] bool are_usable() const { return db::can_run_on(version) && unreadable.empty(); }
};

// The service's health, as seen by one worker.
struct HealthStatus {
  bool knows_site = false;       // settings and login settings have been read
  std::optional<Tables> tables;  // nothing if the database does not answer
  std::optional<analytics::Calendar> calendar;
  std::optional<std::vector<cms::Finding>> findings;

  [[nodiscard]] bool is_ready() const { return knows_site && tables && tables->are_usable(); }
};

Tables read_tables(db::Connection& connection) {
  Tables tables{.version = db::schema_version(connection), .unreadable = {}};
  if (db::can_run_on(tables.version)) tables.unreadable = checks::unreadable_tables(connection);
  return tables;
}

// If "for_monitor" is true, also reads the data intended only for monitors.
HealthStatus check_health(const api::Core& core, const api::Monitoring& monitoring,
                          const api::Front& front, bool for_monitor) {
  HealthStatus health;
  health.knows_site = front.site.state() != nullptr && front.authenticator.is_ready();
  health.tables = db::try_session(core.sessions, read_tables);
  if (!for_monitor) return health;
  if (health.is_ready()) {
    health.calendar = db::try_session(core.sessions, [&](db::Connection& connection) {
      return analytics::read_calendar(connection, core.cms);
    });
  }
  health.findings = monitoring.health_checks.findings(health.tables.has_value());
  return health;
}

void write_calendar(json::Writer& json, const analytics::Calendar& calendar) {
  json.key("timezone").string(calendar.zone.name()).key("timezone_pending");
  calendar.is_pending() ? json.string(calendar.site_zone.name()) : json.null();
  const bool is_decided = calendar.zones.last().name() == calendar.site_zone.name();
  json.key("timezone_changes_at");
  calendar.is_pending() && is_decided ? json.string(base::to_rfc3339(calendar.zones.last_since()))
                                      : json.null();
  json.key("rebuild_unfinished").boolean(calendar.has_old_rebuild);
}

void write_findings(json::Writer& json, const std::vector<cms::Finding>& findings) {
  json.key("findings").begin_array();
  for (const cms::Finding& finding : findings) {
    json.begin_object().key("subject").string(finding.subject);
    json.key("health").string(name_of(finding.health));
    const std::string& title = finding.title.pattern;
    json.key("title").string(title.empty() ? finding.subject : title);
    if (!finding.advice.pattern.empty()) json.key("advice").string(finding.advice.pattern);
    json.key("text").string(base::printable(finding.message.text()));
    api::write_pattern(json, finding.message);
    json.end_object();
  }
  json.end_array();
}

void write_names(json::Writer& json, std::string_view key, const std::vector<std::string>& names) {
  json.key(key).begin_array();
  for (const std::string& name : names) json.string(name);
  json.end_array();
}

void write_health_status(json::Writer& json, const api::Monitoring& monitoring,
                         const HealthStatus& health) {
  const auto workers = monitoring.workers.all();
  json.key("version").string(RATINGD_VERSION).key("alive").boolean(true);
  json.key("ready").boolean(health.is_ready());
  json.key("database").string(health.tables ? "ok" : "away").key("schema");
  health.tables ? json.integer(health.tables->version) : json.null();
  json.key("schema_wanted").integer(db::newest_version());
  if (health.tables) write_names(json, "unreadable_tables", health.tables->unreadable);
  json.key("workers").unsigned_integer(workers.size());
  json.key("queue").unsigned_integer(runtime::sum(workers, runtime::Gauge::queue));
  json.key("queue_limit").unsigned_integer(runtime::sum(workers, runtime::Gauge::queue_limit));
  if (health.calendar) write_calendar(json, *health.calendar);
  if (health.findings) write_findings(json, *health.findings);
}

api::Answer health_answer(const api::Monitoring& monitoring, const HealthStatus& health,
                          bool has_details) {
  if (!health.is_ready()) {
    api::Error error{api::ErrorCode::unavailable};
    if (has_details) {
      json::Writer json(error.health);
      json.begin_object();
      write_health_status(json, monitoring, health);
      json.end_object();
    }
    http::Response response = api::error_response(error);
    return {.body = std::move(response.body),
            .status = response.status,
            .headers = std::move(response.headers)};
  }
  api::Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("status").string("ok");
  if (has_details) write_health_status(json, monitoring, health);
  json.end_object();
  return answer;
}

// Only one challenge format is accepted, so that nobody can make the service sign other data with
// the key for challenges.
std::optional<std::string> read_challenge(api::Fields& fields) {
  auto challenge = fields.string("challenge", api::Fields::Presence::optional);
  if (!challenge || (challenge->size() == 32 && base::from_hex(*challenge))) return challenge;
  fields.reject("challenge", "rest_invalid_pattern",
                base::Message("The “challenge” parameter must consist of 32 hexadecimal digits."));
  return std::nullopt;
}

}  // namespace

// Any client may send a challenge, because the response is useless without the secret.
api::Result health(const api::Core& core, const api::Monitoring& monitoring,
                   const api::Front& front, const api::Call& call) {
  api::Fields fields(call.parameters);
  const auto challenge = read_challenge(fields);
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  const bool has_details = call.is_monitor && !challenge;
  api::Answer answer =
      health_answer(monitoring, check_health(core, monitoring, front, has_details), has_details);
  if (challenge) {
    answer.headers.push_back(
        {"X-Ratingd-Proof", identity::challenge_response(core.keys.front(), *challenge)});
    answer.headers.push_back({"X-Ratingd-Scheme", call.request.https ? "https" : "http"});
  }
  return answer;
}

api::Result description(const api::Core& core, const api::Front& front, const api::Call&) {
  api::Answer answer;
  answer.body = front.description.text();
  if (const auto place = answer.body.find(kDescribedBasePath); place != std::string::npos) {
    answer.body.replace(place, kDescribedBasePath.size(), core.base_path);
  }
  return answer;
}

}  // namespace handlers
