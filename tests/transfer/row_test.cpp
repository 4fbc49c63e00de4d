#include "transfer/row.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/settings.h"
#include "support/clock.h"
#include "transfer/row_file.h"

namespace {

using model::Category;
using rollups::Aggregate;
using support::kNoon;
using transfer::EndRow;
using transfer::Format;
using transfer::Row;
using transfer::RowReader;
using transfer::SettingRow;
using transfer::StoredRating;
using namespace std::chrono_literals;

constexpr const char* kTemplate =
    R"(<div data-object-id="{{OBJECT_ID}}" data-object-type="{{OBJECT_TYPE}}" )"
    R"(data-category="{{CATEGORY}}" data-template="{{TEMPLATE}}" )"
    R"(data-user-rating="{{USER_RATING}}">)"
    R"(<button type="button" data-value="1" aria-pressed="false">+</button></div>)";

constexpr transfer::Scopes kAll{.ratings = true, .settings = true, .templates = true};

// Contains the rows of a file, or the error if the file cannot be read.
struct Outcome {
  std::vector<Row> rows;
  std::vector<std::string> refused;  // "line: sentence"
};

Outcome read(Format format, std::string_view file, std::size_t piece = 1000) {
  Outcome outcome;
  const auto take = [&](std::int64_t line, const RowReader::Members& members) {
    auto row = members ? transfer::read_row(*members, kNoon) : tl::unexpected(members.error());
    if (row) return outcome.rows.push_back(*std::move(row));
    outcome.refused.push_back(std::to_string(line) + ": " + row.error().text());
  };
  RowReader reader(format);
  for (; !file.empty(); file.remove_prefix(std::min(piece, file.size()))) {
    reader.read(file.substr(0, piece), take);
  }
  reader.finish(take);
  return outcome;
}

std::string written(Format format, const Row& row) {
  const transfer::RowWriter writer(format, kAll);
  std::string file;
  writer.begin(file);
  writer.write(row, file);
  return file;
}

// Reads a single JSON row, and returns the error.
std::string refusal(const std::string& json) {
  const Outcome outcome = read(Format::ndjson, json);
  return outcome.refused.empty() ? "" : outcome.refused.front().substr(3);
}

StoredRating users_rating() {
  return {{{42, "post"}, Category::scale, 7}, 800, kNoon - 48h, kNoon - 1us, {}, ""};
}

StoredRating visitors_rating() {
  return {{{9223372036854775807U, "my.type"}, Category::bipolar, model::kAnonymousBit | 0xAB},
          -1000,
          kNoon - 1h,
          kNoon - 1h,
          StoredRating::Hold{votes::kFewNetworks | votes::kOneAgent, kNoon},
          ""};
}

// Returns a rating by a visitor of the front end "my-shop.1". The visitor's name contains
// characters that must be escaped.
StoredRating named_visitors_rating(std::string subject = "=a,\"b\"\n'\xC3\xA9;-1") {
  StoredRating rating = visitors_rating();
  rating.visitor = model::FrontEndVisitor{"my-shop.1", std::move(subject)};
  return rating;
}

Aggregate aggregate() {
  Aggregate aggregate{{{42, "post"},
                       Category::bipolar,
                       base::Day(std::chrono::year(2025) / 3 / 1),
                       "wp-postratings"},
                      {}};
  aggregate.sums.sum = -2000;
  aggregate.sums.bins = {3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1};
  aggregate.sums.last_rated_at = kNoon - 100h;
  return aggregate;
}

template <typename Value>
void expect_to_come_back(const Value& value) {
  for (const Format format : {Format::ndjson, Format::csv}) {
    const Outcome outcome = read(format, written(format, value));
    ASSERT_EQ(outcome.refused, std::vector<std::string>());
    ASSERT_EQ(outcome.rows.size(), 1U);
    ASSERT_TRUE(std::holds_alternative<Value>(outcome.rows.front()));
    EXPECT_EQ(std::get<Value>(outcome.rows.front()), value);
  }
}

TEST(Row, RatingsAndAggregatesComeBack) {
  expect_to_come_back(users_rating());
  expect_to_come_back(visitors_rating());
  expect_to_come_back(named_visitors_rating());
  expect_to_come_back(named_visitors_rating(" "));
  expect_to_come_back(named_visitors_rating(std::string(255, '\'')));
  expect_to_come_back(named_visitors_rating(std::string("\0\x1B\r", 3)));
  StoredRating rating = visitors_rating();
  rating.reason = "=a,\"b\"\r\n'\xC3\xA9;-1\t'";
  expect_to_come_back(rating);
  expect_to_come_back(aggregate());
}

TEST(Row, TemplatesComeBack) {
  model::Template look;
  look.slug = "mine/heart";
  look.name = "=Heart, \"big\"";
  look.description = "'two\nlines";
  look.html = kTemplate;
  look.css = "button{color:red}";
  const Outcome outcome = read(Format::csv, written(Format::csv, look));
  ASSERT_EQ(outcome.refused, std::vector<std::string>());
  expect_to_come_back(std::get<model::Template>(outcome.rows.front()));
}

TEST(Row, EverySettingComesBack) {
  for (const model::Setting& setting : model::all_settings()) {
    const SettingRow row{&setting, setting.get(model::Settings())};
    for (const Format format : {Format::ndjson, Format::csv}) {
      const Outcome outcome = read(format, written(format, row));
      ASSERT_EQ(outcome.refused, std::vector<std::string>());
      ASSERT_EQ(outcome.rows.size(), 1U);
      const auto& back = std::get<SettingRow>(outcome.rows.front());
      EXPECT_EQ(back.setting, &setting);
      EXPECT_EQ(back.value, row.value) << setting.name;
    }
  }
}

TEST(Row, IsWrittenAsDocumented) {
  EXPECT_EQ(written(Format::ndjson, users_rating()),
            R"({"kind":"rating","object_id":42,"object_type":"post","category":"scale",)"
            R"("user_id":7,"value":0.8,"created_at":"2026-11-19T12:00:00.000000Z",)"
            R"("rated_at":"2026-11-21T11:59:59.999999Z"})"
            "\n");
  EXPECT_EQ(written(Format::ndjson, visitors_rating()),
            R"({"kind":"rating","object_id":9223372036854775807,"object_type":"my.type",)"
            R"("category":"bipolar","visitor":"v80000000000000ab","value":-1,)"
            R"("created_at":"2026-11-21T11:00:00.000000Z",)"
            R"("rated_at":"2026-11-21T11:00:00.000000Z","held":["few_networks","one_agent"],)"
            R"("held_at":"2026-11-21T12:00:00.000000Z"})"
            "\n");
  EXPECT_NE(written(Format::ndjson, named_visitors_rating("anna"))
                .find(R"("visitor":"v80000000000000ab","issuer":"my-shop.1","subject":"anna",)"),
            std::string::npos);
  EXPECT_EQ(written(Format::ndjson, aggregate()),
            R"({"kind":"balance","object_id":42,"object_type":"post","category":"bipolar",)"
            R"("day":"2025-03-01","source":"wp-postratings","sum":-2,)"
            R"("bins":[3,0,0,0,0,4,0,0,0,0,1],"last_rated_at":"2026-11-17T08:00:00.000000Z"})"
            "\n");
  EXPECT_EQ(written(Format::ndjson, EndRow{12}), "{\"kind\":\"end\",\"rows\":12}\n");
}

TEST(Row, CsvHasTheColumnsOfItsScopes) {
  const transfer::RowWriter writer(Format::csv, {.settings = true});
  std::string file;
  writer.begin(file);
  writer.write(EndRow{0}, file);
  EXPECT_EQ(file, "kind,name,value,rows\r\nend,,,0\r\n");
}

TEST(Row, RatingsAreCheckedAsVotesAre) {
  const std::string rest = R"(,"user_id":7,"rated_at":"2026-11-21T11:00:00Z"})";
  const std::string post = R"({"kind":"rating","object_id":1,)";
  EXPECT_EQ(refusal(post + R"("category":"binary","value":"1")" + rest), "");
  EXPECT_EQ(refusal(R"({"kind":"rating","object_id":0,"category":"binary","value":1)" + rest),
            "object_id must be an integer from 1 to 9223372036854775807.");
  EXPECT_EQ(refusal(post + R"("object_type":"a b","category":"binary","value":1)" + rest),
            "The “object_type” field must be 1 to 64 characters long. Only letters (A-Z, a-z), "
            "digits, underscores, dots, colons and hyphens are allowed.");
  EXPECT_EQ(refusal(post + R"("category":"stars","value":1)" + rest),
            "The “category” field must be binary, bipolar or scale.");
  EXPECT_EQ(refusal(post + R"("category":"binary","value":0.5)" + rest),
            "The value must be 0 or 1 for the “binary” category.");
  EXPECT_EQ(refusal(post + R"("category":"bipolar","value":2)" + rest),
            "The value must be -1, 0 or 1 for the “bipolar” category.");
  EXPECT_EQ(refusal(post + R"("category":"scale","value":1.1)" + rest),
            "The value must be from 0 to 1 for the “scale” category.");
  EXPECT_EQ(refusal(post + R"("category":"scale")" + rest),
            "The value must be from 0 to 1 for the “scale” category.");
}

TEST(Row, ReasonsAreCheckedAsThoseOfVotesAre) {
  const auto refused = [](const std::string& value, const std::string& reason) {
    return refusal(R"({"kind":"rating","object_id":1,"category":"scale","user_id":7,)"
                   R"("rated_at":"2026-11-21T11:00:00Z","value":)" +
                   value + R"(,"reason":")" + reason + R"("})");
  };
  EXPECT_EQ(refused("0.5", std::string(1000, 'a')), "");
  EXPECT_EQ(refused("0.5", std::string(1001, 'a')),
            "reason must contain 0 to 1000 characters. Control characters are not allowed.");
  EXPECT_EQ(refused("0.5", "\\u0000"),
            "reason must contain 0 to 1000 characters. Control characters are not allowed.");
  EXPECT_EQ(refused("0.501", "a"), "The “reason” field is allowed only with a low rating.");
}

TEST(Row, ReasonsAreTrimmedLikeReasonsInVotes) {
  const auto reason_in = [](const std::string& value, const std::string& reason) {
    const Outcome outcome =
        read(Format::ndjson, R"({"kind":"rating","object_id":1,"category":"binary","user_id":7,)"
                             R"("rated_at":"2026-11-21T11:00:00Z","value":)" +
                                 value + R"(,"reason":")" + reason + R"("})");
    EXPECT_EQ(outcome.refused, std::vector<std::string>());
    return outcome.rows.empty() ? "" : std::get<StoredRating>(outcome.rows.front()).reason;
  };
  EXPECT_EQ(reason_in("0", R"( \r\n a\nb\t\n)"), "a\nb");
  EXPECT_EQ(reason_in("1", R"(  \n )"), "") << "a blank reason is none";
}

TEST(Row, TimesAndVotersAreChecked) {
  const std::string start = R"({"kind":"rating","object_id":1,"category":"binary","value":1,)";
  const std::string user = start + R"("user_id":7,)";
  EXPECT_EQ(refusal(user + R"("rated_at":"2026-11-21"})"),
            "rated_at must be a UTC time such as 2026-11-21T05:00:00.000000Z.");
  EXPECT_EQ(refusal(user + R"("rated_at":"2026-11-21T13:00:00Z"})"), "rated_at is in the future.");
  EXPECT_EQ(refusal(user + R"("rated_at":"2026-11-20T11:00:00Z",)"
                           R"("created_at":"2026-11-21T11:00:00Z"})"),
            "The “created_at” time must not be after the “rated_at” time.");
  const std::string at = R"(,"rated_at":"2026-11-21T11:00:00Z"})";
  EXPECT_EQ(refusal(start + R"("user_id":0)" + at),
            "user_id must be an integer from 1 to 9223372036854775807.");
  for (const char* visitor : {"8000000000000001", "v7fffffffffffffff", "v80", "vx"}) {
    EXPECT_EQ(refusal(start + R"("visitor":")" + visitor + '"' + at),
              "The “visitor” field must be the letter v followed by 16 hexadecimal digits, "
              "and the first digit must be from 8 to f.");
  }
  EXPECT_EQ(refusal(start + R"("user_id":7,"visitor":"v8000000000000001")" + at),
            "The “user_id” and “visitor” fields must not both be given.");
  EXPECT_EQ(refusal(start + R"("user_id":7,"held":["why"],"held_at":"2026-11-21T11:00:00Z")" + at),
            "The “held” field must be a list that contains few_networks, one_agent or both.");
}

TEST(Row, NamesOfVisitorsAreChecked) {
  const std::string start = R"({"kind":"rating","object_id":1,"category":"binary","value":1,)"
                            R"("rated_at":"2026-11-21T11:00:00Z",)";
  const std::string visitor = start + R"("visitor":"v8000000000000001",)";
  EXPECT_EQ(refusal(visitor + R"("issuer":"shop","subject":"anna"})"), "");
  EXPECT_EQ(refusal(visitor + R"("issuer":"","subject":null})"), "");
  EXPECT_EQ(refusal(start + R"("user_id":7,"issuer":"shop","subject":"anna"})"),
            "The “issuer” and “subject” fields require the “visitor” field.");
  constexpr const char* kIssuer =
      "The “issuer” field must be 1 to 64 characters long. Only letters (A-Z, a-z), digits, "
      "underscores, dots and hyphens are allowed. The “issuer” and “subject” fields must be given "
      "together.";
  constexpr const char* kSubject =
      "The “subject” field must be 1 to 255 bytes long. The “issuer” and “subject” fields must be "
      "given together.";
  EXPECT_EQ(refusal(visitor + R"("subject":"anna"})"), kIssuer);
  EXPECT_EQ(refusal(visitor + R"("issuer":"a b","subject":"anna"})"), kIssuer);
  EXPECT_EQ(refusal(visitor + R"("issuer":")" + std::string(65, 'a') + R"(","subject":"anna"})"),
            kIssuer);
  EXPECT_EQ(refusal(visitor + R"("issuer":"shop"})"), kSubject);
  EXPECT_EQ(refusal(visitor + R"("issuer":"shop","subject":")" + std::string(256, 'a') + "\"}"),
            kSubject);
  EXPECT_EQ(refusal(visitor + R"("issuer":"shop","subject":7})"), "subject must be a string.");
}

TEST(Row, AggregatesMustBePossible) {
  const auto aggregate = [](const std::string& category, const std::string& sum,
                            const std::string& bins) {
    return refusal(R"({"kind":"balance","object_id":1,"category":")" + category +
                   R"(","day":"2026-01-01","source":"x","sum":)" + sum + R"(,"bins":")" + bins +
                   R"(","last_rated_at":"2026-01-01T00:00:00Z"})");
  };
  EXPECT_EQ(aggregate("binary", "2", "1 0 0 0 0 0 0 0 0 0 2"), "");
  EXPECT_EQ(aggregate("scale", "0.049", "1 0 0 0 0 0 0 0 0 0 0"), "");
  EXPECT_EQ(aggregate("scale", "0.05", "1 0 0 0 0 0 0 0 0 0 0"),
            "The “sum” and “bins” fields contradict each other.");
  EXPECT_EQ(aggregate("binary", "3", "1 0 0 0 0 0 0 0 0 0 2"),
            "The “sum” and “bins” fields contradict each other.");
  EXPECT_EQ(aggregate("binary", "1", "0 0 1 0 0 0 0 0 0 0 0"),
            "The “sum” and “bins” fields contradict each other.");
  EXPECT_EQ(aggregate("binary", "0", "0 0 0 0 0 0 0 0 0 0 0"),
            "The counts in the “bins” field must not all be 0.");
  EXPECT_EQ(aggregate("binary", "0", "1 2"), "The “bins” field must be a list of 11 counts.");
  EXPECT_EQ(aggregate("binary", "0", "-1 0 0 0 0 0 0 0 0 0 1"),
            "The “bins” field must be a list of 11 counts.");
  EXPECT_EQ(aggregate("scale", "0.0001", "1 0 0 0 0 0 0 0 0 0 0"),
            "The “sum” field must be a number with at most three decimal places.");
}

TEST(Row, UnknownKindsAndSettingsAreRefused) {
  EXPECT_EQ(refusal("{}"), "The “kind” field must be rating, balance, setting, template or end.");
  EXPECT_EQ(refusal(R"({"kind":"setting","name":"colour","value":1})"),
            "The “name” field must contain the name of a setting.");
  EXPECT_NE(refusal(R"({"kind":"setting","name":"retention_months","value":-1})"), "");
  EXPECT_NE(refusal(R"({"kind":"template","slug":"simple/heart","category":"binary"})"), "");
}

TEST(RowReader, PiecesMayEndAnywhere) {
  for (const Format format : {Format::ndjson, Format::csv}) {
    const transfer::RowWriter writer(format, kAll);
    std::string file;
    writer.begin(file);
    writer.write(users_rating(), file);
    writer.write(visitors_rating(), file);
    writer.write(SettingRow{model::find_setting("enabled"), true}, file);
    for (std::size_t piece = 1; piece < 40; ++piece) {
      const Outcome outcome = read(format, file, piece);
      EXPECT_EQ(outcome.refused, std::vector<std::string>());
      ASSERT_EQ(outcome.rows.size(), 3U);
      EXPECT_EQ(std::get<StoredRating>(outcome.rows[1]), visitors_rating());
    }
  }
}

TEST(RowReader, LastLineBreakMayBeMissing) {
  EXPECT_EQ(read(Format::ndjson, R"({"kind":"end","rows":0})").rows.size(), 1U);
  EXPECT_EQ(read(Format::csv, "kind,rows\r\nend,0").rows.size(), 1U);
}

TEST(RowReader, EmptyLinesAndAByteOrderMarkArePassedOver) {
  const std::string end = R"({"kind":"end","rows":0})";
  EXPECT_EQ(read(Format::ndjson, "\xEF\xBB\xBF" + end + "\n\r\n\n" + end + "\n").rows.size(), 2U);
  EXPECT_EQ(read(Format::csv, "\xEF\xBB\xBFkind,rows\n\nend,0\n").rows.size(), 1U);
}

TEST(RowReader, SaysInWhichLineARowBegins) {
  const std::string end = R"({"kind":"end","rows":0})";
  EXPECT_EQ(read(Format::ndjson, "\n" + end + "\n{\n[1]\n").refused,
            (std::vector<std::string>{
                "3: The line is not JSON: expected a key in double quotes at byte 1.",
                "4: The line is not a JSON object."}));
  EXPECT_EQ(read(Format::csv, "kind,\"a\nb\"\nend\n\"x\ny\",\nend,a\"\n").refused,
            (std::vector<std::string>{
                "3: This row has a different number of fields (1) than the first row (2).",
                "4: The “kind” field must be rating, balance, setting, template or end.",
                "6: The row contains a quotation mark in the wrong place."}));
}

TEST(RowReader, TooLongARowIsRefusedAndTheNextIsRead) {
  const std::string end = R"({"kind":"end","rows":0})";
  const Outcome outcome =
      read(Format::ndjson, "{\"kind\":\"" + std::string(RowReader::kMaxRow, 'x') + "\"}\n" + end);
  EXPECT_EQ(outcome.refused.size(), 1U);
  EXPECT_EQ(outcome.rows.size(), 1U);
}

TEST(RowReader, OpenQuoteCostsOneRow) {
  std::string file = "kind,rows\nend,\"1\n";
  for (std::size_t size = file.size(); size < RowReader::kMaxRow + 1000; size += 6) {
    file += "end,0\n";
  }
  const Outcome outcome = read(Format::csv, file);
  EXPECT_EQ(outcome.refused.size(), 1U);
  EXPECT_GT(outcome.rows.size(), 100U);
}

TEST(RowReader, ReadsCsvAsSpreadsheetsSaveIt) {
  for (const std::string& separator : {std::string(","), std::string(";"), std::string("\t")}) {
    for (const std::string& end : {std::string("\n"), std::string("\r\n"), std::string("\r")}) {
      for (const std::string& first : {std::string(), "sep=" + separator + end}) {
        const std::string file =
            first + "rows" + separator + "kind" + end + "0" + separator + "\"end\"" + end + end;
        EXPECT_EQ(read(Format::csv, file).rows.size(), 1U) << file;
        EXPECT_EQ(read(Format::csv, file).refused, std::vector<std::string>()) << file;
      }
    }
  }
}

TEST(RowReader, KeepsLineBreaksInQuotesAndCountsLines) {
  EXPECT_EQ(read(Format::csv, "kind\r\"a\r\nb\rc\"\rend,\r\n").refused.size(), 2U);
}

TEST(RowReader, NamesUtf16) {
  const std::string expected = "1: The file is encoded in UTF-16. Please save the file in UTF-8.";
  for (const std::string& file :
       {std::string("\xFF\xFEk\0i\0n\0d\0\n\0e\0n\0d\0\n\0", 20),
        std::string("\xFE\xFF\0k\0i\n", 7), std::string("k\0i\0n\0d\0\n\0e\0", 12)}) {
    EXPECT_EQ(read(Format::csv, file).refused, std::vector<std::string>{expected});
  }
}

TEST(RowReader, NamesCompression) {
  const std::string file("\x1F\x8B\x08\0\0\0\0\0\0\x03\"\n{\n\xAB", 15);
  for (const Format format : {Format::csv, Format::ndjson}) {
    EXPECT_EQ(read(format, file).refused,
              std::vector<std::string>{"1: Please decompress the file first."});
  }
}

TEST(Rows, IdsHaveNoFractionAndNoExponent) {
  for (const char* const id : {"1.23457E+11", "1e3", "12.0", "12,0"}) {
    const std::string row = std::string("kind,object_id,category,value,user_id,rated_at\nrating,") +
                            (std::string(id) == "12,0" ? "\"12,0\"" : id) +
                            ",binary,1,7,2026-01-10T12:00:00Z\n";
    EXPECT_EQ(read(Format::csv, row).refused.size(), 1U) << id;
  }
}

}  // namespace
