#include "transfer/requests.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/message.h"
#include "base/text.h"

namespace transfer {
namespace {

// The filters that an export and a deletion have in common. A deletion also has the `before`
// filter.
constexpr auto kFilters = std::to_array<std::string_view>(
    {"object_id", "object_type", "user_id", "issuer", "subject", "ratings", "from", "to"});

// Returns "names" and the names of the common filters.
std::vector<std::string_view> with_filters(std::vector<std::string_view> names) {
  names.insert(names.end(), kFilters.begin(), kFilters.end());
  return names;
}

constexpr std::array<std::string_view, 2> kRowFormats = {"ndjson", "csv"};
static_assert(static_cast<int>(Format::ndjson) == 0 && static_cast<int>(Format::csv) == 1);

Format read_format(json::Fields& fields, Format usual) {
  const auto choice = fields.choice("format", kRowFormats);
  return choice ? static_cast<Format>(*choice) : usual;
}

std::optional<model::RatingKey> parse_rating_id(std::string_view text) {
  const auto object_id = json::parse_object_id(base::take_until(text, '/'));
  const auto type = model::parse_object_type(base::take_until(text, '/'));
  const auto category = model::category_named(base::take_until(text, '/'));
  const auto voter = base::parse_number<model::VoterId>(text);
  if (!object_id || !type || !category || !voter) return std::nullopt;
  return model::RatingKey{{*object_id, *type}, *category, *voter};
}

// Returns the front-end visitor named in the request, or nothing if the request names no visitor.
std::optional<model::FrontEndVisitor> read_visitor(json::Fields& fields) {
  if (!fields.has("issuer") && !fields.has("subject")) return std::nullopt;
  model::FrontEndVisitor visitor{
      fields.string("issuer", json::Fields::Presence::optional).value_or(""),
      fields.string("subject", json::Fields::Presence::optional).value_or("")};
  constexpr std::string_view kCode = "rest_invalid_param";
  if (!model::is_issuer(visitor.issuer)) {
    fields.reject(
        "issuer", kCode,
        base::Message(
            "The “issuer” filter must be 1 to 64 characters long. Only letters (A-Z, a-z), "
            "digits, underscores, dots and hyphens are allowed. The “issuer” and “subject” "
            "filters must be sent together."));
  }
  if (!model::is_subject(visitor.subject)) {
    fields.reject("subject", kCode,
                  base::Message("The “subject” filter must be 1 to 255 bytes long. The "
                                "“issuer” and “subject” filters must be sent together."));
  }
  if (fields.has("user_id")) {
    fields.reject(
        "user_id", kCode,
        base::Message("Send either the “user_id” filter, or the “issuer” and “subject” filters."));
  }
  return visitor;
}

// Reads the `from` and `to` fields: the first and last days of the range in which the selected
// ratings were last changed. Days are in the site's time zone.
void read_days(json::Fields& fields, const Lookups& lookups, Selection& selection) {
  const auto from = fields.date("from");
  const auto to = fields.date("to");
  if (!from && !to) return;
  if (from && to && *from > *to) {
    fields.reject("from", json::kOutOfBounds,
                  base::Message("The start date (“from”) must not be after the end date (“to”)."));
  }
  const base::ZoneHistory zones = lookups.zones();
  if (from) selection.since = zones.start_of(*from);
  if (to) selection.before = zones.start_of(*to + std::chrono::days(1));
}

Scopes read_scopes(json::Fields& fields, const Selection& selection) {
  const auto names = fields.list("scope");
  if (!names) return default_scopes(selection);
  const auto scopes = parse_scopes(*names);
  if (!scopes) {
    fields.reject("scope", "rest_not_in_enum",
                  base::Message("{name} must contain only names from this list: {names}.",
                                {{"name", "scope"}, {"names", "ratings, settings, templates"}}));
  }
  return scopes.value_or(Scopes());
}

// Reads the `before` field, which is a time in UTC or a day such as "2026-11-21". If the field
// contains a day, returns the start of the day in the site's time zone.
std::optional<base::Time> read_before(json::Fields& fields, const Lookups& lookups,
                                      base::Time now) {
  if (!fields.has("before")) return std::nullopt;
  const auto before = parse_before(fields.words("before"), lookups.zones());
  if (!before) {
    fields.reject("before", "rest_invalid_date",
                  base::Message("The “before” filter must be a date such as 2026-11-21, or a "
                                "time such as 2026-11-21T05:00:00Z."));
  } else if (*before > now) {
    fields.reject(
        "before", "rest_invalid_date",
        base::Message(
            "This time is in the future. To delete all ratings, select “all” instead of a time."));
  }
  return before;
}

// Reads all filters of a deletion. If both the `to` and the `before` filter are sent, ratings must
// match both filters.
Selection read_clean_selection(json::Fields& fields, const Lookups& lookups, base::Time now) {
  Selection selection = read_selection(fields, lookups);
  read_days(fields, lookups, selection);
  const auto before = read_before(fields, lookups, now);
  if (before) selection.before = std::min(*before, selection.before.value_or(*before));
  return selection;
}

// Rejects a deletion that selects no data, or that both selects data and requests the deletion of
// all data. A malformed filter is a filter, too.
void check_extent(json::Fields& fields, CleanScope scope) {
  const bool has_filter =
      fields.has("before") ||
      std::ranges::any_of(kFilters, [&](std::string_view name) { return fields.has(name); });
  const bool is_for_all = fields.boolean("all").value_or(false);
  if (has_filter && !takes_filters(scope)) {
    fields.reject("scope", "rest_invalid_param",
                  base::Message("Filters are allowed only in deletions of ratings and IP "
                                "addresses. To delete settings or templates, send \"all\": true."));
  } else if (has_filter && is_for_all) {
    fields.reject("all", "rest_invalid_param",
                  base::Message("Send either filters or \"all\": true, but not both."));
  } else if (!has_filter && !is_for_all) {
    fields.reject(
        "all", "rest_invalid_param",
        takes_filters(scope)
            ? base::Message(
                  "Send at least one filter (“object_id”, “object_type”, “user_id”, “issuer” with "
                  "“subject”, “from”, “to”, “before” or “ratings”), or send \"all\": true.")
            : base::Message("The “all” parameter must be true."));
  }
}

}  // namespace

std::string rating_id(const model::RatingKey& key) {
  return std::to_string(key.object.id) + '/' + key.object.type + '/' +
         std::string(name_of(key.category)) + '/' + std::to_string(key.voter);
}

std::vector<model::RatingKey> read_rating_ids(json::Fields& fields, std::string_view name,
                                              base::Message message) {
  std::vector<model::RatingKey> keys;
  const auto texts = fields.list(name);
  if (!texts) return keys;
  for (const std::string& text : *texts) {
    if (const auto key = parse_rating_id(text)) keys.push_back(*key);
  }
  if (keys.empty() || keys.size() != texts->size()) {
    fields.reject(name, "rest_invalid_pattern", std::move(message));
  }
  return keys;
}

Selection read_selection(json::Fields& fields, const Lookups& lookups) {
  Selection selection;
  if (fields.has("object_id")) selection.object_id = fields.object_id("object_id");
  selection.object_type = fields.object_type("object_type");
  if (selection.object_type) {
    selection.posts = lookups.posts_of(*selection.object_type);
  }
  if (fields.has("user_id")) selection.voter = fields.object_id("user_id");
  selection.visitor = read_visitor(fields);
  const bool has_others =
      !selection.is_all() || fields.has("before") || fields.has("from") || fields.has("to");
  selection.ratings =
      read_rating_ids(fields, "ratings",
                      base::Message("The “ratings” filter must be a list of rating IDs. "
                                    "Analytics requests with ids=true return these IDs."));
  if (!selection.ratings.empty() && has_others) {
    fields.reject("ratings", "rest_invalid_param",
                  base::Message("Send the “ratings” filter without other filters."));
  } else if (selection.ratings.size() > Selection::kMaxRatings) {
    fields.reject("ratings", json::kOutOfBounds,
                  base::Message("Send at most 100 ratings in one request."));
  }
  return selection;
}

ImportRequest read_import(json::Fields& fields, Format usual) {
  constexpr std::array<std::string_view, 2> kNames = {"format", "dry_run"};
  fields.reject_unknown(kNames);
  ImportRequest request;
  request.format = read_format(fields, usual);
  if (fields.boolean("dry_run").value_or(false)) request.mode = Import::Mode::preview;
  return request;
}

ExportRequest read_export(json::Fields& fields, const Lookups& lookups, Format usual) {
  fields.reject_unknown(with_filters({"scope", "format"}));
  ExportRequest request;
  request.format = read_format(fields, usual);
  request.selection = read_selection(fields, lookups);
  read_days(fields, lookups, request.selection);
  request.scopes = read_scopes(fields, request.selection);
  return request;
}

CleanRequest read_clean(json::Fields& fields, const Lookups& lookups, base::Time now) {
  const bool is_misspelled =
      fields.reject_unknown(with_filters({"scope", "confirm", "all", "before"}));
  fields.require("scope");
  CleanRequest request{static_cast<CleanScope>(fields.choice("scope", kCleanScopes).value_or(0)),
                       read_clean_selection(fields, lookups, now)};
  if (!fields.boolean("confirm").value_or(false)) {
    fields.reject(
        "confirm", "rest_invalid_param",
        base::Message(
            "The “confirm” parameter must be true, because deleted data cannot be restored."));
  }
  if (!is_misspelled) check_extent(fields, request.scope);
  return request;
}

}  // namespace transfer
