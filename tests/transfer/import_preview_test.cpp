// Tests the preview of an import in lib/transfer/import.h.

#include <gtest/gtest.h>

#include <string>

#include "store/template_store.h"
#include "support/voting.h"
#include "transfer/import.h"

namespace {

using transfer::Import;
using transfer::ImportReport;
using namespace std::chrono_literals;

class ImportPreview : public support::Voting {
 protected:
  ImportReport read(const std::string& rows, Import::Mode mode) {
    Import import(connection_, transfer::Format::ndjson, support::kNoon, mode);
    import.read(rows);
    return import.finish();
  }
  // Returns the preview. Checks that the preview stores nothing, and that it reports the same
  // counts as the import.
  ImportReport preview(const std::string& rows) {
    const std::string before = all();
    ImportReport report = read(rows, Import::Mode::preview);
    EXPECT_EQ(all(), before);
    const ImportReport stored = read(rows, Import::Mode::store);
    EXPECT_EQ(report.read, stored.read);
    EXPECT_EQ(report.added, stored.added);
    EXPECT_EQ(report.changed, stored.changed);
    EXPECT_EQ(report.kept, stored.kept);
    EXPECT_EQ(report.too_old, stored.too_old);
    EXPECT_EQ(report.refused, stored.refused);
    EXPECT_EQ(report.is_complete, stored.is_complete);
    EXPECT_TRUE(stored.by_object.empty());
    expect_verified();
    return report;
  }
  std::string all() {
    std::string text;
    for (const char* const query :
         {"SELECT CONCAT_WS(' ', object_type, object_id, voter, value, rated_at) AS line"
          " FROM wp_ratingd_votes ORDER BY line",
          "SELECT CONCAT_WS(' ', object_type, object_id, day, source, sum) AS line"
          " FROM wp_ratingd_balances ORDER BY line",
          "SELECT CONCAT_WS(' ', name, value) AS line FROM wp_ratingd_settings ORDER BY line",
          "SELECT slug AS line FROM wp_ratingd_templates ORDER BY line"}) {
      for (db::Rows row = connection_.query(query); row.next();) text += row.text(1) + "\n";
    }
    return text;
  }
  static std::string rating(int object, int user, const std::string& day,
                            const std::string& value = "0.5") {
    return R"({"kind":"rating","object_id":)" + std::to_string(object) +
           R"(,"category":"scale","value":)" + value + R"(,"user_id":)" + std::to_string(user) +
           R"(,"rated_at":"2026-01-)" + day + "T12:00:00Z\"}\n";
  }
  static std::string held(int object, int user, const std::string& day) {
    std::string text = rating(object, user, day);
    text.insert(text.rfind('}'),
                R"(,"held_at":"2026-01-)" + day + R"(T12:00:00Z","held":["few_networks"])");
    return text;
  }
  static std::string aggregate(int object, const std::string& source, int votes) {
    const std::string n = std::to_string(votes);
    return R"({"kind":"balance","object_id":)" + std::to_string(object) +
           R"(,"category":"binary","day":"2025-03-01","source":")" + source + R"(","sum":)" + n +
           R"(,"bins":[0,0,0,0,0,0,0,0,0,0,)" + n + R"(],"last_rated_at":"2025-03-01T08:00:0)" + n +
           "Z\"}\n";
  }
  // Returns an aggregate of scale ratings on a day in January 2026.
  static std::string aggregate(int object, const std::string& source, int votes,
                               const std::string& day) {
    const std::string n = std::to_string(votes);
    return R"({"kind":"balance","object_id":)" + std::to_string(object) +
           R"(,"category":"scale","day":"2026-01-)" + day + R"(","source":")" + source +
           R"(","sum":)" + n + R"(,"bins":[0,0,0,0,0,0,0,0,0,0,)" + n +
           R"(],"last_rated_at":"2026-01-)" + day + "T08:00:00Z\"}\n";
  }

  static std::string setting(const std::string& name, const std::string& value) {
    return R"({"kind":"setting","name":")" + name + R"(","value":)" + value + "}\n";
  }
  // Returns the database of the first site in a network.
  db::Endpoint endpoint_of_network() {
    db::Endpoint endpoint = database_.ratingctl();
    endpoint.network_prefix = endpoint.table_prefix;
    return endpoint;
  }

  db::Connection connection_{endpoint_of_network()};
};

TEST_F(ImportPreview, CountsRatingsByObject) {
  read(rating(1, 7, "10"), Import::Mode::store);
  const ImportReport report =
      preview(rating(1, 7, "09") + rating(1, 8, "10") + rating(2, 7, "10") + rating(2, 8, "10") +
              rating(2, 8, "11") + rating(3, 7, "10", "7") + "{\"kind\":\"end\",\"rows\":6}\n");
  EXPECT_EQ(report.added, 3U);
  EXPECT_EQ(report.changed, 1U);
  EXPECT_EQ(report.kept, 1U);
  EXPECT_EQ(report.refused, 1U);
  EXPECT_EQ(report.objects, 2U);
  ASSERT_EQ(report.by_object.size(), 2U);
  EXPECT_EQ(report.by_object[0].first, (model::Object{2, "post"}));
  EXPECT_EQ(report.by_object[0].second, (transfer::MergeCounts{.added = 2, .changed = 1}));
  EXPECT_EQ(report.by_object[1].second, (transfer::MergeCounts{.added = 1, .kept = 1}));
}

TEST_F(ImportPreview, CountsAggregates) {
  read(aggregate(1, "yasr", 2), Import::Mode::store);
  const ImportReport report =
      preview(aggregate(1, "yasr", 3) + aggregate(1, "yasr", 2) + aggregate(1, "retention", 2) +
              aggregate(2, "yasr", 1) + rating(1, 7, "10"));
  EXPECT_EQ(report.added, 3U);
  EXPECT_EQ(report.changed, 1U);
  EXPECT_EQ(report.kept, 1U);
  EXPECT_EQ(report.objects, 2U);
}

// The aggregate of a day's old votes may include votes that the file also contains as individual
// ratings.
TEST_F(ImportPreview, SkipsAggregatesFromRetentionIfTheFileHasVotesOfTheirDay) {
  read(rating(9, 7, "10"), Import::Mode::store);  // otherwise, the import would be a restore
  const ImportReport report = preview(
      rating(1, 7, "10") + aggregate(1, "retention", 2, "10") + aggregate(1, "retention", 2, "11") +
      aggregate(1, "yasr", 2, "10") + aggregate(2, "retention", 2, "10"));
  EXPECT_EQ(report.added, 4U);
  EXPECT_EQ(report.kept, 1U);
  ASSERT_EQ(report.by_object.size(), 2U);
  EXPECT_EQ(report.by_object[0].first, (model::Object{1, "post"}));
  EXPECT_EQ(report.by_object[0].second, (transfer::MergeCounts{.added = 3, .kept = 1}));
  EXPECT_EQ(report.by_object[1].second, (transfer::MergeCounts{.added = 1}));
}

TEST_F(ImportPreview, CountsAggregatesFromRetentionIfTheirVotesHaveChanged) {
  read(rating(1, 7, "10") + rating(1, 8, "11") + rating(1, 9, "11"), Import::Mode::store);
  // The imported file moves the only vote on January 10 first to January 12 and then to January 13,
  // and moves one of the two votes on January 11 to January 13.
  const ImportReport report =
      preview(rating(1, 7, "12") + rating(1, 7, "13") + rating(1, 8, "13") +
              aggregate(1, "retention", 2, "10") + aggregate(1, "retention", 2, "11") +
              aggregate(1, "retention", 2, "12"));
  EXPECT_EQ(report.changed, 3U);
  EXPECT_EQ(report.added, 2U);
  EXPECT_EQ(report.kept, 1U);
}

// An aggregate cannot contain a held vote, because held votes are not counted.
TEST_F(ImportPreview, CountsAggregatesFromRetentionBesideHeldVotes) {
  read(held(1, 9, "12"), Import::Mode::store);
  const ImportReport report =
      preview(held(1, 7, "10") + rating(1, 8, "11") + rating(1, 9, "13") +
              aggregate(1, "retention", 2, "10") + aggregate(1, "retention", 2, "11") +
              aggregate(1, "retention", 2, "13"));
  EXPECT_EQ(report.added, 4U);
  EXPECT_EQ(report.changed, 1U);
  EXPECT_EQ(report.kept, 1U);
}

const std::string kHeart =
    R"({"kind":"template","slug":"mine/heart","name":"Heart","category":"binary",)"
    R"("description":"","html":"<div data-object-id=\"{{OBJECT_ID}}\" )"
    R"(data-object-type=\"{{OBJECT_TYPE}}\" data-category=\"{{CATEGORY}}\" )"
    R"(data-template=\"{{TEMPLATE}}\" data-user-rating=\"{{USER_RATING}}\"><button )"
    R"(type=\"button\" data-value=\"1\" aria-pressed=\"false\">+</button></div>","css":""})"
    "\n";

TEST_F(ImportPreview, CountsSettingsAndTemplates) {
  const std::string rows = kHeart + setting("retention_months", "24");
  const ImportReport first = preview(rows);
  EXPECT_EQ(first.added + first.changed, 2U);
  EXPECT_EQ(first.objects, 0U);
  EXPECT_EQ(preview(rows).kept, 2U);
}

TEST_F(ImportPreview, RefusesSettingsThatSelectMissingTemplates) {
  EXPECT_EQ(preview(setting("default_template_scale", R"("mine/heart")") + kHeart).refused, 1U);
  EXPECT_EQ(preview(setting("default_template_binary", R"("mine/absent")")).refused, 1U);
}

TEST_F(ImportPreview, KnowsTheTemplatesThatTheFileAdds) {
  const ImportReport report =
      preview(setting("default_template_binary", R"("mine/heart")") + kHeart);
  EXPECT_EQ(report.refused, 0U);
  EXPECT_EQ(report.changed, 1U);
}

TEST_F(ImportPreview, RefusesSettingsThatTheNetworkEnforces) {
  connection_.execute("INSERT INTO wp_ratingd_settings VALUES ('network.cooldown_seconds', '9')");
  const ImportReport report =
      preview(setting("cooldown_seconds", "8") + setting("retention_months", "24"));
  EXPECT_EQ(report.refused, 1U);
  EXPECT_EQ(report.changed, 1U);
}

// The report lists only a hundred objects, but counts all objects.
TEST_F(ImportPreview, ListsTheObjectsWithTheMostRows) {
  std::string rows;
  for (int object = 1; object <= 150; ++object) rows += rating(object, 7, "10");
  rows += rating(150, 8, "10");
  const ImportReport report = preview(rows);
  EXPECT_EQ(report.objects, 150U);
  ASSERT_EQ(report.by_object.size(), ImportReport::kMaxObjects);
  EXPECT_EQ(report.by_object.front().first.id, 150U);
  EXPECT_EQ(report.by_object.back().first.id, 99U);
}

}  // namespace
