#include "transfer/requests.h"

#include <gtest/gtest.h>

#include "support/clock.h"

namespace {

using support::kNoon;
using transfer::CleanScope;

// Simulates a site in Berlin with posts of type "book".
const transfer::Lookups kSite{
    .posts_of = [](const std::string& type) { return type == "book" ? "SELECT 1" : ""; },
    .zones = [] { return base::ZoneHistory(base::Zone::named("Europe/Berlin").value()); }};

using Values = std::map<std::string, json::Value>;
using Names = std::vector<std::string>;

Names names_of(const std::vector<json::FieldError>& errors) {
  Names names;
  for (const json::FieldError& error : errors) names.push_back(error.field);
  return names;
}

// Parses a deletion request. Returns the request, and the name of the first invalid parameter.
std::pair<transfer::CleanRequest, std::string> clean(const json::Parameters& parameters) {
  json::Fields fields(parameters);
  auto request = transfer::read_clean(fields, kSite, kNoon);
  return {std::move(request), fields.invalid().empty() ? "" : fields.invalid().front().field};
}

json::Parameters parameters(const std::map<std::string, json::Value>& values) {
  json::Parameters parameters;
  for (const auto& [name, value] : values) parameters.add(name, value);
  return parameters;
}

TEST(CleanRequest, TextsOfACommandMeanTheSameAsJson) {
  const json::Parameters of_command = parameters({{"scope", {"addresses"}},
                                                  {"object_id", {"42"}},
                                                  {"object_type", {"Book"}},
                                                  {"before", {"2026-11-21"}},
                                                  {"confirm", {"true"}}});
  const json::Parameters of_http = parameters({{"scope", {"addresses"}},
                                               {"object_id", {json::Value::Number{"42"}}},
                                               {"object_type", {"Book"}},
                                               {"before", {"2026-11-20T23:00:00Z"}},
                                               {"confirm", {true}}});
  for (const json::Parameters& one : {of_command, of_http}) {
    const auto [request, wrong] = clean(one);
    EXPECT_EQ(wrong, "");
    EXPECT_EQ(request.scope, CleanScope::addresses);
    EXPECT_EQ(request.selection.object_id, 42U);
    EXPECT_EQ(request.selection.object_type, "book");
    EXPECT_EQ(request.selection.posts, "SELECT 1");
    EXPECT_EQ(request.selection.before, kNoon - std::chrono::hours(13));  // midnight in Berlin
  }
}

// Returns the names of all invalid parameters in a confirmed request to delete ratings.
Names wrong_in(Values values) {
  values.insert({{"scope", {"ratings"}}, {"confirm", {true}}});
  const json::Parameters all = parameters(values);
  json::Fields fields(all);
  static_cast<void>(transfer::read_clean(fields, kSite, kNoon));
  return names_of(fields.invalid());
}

TEST(CleanRequest, SelectsTheDaysOfTheLastChange) {
  const base::Time midnight = kNoon - std::chrono::hours(13);  // in Berlin
  const Values days = {{"scope", {"ratings"}}, {"confirm", {true}}, {"from", {"2026-11-19"}}};
  const auto [since, wrong] = clean(parameters(days));
  EXPECT_EQ(wrong, "");
  EXPECT_EQ(since.selection.since, midnight - std::chrono::days(2));
  EXPECT_EQ(since.selection.before, std::nullopt);
  Values range = days;
  range["to"] = {"2026-11-20"};
  EXPECT_EQ(clean(parameters(range)).first.selection.before, midnight);
  range["before"] = {"2026-11-20"};
  EXPECT_EQ(clean(parameters(range)).first.selection.before, midnight - std::chrono::days(1));
  range["before"] = {"2026-11-21T01:00:00Z"};
  EXPECT_EQ(clean(parameters(range)).first.selection.before, midnight);
  EXPECT_EQ(wrong_in({{"from", {"2026-11-20"}}, {"to", {"2026-11-19"}}}), Names{"from"});
  EXPECT_EQ(wrong_in({{"to", {"2026-11-19"}}, {"all", {true}}}), Names{"all"});
}

TEST(CleanRequest, RefusesFiltersThatDoNotExist) {
  for (const char* name : {"category", "objectid", "From", "user", "limit"}) {
    EXPECT_EQ(wrong_in({{"user_id", {"7"}}, {name, {"1"}}}), Names{name});
    EXPECT_EQ(wrong_in({{name, {"1"}}}), Names{name});
  }
  EXPECT_EQ(wrong_in({{"user_id", {"7"}}, {"_locale", {"user"}}, {"rest_route", {"/"}}}), Names());
}

TEST(CleanRequest, MalformedFilterIsAFilter) {
  const std::pair<const char*, const char*> malformed[] = {
      {"object_id", "x"}, {"object_type", "a b"}, {"user_id", "0"},  {"ratings", "x"},
      {"before", "soon"}, {"from", "soon"},       {"to", "tomorrow"}};
  for (const auto& [name, value] : malformed) {
    EXPECT_EQ(wrong_in({{name, {value}}}), Names{name});
  }
  EXPECT_EQ(wrong_in({{"all", {"perhaps"}}}), Names{"all"});
  EXPECT_EQ(wrong_in({}), Names{"all"});
}

TEST(CleanRequest, DeletesNothingWithoutConfirmationOrByMistake) {
  const std::pair<Values, std::string> wrong[] = {
      {{{"scope", {"ratings"}}, {"all", {"true"}}}, "confirm"},
      {{{"scope", {"ratings"}}, {"confirm", {"true"}}}, "all"},
      {{{"scope", {"ratings"}}, {"confirm", {"true"}}, {"all", {"true"}}, {"user_id", {"7"}}},
       "all"},
      {{{"scope", {"settings"}}, {"confirm", {"true"}}, {"user_id", {"7"}}}, "scope"},
      {{{"scope", {"ratings"}}, {"confirm", {"true"}}, {"before", {"2026-11-22"}}}, "before"},
      {{{"scope", {"ratings"}}, {"confirm", {"true"}}, {"user_id", {"7"}}, {"issuer", {"shop"}}},
       "subject"}};
  for (const auto& [values, field] : wrong) EXPECT_EQ(clean(parameters(values)).second, field);
}

TEST(ExportRequest, HasOnlyRatingsIfASelectionIsGiven) {
  const json::Parameters nothing;
  json::Fields none(nothing);
  EXPECT_TRUE(transfer::read_export(none, kSite, transfer::Format::csv).scopes.settings);
  const json::Parameters user = parameters({{"user_id", {"7"}}, {"format", {"ndjson"}}});
  json::Fields fields(user);
  const auto request = transfer::read_export(fields, kSite, transfer::Format::csv);
  EXPECT_FALSE(request.scopes.settings);
  EXPECT_EQ(request.format, transfer::Format::ndjson);
  EXPECT_EQ(request.selection.voter, 7U);
}

TEST(ExportRequest, RefusesFiltersThatDoNotExist) {
  const json::Parameters misspelled = parameters({{"objectid", {"7"}}, {"_fields", {"x"}}});
  json::Fields fields(misspelled);
  static_cast<void>(transfer::read_export(fields, kSite, transfer::Format::csv));
  EXPECT_EQ(names_of(fields.invalid()), Names{"objectid"});
}

TEST(ImportRequest, RefusesAMisspelledDryRun) {
  const json::Parameters misspelled = parameters({{"dryrun", {"true"}}});
  json::Fields fields(misspelled);
  static_cast<void>(transfer::read_import(fields, transfer::Format::csv));
  EXPECT_EQ(names_of(fields.invalid()), Names{"dryrun"});
}

}  // namespace
