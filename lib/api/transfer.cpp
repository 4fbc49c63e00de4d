#include <array>
#include <memory>
#include <utility>

#include "api/access.h"
#include "api/admission.h"
#include "api/app.h"
#include "api/fields.h"
#include "api/handlers.h"
#include "api/period.h"
#include "api/rating_table.h"
#include "base/bytes.h"
#include "config/cms_name.h"
#include "db/endpoint.h"
#include "json/codec.h"
#include "rollups/rollup_state.h"
#include "transfer/clean.h"
#include "transfer/export.h"
#include "transfer/import.h"

namespace api {
namespace {

using transfer::CleanScope;
using transfer::Format;

constexpr std::uint64_t kMaxImport = 67'108'864;  // 64 MiB
constexpr std::array<std::string_view, 2> kRowFormats = {"ndjson", "csv"};
static_assert(static_cast<int>(Format::ndjson) == 0 && static_cast<int>(Format::csv) == 1);

// The visitor of another front end that the request names, if it does.
std::optional<model::FrontEndVisitor> read_visitor(Fields& fields) {
  if (!fields.has("issuer") && !fields.has("subject")) return std::nullopt;
  model::FrontEndVisitor visitor{fields.string("issuer", Fields::Presence::optional).value_or(""),
                                 fields.string("subject", Fields::Presence::optional).value_or("")};
  constexpr std::string_view kCode = "rest_invalid_param";
  if (!model::is_issuer(visitor.issuer)) {
    fields.reject(
        "issuer", kCode,
        base::Message(
            "issuer must be 1 to 64 characters of A-Z a-z 0-9 _ . -; it goes with subject."));
  }
  if (!model::is_subject(visitor.subject)) {
    fields.reject("subject", kCode,
                  base::Message("subject must be 1 to 255 bytes; it goes with issuer."));
  }
  if (fields.has("user_id")) {
    fields.reject("user_id", kCode, base::Message("Send either user_id, or issuer and subject."));
  }
  return visitor;
}

transfer::Selection read_selection(const App& app, Fields& fields) {
  transfer::Selection selection;
  if (fields.has("object_id")) selection.object_id = fields.object_id("object_id");
  selection.object_type = fields.object_type("object_type");
  if (selection.object_type) {
    selection.posts = app.sessions.with_session([&](db::Connection& connection) {
      return app.cms.posts_of(connection, *selection.object_type);
    });
  }
  if (fields.has("user_id")) selection.voter = fields.object_id("user_id");
  selection.visitor = read_visitor(fields);
  const bool has_others =
      !selection.is_all() || fields.has("before") || fields.has("from") || fields.has("to");
  selection.ratings = read_rating_ids(
      fields, "ratings",
      base::Message("ratings must be a list of the ids that analytics show with ids=true."));
  if (!selection.ratings.empty() && has_others) {
    fields.reject("ratings", "rest_invalid_param",
                  base::Message("Send ratings without other filters."));
  } else if (selection.ratings.size() > transfer::Selection::kMaxRatings) {
    fields.reject("ratings", kOutOfBounds, base::Message("Send at most 100 ratings at once."));
  }
  return selection;
}

// The days from "from" to "to" of a rating's last change, in the zone in which the site's days are
// counted.
void read_days(const App& app, Fields& fields, transfer::Selection& selection) {
  const auto from = read_day(fields, "from");
  const auto to = read_day(fields, "to");
  if (!from && !to) return;
  if (from && to && *from > *to) {
    fields.reject("from", kOutOfBounds, base::Message("from must not be after to."));
  }
  const base::ZoneHistory zones = app.sessions.with_session(
      [&](db::Connection& connection) { return rollups::stored_zones(connection); });
  if (from) selection.since = zones.start_of(*from);
  if (to) selection.before = zones.start_of(*to + std::chrono::days(1));
}

transfer::Scopes read_scopes(Fields& fields, const transfer::Selection& selection) {
  const auto names = fields.list("scope");
  if (!names) return transfer::default_scopes(selection);
  const auto scopes = transfer::parse_scopes(*names);
  if (!scopes) {
    fields.reject("scope", "rest_not_in_enum",
                  base::Message("scope must be a list of ratings, settings, templates."));
  }
  return scopes.value_or(transfer::Scopes());
}

// The error for requesters without the right to see persons. Version 0.2 of WordPress's plugin asks
// for the ratings of one person as the CMS itself, whose tickets may have any right, with the right
// to administer only.
std::optional<Error> refuse_export(const Call& call, const transfer::ExportRequest& request) {
  const auto& ticket = call.requester.ticket;
  const bool is_of_cms = ticket && config::cms_named(ticket->visitor.issuer) && !ticket->binding &&
                         ticket->visitor.subject == "0";
  const bool is_of_one = request.selection.voter || request.selection.visitor;
  if (!request.scopes.ratings || (is_of_cms && is_of_one)) return std::nullopt;
  auto refusal = refuse_without(call.requester, model::Right::see_persons);
  if (refusal) {
    refusal->message = base::Message(
        "Ratings are exported with their voters, for which you need the right to see persons "
        "(list_users). Without it, send scope=settings,templates.");
  }
  return refusal;
}

Format read_format(Fields& fields, Format usual) {
  const auto choice = fields.choice("format", kRowFormats);
  return choice ? static_cast<Format>(*choice) : usual;
}

// An export with its own session.
struct Stream {
  Stream(const App& app, transfer::ExportRequest request)
      : session(app, db::without_idle_limit(app.transfer_endpoint)),
        rows(session.connection(), std::move(request)) {}
  TransferSession session;
  transfer::Export rows;
};

Format format_of_body(const http::Request& request) {
  const bool is_csv = base::to_lower(request.content_type).starts_with("text/csv");
  return is_csv ? Format::csv : Format::ndjson;
}

// A large body as it arrives, or, with a bound ticket, as far as the ticket signs it.
class LargeBody {
 public:
  explicit LargeBody(const Call& call) : next_(call.request.large_body) {
    const auto& ticket = call.requester.ticket;
    if (ticket && ticket->binding) signed_.emplace(*ticket->binding);
  }

  // The next piece, empty at the end; valid until the next call.
  tl::expected<std::string_view, Error> read() {
    if (!signed_) return receive();
    piece_.erase(0, identity::kSignedPieceBytes);
    while (piece_.size() < identity::kSignedPieceBytes) {
      auto received = receive();
      if (!received) return received;
      if (received->empty()) break;
      piece_ += *received;
    }
    const auto piece = std::string_view(piece_).substr(0, identity::kSignedPieceBytes);
    if (signed_->continues_with(piece)) return piece;
    return tl::unexpected(refused_ticket(identity::other_body()));
  }

 private:
  tl::expected<std::string_view, Error> receive() {
    if (const auto received = next_()) return *received;
    return tl::unexpected(Error{ErrorCode::unavailable, base::Message("The body ended early.")});
  }

  const http::LargeBody& next_;
  std::optional<identity::SignedBody> signed_;
  std::string piece_;  // what was read, the beginning of the next piece behind it
};

// Passes the body of the request to "import". Returns the error if it ends early, or if the ticket
// does not sign the rest.
std::optional<Error> read_body(const Call& call, transfer::Import& import) {
  if (!call.request.body_too_large) {
    import.read(call.request.body);
    return std::nullopt;
  }
  LargeBody body(call);
  auto piece = body.read();
  for (; piece && !piece->empty(); piece = body.read()) import.read(*piece);
  return piece ? std::nullopt : std::optional(std::move(piece.error()));
}

Answer import_answer(const transfer::ImportReport& report) {
  Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").begin_object();
  json.key("read").unsigned_integer(report.read).key("new").unsigned_integer(report.added);
  json.key("changed").unsigned_integer(report.changed).key("kept").unsigned_integer(report.kept);
  json.key("folded").unsigned_integer(report.rolled_up);
  const auto write_reasons = [&](std::string_view name, const auto& reasons) {
    json.key(name).begin_array();
    for (const auto& [line, message] : reasons) {
      json.begin_object().key("line").integer(line).key("message").string(message.text());
      write_pattern(json, message);
      json.end_object();
    }
    json.end_array();
  };
  json.key("refused").unsigned_integer(report.refused);
  write_reasons("reasons", report.reasons);
  write_reasons("notes", report.notes);
  json.key("complete").boolean(report.is_complete).end_object().end_object();
  return answer;
}

// "2026-11-21", the start of that day in the site's time zone, or a time in UTC.
std::optional<base::Time> read_before(Fields& fields, const Call& call,
                                      const base::ZoneHistory& zones) {
  const json::Value* value = call.parameters.find("before");
  if (value == nullptr) return std::nullopt;
  const auto* text = std::get_if<std::string>(&value->data);
  const std::string_view given = text == nullptr ? std::string_view() : std::string_view(*text);
  const auto before = transfer::parse_before(given, zones);
  if (!before) {
    fields.reject("before", "rest_invalid_date",
                  base::Message("before must be a date such as 2026-11-21, or a time "
                                "such as 2026-11-21T05:00:00Z."));
  } else if (*before > call.request.received_at) {
    fields.reject(
        "before", "rest_invalid_date",
        base::Message("before lies in the future; to delete everything, send \"all\": true."));
  }
  return before;
}

struct CleanOrder {
  CleanScope scope = CleanScope::ratings;
  transfer::Selection selection;
};

tl::expected<CleanOrder, Error> read_clean_order(const App& app, const Call& call,
                                                 const base::ZoneHistory& zones) {
  Fields fields(call.parameters);
  fields.require("scope");
  CleanOrder order{
      static_cast<CleanScope>(fields.choice("scope", transfer::kCleanScopes).value_or(0)),
      read_selection(app, fields)};
  order.selection.before = read_before(fields, call, zones);
  const bool is_for_all = fields.boolean("all").value_or(false);
  const bool is_of_ratings = transfer::takes_filters(order.scope);
  if (!fields.boolean("confirm").value_or(false)) {
    fields.reject("confirm", "rest_invalid_param",
                  base::Message("confirm must be true: what is deleted does not come back."));
  }
  if (!is_of_ratings && !order.selection.is_all()) {
    fields.reject(
        "scope", "rest_invalid_param",
        base::Message("Filters are for ratings and addresses; of settings and templates, send "
                      "\"all\": true."));
  } else if (order.selection.is_all() && !is_for_all) {
    fields.reject("all", "rest_invalid_param",
                  is_of_ratings
                      ? base::Message("Send object_id, object_type, user_id, issuer and subject, "
                                      "before or ratings, or \"all\": true.")
                      : base::Message("all must be true."));
  } else if (!order.selection.is_all() && is_for_all) {
    fields.reject("all", "rest_invalid_param",
                  base::Message("Send either filters or \"all\": true."));
  }
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  return order;
}

Answer clean_answer(const transfer::CleanReport& report) {
  Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").begin_object();
  json.key("ratings").unsigned_integer(report.ratings);
  json.key("balances").unsigned_integer(report.aggregates);
  json.key("addresses").unsigned_integer(report.addresses);
  json.key("settings").unsigned_integer(report.settings);
  json.key("templates").unsigned_integer(report.templates).end_object().end_object();
  return answer;
}

}  // namespace

Result export_data(const App& app, const Call& call) {
  Fields fields(call.parameters);
  transfer::ExportRequest request;
  request.format = read_format(fields, Format::ndjson);
  request.selection = read_selection(app, fields);
  read_days(app, fields, request.selection);
  request.scopes = read_scopes(fields, request.selection);
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  if (auto refusal = refuse_export(call, request)) return tl::unexpected(*std::move(refusal));

  // Shared with nobody: std::function wants what can be copied.
  const auto stream = std::make_shared<Stream>(app, request);
  app.log.info("export_started", {{"request", call.request.id}});
  Answer answer;
  answer.pieces = [stream](std::string& out) { return stream->rows.next(out); };
  const bool is_csv = request.format == Format::csv;
  answer.headers = {
      {"Content-Type", is_csv ? "text/csv; charset=UTF-8" : "application/x-ndjson; charset=UTF-8"},
      {"Content-Disposition",
       std::string("attachment; filename=\"ratingd-export.") + (is_csv ? "csv" : "ndjson") + "\""}};
  return answer;
}

Result import_data(const App& app, const Call& call) {
  Fields fields(call.parameters);
  const Format format = read_format(fields, format_of_body(call.request));
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  if (call.request.large_body_size > kMaxImport) {
    return tl::unexpected(
        Error{.code = ErrorCode::body_too_large,
              .message = base::Message("An import must not be larger than 64 MiB; send its "
                                       "lines in several, or use ratingctl import."),
              .limit = kMaxImport});
  }
  TransferSession session(app);
  db::Connection& connection = session.connection();
  const ChangeOfMany change(app);
  transfer::Import import(connection, format, call.request.received_at);
  if (auto error = read_body(call, import)) {
    app.log.warning("import_interrupted", {{"request", call.request.id}});
    return tl::unexpected(*std::move(error));
  }
  const transfer::ImportReport& report = import.finish();
  app.log.info("data_imported", {{"request", call.request.id},
                                 {"read", report.read},
                                 {"new", report.added},
                                 {"changed", report.changed},
                                 {"refused", report.refused}});
  return import_answer(report);
}

Result clean_data(const App& app, const Call& call) {
  TransferSession session(app);
  db::Connection& connection = session.connection();
  const base::ZoneHistory zones = rollups::stored_zones(connection);
  const auto order = read_clean_order(app, call, zones);
  if (!order) return tl::unexpected(order.error());
  const ChangeOfMany change(app);
  const auto report =
      transfer::clean(connection, order->scope, order->selection, [](std::uint64_t) {});
  app.log.info(
      "data_cleaned",
      {{"request", call.request.id},
       {"scope", std::string(transfer::kCleanScopes[static_cast<std::size_t>(order->scope)])},
       {"ratings", report.ratings},
       {"addresses", report.addresses}});
  return clean_answer(report);
}

}  // namespace api
