#include <memory>
#include <utility>

#include "api/access.h"
#include "api/app.h"
#include "api/fields.h"
#include "base/text.h"
#include "config/cms.h"
#include "db/endpoint.h"
#include "handlers/handlers.h"
#include "json/codec.h"
#include "rollups/rollup_state.h"
#include "transfer/clean.h"
#include "transfer/export.h"
#include "transfer/import.h"
#include "transfer/requests.h"

namespace handlers {
namespace {

using transfer::Format;

constexpr std::uint64_t kMaxImport = 67'108'864;  // 64 MiB

// Returns the functions that imports and exports use to look up data about the site.
transfer::Lookups lookups_of(const api::Core& core) {
  return {.posts_of =
              [&core](const std::string& type) {
                return core.sessions.with_session([&](db::Connection& connection) {
                  return core.cms.posts_of(connection, type);
                });
              },
          .zones =
              [&core] {
                return core.sessions.with_session(
                    [](db::Connection& connection) { return rollups::stored_zones(connection); });
              }};
}

// Returns an error if the requester lacks the see_persons permission. Otherwise, returns nothing.
std::optional<api::Error> refuse_export(const api::Call& call,
                                        const transfer::ExportRequest& request) {
  if (!request.scopes.ratings) return std::nullopt;
  auto refusal = api::refuse_without(call.requester, model::Right::see_persons);
  if (refusal) {
    refusal->message = base::Message(
        "An export of ratings shows who rated, so it requires the list_users permission. Without "
        "this permission, you can export only settings and templates.");
  }
  return refusal;
}

// An export with its own database session.
struct Stream {
  Stream(const api::Transfers& transfers, transfer::ExportRequest request)
      : session(transfers, db::without_idle_limit(transfers.endpoint)),
        rows(session.connection(), std::move(request)) {}
  api::TransferSession session;
  transfer::Export rows;
};

Format format_of_body(const http::Request& request) {
  const bool is_csv = base::to_lower(request.content_type).starts_with("text/csv");
  return is_csv ? Format::csv : Format::ndjson;
}

// Reads a large request body while the body arrives. If a ticket is bound to the body, compares
// each piece with the ticket before returning the piece.
class LargeBody {
 public:
  explicit LargeBody(const api::Call& call) : next_(call.request.large_body) {
    const auto& ticket = call.requester.ticket;
    if (ticket && ticket->binding) signed_.emplace(*ticket->binding);
  }

  // Returns the body's next piece, or an empty piece at the end of the body. The piece is valid
  // until the next call.
  tl::expected<std::string_view, api::Error> read() {
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
    return tl::unexpected(api::refused_ticket(identity::other_body()));
  }

 private:
  tl::expected<std::string_view, api::Error> receive() {
    if (const auto received = next_()) return *received;
    return tl::unexpected(
        api::Error{api::ErrorCode::unavailable, base::Message("The request body is incomplete.")});
  }

  const http::LargeBody& next_;
  std::optional<identity::SignedBody> signed_;
  // Contains the piece most recently returned by read(), and the bytes received after this piece.
  std::string piece_;
};

// Passes the request body to "import". Returns an error if the body ends early, or if the rest of
// the body does not match the ticket.
std::optional<api::Error> read_body(const api::Call& call, transfer::Import& import) {
  if (!call.request.body_too_large) {
    import.read(call.request.body);
    return std::nullopt;
  }
  LargeBody body(call);
  auto piece = body.read();
  for (; piece && !piece->empty(); piece = body.read()) import.read(*piece);
  return piece ? std::nullopt : std::optional(std::move(piece.error()));
}

void write_objects(json::Writer& json, const transfer::ImportReport& report) {
  json.key("objects").unsigned_integer(report.objects).key("by_object").begin_array();
  for (const auto& [object, counts] : report.by_object) {
    json.begin_object().key("object_id").unsigned_integer(object.id);
    json.key("object_type").string(object.type).key("new").unsigned_integer(counts.added);
    json.key("changed").unsigned_integer(counts.changed);
    json.key("kept").unsigned_integer(counts.kept);
    json.key("folded").unsigned_integer(counts.too_old).end_object();
  }
  json.end_array();
}

api::Answer import_answer(const transfer::ImportReport& report, bool is_preview) {
  api::Answer answer;
  json::Writer json(answer.body);
  json.begin_object().key("success").boolean(true).key("data").begin_object();
  json.key("read").unsigned_integer(report.read).key("new").unsigned_integer(report.added);
  json.key("changed").unsigned_integer(report.changed).key("kept").unsigned_integer(report.kept);
  json.key("folded").unsigned_integer(report.too_old);
  const auto write_reasons = [&](std::string_view name, const auto& reasons) {
    json.key(name).begin_array();
    for (const auto& [line, message] : reasons) {
      json.begin_object().key("line").integer(line).key("message").string(message.text());
      api::write_pattern(json, message);
      json.end_object();
    }
    json.end_array();
  };
  json.key("refused").unsigned_integer(report.refused);
  write_reasons("reasons", report.reasons);
  write_reasons("notes", report.notes);
  json.key("complete").boolean(report.is_complete);
  if (is_preview) write_objects(json, report);
  json.end_object().end_object();
  return answer;
}

api::Answer clean_answer(const transfer::CleanReport& report) {
  api::Answer answer;
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

api::Result export_data(const api::Core& core, const api::Transfers& transfers,
                        const api::Call& call) {
  api::Fields fields(call.parameters);
  const auto request = transfer::read_export(fields, lookups_of(core), Format::ndjson);
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  if (auto refusal = refuse_export(call, request)) return tl::unexpected(*std::move(refusal));

  // The stream needs a shared_ptr because std::function requires copyable captures.
  const auto stream = std::make_shared<Stream>(transfers, request);
  core.log.info("export_started", {{"request", call.request.id}});
  api::Answer answer;
  answer.pieces = [stream](std::string& out) { return stream->rows.next(out); };
  const bool is_csv = request.format == Format::csv;
  answer.headers = {
      {"Content-Type", is_csv ? "text/csv; charset=UTF-8" : "application/x-ndjson; charset=UTF-8"},
      {"Content-Disposition",
       std::string("attachment; filename=\"ratingd-export.") + (is_csv ? "csv" : "ndjson") + "\""}};
  return answer;
}

api::Result import_data(const api::Core& core, const api::Reading& reading,
                        const api::Transfers& transfers, const api::Call& call) {
  api::Fields fields(call.parameters);
  const transfer::ImportRequest request =
      transfer::read_import(fields, format_of_body(call.request));
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  if (call.request.large_body_size > kMaxImport) {
    return tl::unexpected(api::Error{
        .code = api::ErrorCode::body_too_large,
        .message = base::Message("An import must not be larger than 64 MiB. Split the lines into "
                                 "several imports, or use the ratingctl import command."),
        .limit = kMaxImport});
  }
  api::TransferSession session(transfers);
  const bool is_preview = request.mode == transfer::Import::Mode::preview;
  std::optional<api::ChangeOfMany> change;
  if (!is_preview) change.emplace(reading);
  transfer::Import import(session.connection(), request.format, call.request.received_at,
                          request.mode);
  if (auto error = read_body(call, import)) {
    core.log.warning("import_interrupted", {{"request", call.request.id}});
    return tl::unexpected(*std::move(error));
  }
  const transfer::ImportReport& report = import.finish();
  if (is_preview) return import_answer(report, is_preview);
  core.log.info("data_imported", {{"request", call.request.id},
                                  {"read", report.read},
                                  {"new", report.added},
                                  {"changed", report.changed},
                                  {"refused", report.refused}});
  return import_answer(report, is_preview);
}

api::Result clean_data(const api::Core& core, const api::Reading& reading,
                       const api::Transfers& transfers, const api::Call& call) {
  api::TransferSession session(transfers);
  db::Connection& connection = session.connection();
  api::Fields fields(call.parameters);
  const auto request = transfer::read_clean(fields, lookups_of(core), call.request.received_at);
  if (auto error = fields.error()) return tl::unexpected(*std::move(error));
  const api::ChangeOfMany change(reading);
  const auto report =
      transfer::clean(connection, request.scope, request.selection, [](std::uint64_t) {});
  core.log.info(
      "data_cleaned",
      {{"request", call.request.id},
       {"scope", std::string(transfer::kCleanScopes[static_cast<std::size_t>(request.scope)])},
       {"ratings", report.ratings},
       {"addresses", report.addresses}});
  return clean_answer(report);
}

}  // namespace handlers
