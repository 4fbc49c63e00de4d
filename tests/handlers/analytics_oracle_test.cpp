// Tests lib/handlers/analytics_*.cpp with random votes over several months and with random
// analytics requests. The responses must contain exactly the figures that result from counting the
// stored votes. The test computes days with the C library's localtime() and rankings with exact
// fractions, so the expected figures do not depend on the service's code.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "analytics/materialized_lists.h"
#include "base/timestamp.h"
#include "handlers/handlers.h"
#include "rollups/verification.h"
#include "support/answers.h"
#include "support/clock.h"
#include "support/service.h"
#include "support/wordpress_cms.h"

namespace {

using support::parsed;
using Day = std::int64_t;                            // from 1970-01-01
using Key = std::tuple<std::string, std::uint64_t>;  // type and id

constexpr const char* kCategories[] = {"binary", "bipolar", "scale"};
constexpr int kDays = 220;
const base::Time kStart = base::Day(std::chrono::year(2026) / 8 / 20) + std::chrono::hours(3);
const base::Time kEnd = kStart + std::chrono::days(kDays) + std::chrono::minutes(77);

struct Vote {
  std::uint64_t id;
  std::string type;
  int category;
  std::uint64_t voter;
  std::int64_t value;
  base::Time at;
  Day day;

  [[nodiscard]] Key key() const { return {type, id}; }
  [[nodiscard]] bool is_positive() const { return category < 2 && value > 0; }
  [[nodiscard]] bool is_negative() const {
    return category == 0 ? value == 0 : category == 1 && value < 0;
  }
};

Day local_day(base::Time time) {
  const std::time_t seconds =
      std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  std::tm local{};
  localtime_r(&seconds, &local);
  local.tm_sec = local.tm_min = local.tm_hour = 0;
  return timegm(&local) / 86400;
}

std::tm date_of(Day day) {
  const std::time_t seconds = day * 86400;
  std::tm date{};
  gmtime_r(&seconds, &date);
  return date;
}

std::string text_of(Day day) {
  const std::tm date = date_of(day);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &date);
  return text;
}

// Returns "value" divided by 10^"places", without trailing zeros.
std::string decimal(std::int64_t value, int places) {
  std::string digits = std::to_string(std::llabs(value));
  while (static_cast<int>(digits.size()) <= places) digits.insert(0, "0");
  digits.insert(digits.size() - static_cast<std::size_t>(places), ".");
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return (value < 0 ? "-" : "") + digits;
}

// Computes the mean, to four decimal places, from the sum in thousandths and the number of ratings.
// Rounds halves away from zero.
std::string mean(std::int64_t sum, std::int64_t total) {
  if (total == 0) return "null";
  const std::int64_t size = (std::llabs(sum) * 10 * 2 + total) / (2 * total);
  return decimal(sum < 0 ? -size : size, 4);
}

struct Count {
  std::int64_t total = 0, sum = 0, positive = 0, negative = 0;
  void add(const Vote& vote) {
    ++total;
    sum += vote.value;
    positive += vote.is_positive() ? 1 : 0;
    negative += vote.is_negative() ? 1 : 0;
  }
};

template <typename Items, typename Write>
std::string array(const Items& items, const Write& write) {
  std::string text = "[";
  for (const auto& item : items) text += (text.size() > 1 ? "," : "") + write(item);
  return text + "]";
}

class AnalyticsOracle : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  // A request, and the votes that its response must count.
  struct TestCase {
    std::string query;
    Day first, last;
    int category = -1;
    std::string type;
    std::vector<Vote> votes;
  };

  void SetUp() override {
    const auto& [zone, environment] = GetParam();
    service_.connection().execute("UPDATE wp_ratingd_rollup_state SET zone = '" +
                                  std::string(zone) + "'");
    const bool is_offset = zone[0] == '+' || zone[0] == '-';
    service_.wordpress().set_option("timezone_string", is_offset ? "" : zone);
    if (is_offset) service_.wordpress().set_option("gmt_offset", "5.5");
    service_.wordpress().set_option("start_of_week", std::to_string(week_start_));
    setenv("TZ", environment, 1);
    tzset();
    add_posts();
    cast_votes();
    read_votes();
    const auto is_next_to_midnight = [](const Vote& vote) {
      return local_day(vote.at) != local_day(vote.at - std::chrono::minutes(30));
    };
    EXPECT_GT(std::count_if(votes_.begin(), votes_.end(), is_next_to_midnight), 20);
    EXPECT_TRUE(rollups::find_mismatches(service_.connection()).empty());
  }
  void TearDown() override {
    unsetenv("TZ");
    tzset();
  }

  int random(int below) { return std::uniform_int_distribution<int>(0, below - 1)(engine_); }

  // In the CMS, half of the rated posts have the type "book", although ratingd stores ratings of
  // these posts with the type "post". The CMS returns no titles for automatic drafts.
  static std::string type_in_cms(std::uint64_t id) { return id % 4 == 2 ? "book" : "post"; }
  void add_posts() {
    for (std::uint64_t id = 2; id <= 30; id += id % 4 == 2 ? 1 : 3) {
      service_.wordpress().connection().execute(
          "INSERT INTO wp_posts (ID, post_type, post_status) VALUES (" + std::to_string(id) +
          ", '" + type_in_cms(id) + "', 'auto-draft')");
    }
  }
  static bool is_of_cms(const std::string& type) { return type == "book" || type == "post:post"; }
  static bool is_of_type(const Vote& vote, const std::string& type) {
    if (!is_of_cms(type)) return type.empty() || type == vote.type;
    return vote.type == "post" && type_in_cms(vote.id) == (type == "book" ? "book" : "post");
  }

  void cast_votes() {
    constexpr int kVotes = 3998;
    std::vector<votes::VoteRequest> vote_requests;
    for (int i = 0; i < kVotes; ++i) {
      votes::VoteRequest vote_request;
      // A few objects have most of the votes. The timestamps increase, and each timestamp is used
      // twice.
      const int popular = random(30) * random(30) / 29 + 1;
      const int type = popular % 4;
      vote_request.key.object = {static_cast<std::uint64_t>(popular), type == 0   ? "page"
                                                                      : type == 1 ? "comment"
                                                                                  : "post"};
      vote_request.key.category = static_cast<model::Category>(random(10) < 5 ? 2 : random(3));
      const auto person = static_cast<std::uint64_t>(random(40)) + 1;
      vote_request.key.voter = random(3) > 0 ? person : model::kAnonymousBit | person;
      // Spread the votes evenly over all days, so that many votes are just before or just after
      // midnight.
      constexpr std::chrono::microseconds kSpan = std::chrono::days(kDays);
      vote_request.received_at = kStart + kSpan * (i / 2) / (kVotes / 2);
      if (random(8) > 0) {
        const model::Thousandths values[] = {random(2) * 1000, random(3) * 1000 - 1000,
                                             random(1001)};
        vote_request.value = values[static_cast<int>(vote_request.key.category)];
      }
      vote_requests.push_back(vote_request);
      if (vote_requests.size() == 200 || i + 1 == kVotes) send(vote_requests);
    }
  }

  void send(std::vector<votes::VoteRequest>& vote_requests) {
    const auto vote_results = service_.app().voting.writer.write_all(vote_requests);
    for (std::size_t i = 0; i < vote_requests.size(); ++i) {
      ASSERT_TRUE(vote_results[i]);
      if (vote_results[i]->outcome != votes::VoteResult::Outcome::stored) continue;
      const auto voter = vote_requests[i].key.voter;
      activity_[voter].push_back(vote_requests[i].received_at);
    }
    vote_requests.clear();
  }

  void read_votes() {
    db::Rows row = service_.connection().query(
        "SELECT object_id, object_type, category, voter, value, rated_at FROM wp_ratingd_votes");
    while (row.next()) {
      Vote vote{row.unsigned_integer(1),
                row.text(2),
                static_cast<int>(row.integer(3)),
                row.unsigned_integer(4),
                row.integer(5),
                row.time(6),
                0};
      vote.day = local_day(vote.at);
      votes_.push_back(vote);
    }
    std::sort(votes_.begin(), votes_.end(), [](const Vote& a, const Vote& b) {
      return std::tie(a.at, a.id, a.type, a.category, a.voter) >
             std::tie(b.at, b.id, b.type, b.category, b.voter);
    });
  }

  TestCase ask() {
    TestCase test_case;
    const Day today = local_day(kEnd);
    if (random(3) == 0) {
      const std::tm date = date_of(today);
      const std::map<std::string, Day> names = {
          {"today", today},
          {"7d", today - 6},
          {"30d", today - 29},
          {"90d", today - 89},
          {"this_week", today - (date.tm_wday - week_start_ + 7) % 7},
          {"this_month", today - date.tm_mday + 1},
          {"this_year", today - date.tm_yday},
          {"all", votes_.back().day}};
      const auto name = std::next(names.begin(), random(static_cast<int>(names.size())));
      test_case.query = "period=" + name->first;
      test_case.first = name->second;
      test_case.last = today;
    } else {
      test_case.first = local_day(kStart) + random(kDays + 20) - 10;
      test_case.last = test_case.first + (random(2) == 0 ? random(5) : random(kDays));
      test_case.query = "from=" + text_of(test_case.first) + "&to=" + text_of(test_case.last);
    }
    if (random(3) == 0) {
      test_case.category = random(3);
      test_case.query += std::string("&category=") + kCategories[test_case.category];
    }
    if (random(4) == 0) {
      const char* types[] = {"post", "page", "comment", "nothing", "book", "post:post"};
      test_case.type = types[random(6)];
      test_case.query += "&object_type=" + test_case.type;
    }
    test_case.votes = between(test_case, test_case.first, test_case.last);
    return test_case;
  }

  // Returns whether a materialized list exists for the days and the type in "test_case".
  bool is_listed(const TestCase& test_case) const {
    if (is_of_cms(test_case.type)) return false;
    if (test_case.query.starts_with("period=")) return true;
    const bool has_days = test_case.first <= local_day(kEnd) && test_case.last >= votes_.back().day;
    return has_days && (test_case.type.empty() || !test_case.votes.empty());
  }

  std::vector<Vote> between(const TestCase& test_case, Day first, Day last) const {
    std::vector<Vote> votes;
    for (const Vote& vote : votes_) {
      const bool fits = (test_case.category < 0 || test_case.category == vote.category) &&
                        is_of_type(vote, test_case.type);
      if (fits && first <= vote.day && vote.day <= last) votes.push_back(vote);
    }
    return votes;
  }
  static std::vector<Vote> matching(const std::vector<Vote>& votes,
                                    const std::function<bool(const Vote&)>& fits) {
    std::vector<Vote> result;
    std::copy_if(votes.begin(), votes.end(), std::back_inserter(result), fits);
    return result;
  }
  static std::vector<Vote> of_category(const std::vector<Vote>& votes, int category) {
    return matching(votes, [&](const Vote& vote) { return vote.category == category; });
  }

  static int most_rated_category(const std::vector<Vote>& votes) {
    int most_rated = 0;
    for (int category = 1; category < 3; ++category) {
      if (of_category(votes, category).size() > of_category(votes, most_rated).size()) {
        most_rated = category;
      }
    }
    return most_rated;
  }
  static Count count(const std::vector<Vote>& votes) {
    Count sums;
    for (const Vote& vote : votes) sums.add(vote);
    return sums;
  }

  // Sends a request by an administrator and returns the response.
  json::Value answer(api::Result (*handler)(const api::App&, const api::Call&),
                     const std::string& query, const std::string& argument = "") {
    http::Request request;
    request.method = http::Method::get;
    request.query = query;
    request.received_at = kEnd;
    store::SiteState site;
    site.settings.analytics_cache = std::chrono::seconds(0);
    api::Call call{request, site, argument, {}, {}, {}};
    call.requester.user = cms::User{900, model::Rights::all()};
    call.parameters = api::Parameters::read(request).value();
    const auto result = handler(service_.app(), call);
    EXPECT_TRUE(result) << query << ": " << static_cast<int>(result ? 0 : int(result.error().code));
    if (!result) return {};
    headers_ = result->headers;
    return parsed(result->body);
  }
  [[nodiscard]] std::string header(std::string_view name) const {
    for (const http::Header& header : headers_) {
      if (header.name == name) return header.value;
    }
    return "";
  }
  static json::Value member(const json::Value& value, std::string_view name) {
    const json::Value* found = value.find(name);
    EXPECT_NE(found, nullptr) << name;
    return found == nullptr ? json::Value() : *found;
  }
  static std::string text(const json::Value& value) {
    std::string result;
    json::Writer(result).value(value);
    return result;
  }
  static void expect_equal(const json::Value& data, const std::string& expected,
                           const std::string& query) {
    EXPECT_EQ(text(data), text(parsed(expected))) << query;
  }

  std::int64_t voters_between(Day first, Day last) const {
    return std::count_if(activity_.begin(), activity_.end(), [&](const auto& voter) {
      return std::any_of(voter.second.begin(), voter.second.end(), [&](base::Time at) {
        const Day day = local_day(at);
        return first <= day && day <= last;
      });
    });
  }

  Day start_of(Day day, int interval) const {
    const std::tm date = date_of(day);
    if (interval == 1) return day - (date.tm_wday - week_start_ + 7) % 7;
    return interval == 2 ? day - date.tm_mday + 1 : day;
  }
  std::string points(const TestCase& test_case, const std::vector<Vote>& votes, int interval,
                     bool has_signs) const {
    std::map<Day, Count> counts;
    for (Day day = test_case.first; day <= test_case.last; ++day) counts[start_of(day, interval)];
    for (const Vote& vote : votes) counts[start_of(vote.day, interval)].add(vote);
    return array(counts, [&](const auto& point) {
      const Count& sums = point.second;
      return "{\"date\":\"" + text_of(point.first) + "\",\"count\":" + std::to_string(sums.total) +
             ",\"average\":" + mean(sums.sum, sums.total) +
             ",\"positive\":" + (has_signs ? std::to_string(sums.positive) : "null") +
             ",\"negative\":" + (has_signs ? std::to_string(sums.negative) : "null") + "}";
    });
  }

  // Returns a rating's JSON as it appears in lists. Inserts the JSON text "more" after the object
  // type.
  static std::string rating(const Vote& vote, const std::string& more, bool has_voter) {
    std::string result = "{\"object_id\":" + std::to_string(vote.id) + ",\"object_type\":\"" +
                         vote.type + "\"" + more + ",\"category\":\"" + kCategories[vote.category] +
                         "\",\"value\":" + decimal(vote.value, 3) + ",\"rated_at\":\"" +
                         base::to_rfc3339(vote.at) + "\",\"reason\":null";
    if (has_voter) {
      const bool is_user = vote.voter < (1ULL << 63U);
      result += is_user ? ",\"voter\":{\"type\":\"user\",\"id\":" + std::to_string(vote.voter)
                        : ",\"voter\":{\"type\":\"anonymous\",\"id\":null";
      result += ",\"name\":null,\"issuer\":null,\"subject\":null}";
    }
    return result + "}";
  }
  static std::vector<Vote> page(const std::vector<Vote>& votes, std::size_t offset,
                                std::size_t size) {
    const std::size_t begin = std::min(offset, votes.size());
    return {votes.begin() + static_cast<std::ptrdiff_t>(begin),
            votes.begin() + static_cast<std::ptrdiff_t>(std::min(begin + size, votes.size()))};
  }
  static std::string category_sums(const std::vector<Vote>& votes) {
    const std::string totals =
        by_category(votes, [](const Count& sums) { return std::to_string(sums.total); });
    return "\"totals\":{" + totals + "},\"averages\":{" + averages(votes) + "}";
  }
  static std::string averages(const std::vector<Vote>& votes) {
    return by_category(votes, [](const Count& sums) { return mean(sums.sum, sums.total); });
  }
  template <typename Write>
  static std::string by_category(const std::vector<Vote>& votes, const Write& write) {
    std::string members;
    for (int category = 0; category < 3; ++category) {
      members += std::string(category > 0 ? "," : "") + "\"" + kCategories[category] +
                 "\":" + write(count(of_category(votes, category)));
    }
    return members;
  }
  std::string user(std::uint64_t id, const std::vector<Vote>& votes) const {
    const auto& times = activity_.at(id);
    return "\"id\":" + std::to_string(id) +
           ",\"name\":null,\"total\":" + std::to_string(votes.size()) + "," + category_sums(votes) +
           ",\"first_rated_at\":\"" + base::to_rfc3339(times.front()) + "\",\"last_rated_at\":\"" +
           base::to_rfc3339(times.back()) + "\"";
  }

  void check_stats(const TestCase& test_case);
  void check_trends(const TestCase& test_case);
  void check_distribution(const TestCase& test_case);
  void check_top_rated(const TestCase& test_case);
  void check_overview(const TestCase& test_case);
  void check_recent(const TestCase& test_case);
  void check_users(const TestCase& test_case);
  void check_user(const TestCase& test_case);
  void check_post(const TestCase& test_case);

  const int week_start_ = 3;
  std::mt19937 engine_{20261121};
  support::Service service_;
  std::vector<Vote> votes_;  // newest first
  std::map<std::uint64_t, std::vector<base::Time>> activity_;
  std::vector<http::Header> headers_;
  bool is_materialized_ = false;  // whether the response comes from materialized lists
};

void AnalyticsOracle::check_stats(const TestCase& test_case) {
  const json::Value data = member(answer(api::run<handlers::site_stats>, test_case.query), "data");
  const auto total = static_cast<std::int64_t>(test_case.votes.size());
  expect_equal(member(data, "total_ratings"), std::to_string(total), test_case.query);
  std::set<Key> objects;
  for (const Vote& vote : test_case.votes) objects.insert(vote.key());
  std::map<std::string, int> by_type;
  for (const auto& [type, id] : objects) ++by_type[type];
  const std::string types = array(by_type, [](const auto& type) {
    return "\"" + type.first + "\":" + std::to_string(type.second);
  });
  expect_equal(member(data, "rated_objects"),
               "{\"total\":" + std::to_string(objects.size()) + ",\"by_type\":{" +
                   types.substr(1, types.size() - 2) + "},\"other\":0}",
               test_case.query);
  const bool is_whole = test_case.category < 0 && test_case.type.empty();
  expect_equal(member(data, "active_voters"),
               is_whole ? std::to_string(voters_between(test_case.first, test_case.last)) : "null",
               test_case.query);
  const Day today = local_day(kEnd);
  expect_equal(member(data, "today"),
               "{\"total_ratings\":" + std::to_string(between(test_case, today, today).size()) +
                   ",\"active_voters\":" +
                   (is_whole ? std::to_string(voters_between(today, today)) : "null") + "}",
               test_case.query);
  for (int category = 0; category < 3; ++category) {
    const auto votes = of_category(test_case.votes, category);
    const Count sums = count(votes);
    const json::Value stats = member(member(data, "stats"), kCategories[category]);
    expect_equal(member(stats, "total"), std::to_string(sums.total), test_case.query);
    expect_equal(member(stats, "average"), mean(sums.sum, sums.total), test_case.query);
    expect_equal(member(stats, "last_rated_at"),
                 votes.empty() ? "null" : "\"" + base::to_rfc3339(votes.front().at) + "\"",
                 test_case.query);
    std::vector<int> bins(category == 2 ? 11 : 0);
    for (const Vote& vote : votes) {
      if (category == 2) ++bins[static_cast<std::size_t>((vote.value + 50) / 100)];
    }
    if (category == 2) {
      expect_equal(member(stats, "distribution"),
                   array(bins, [](int bin) { return std::to_string(bin); }), test_case.query);
      continue;
    }
    expect_equal(member(stats, "positive"), std::to_string(sums.positive), test_case.query);
    expect_equal(member(stats, "negative"), std::to_string(sums.negative), test_case.query);
  }
  const json::Value change = member(data, "change");
  if (test_case.query.starts_with("period=all")) {
    EXPECT_TRUE(change.is_null());
    return;
  }
  const Day length = test_case.last - test_case.first + 1;
  const auto votes_before = between(test_case, test_case.first - length, test_case.first - 1);
  const auto before = static_cast<std::int64_t>(votes_before.size());
  expect_equal(member(change, "previous_total_ratings"), std::to_string(before), test_case.query);
  expect_equal(member(change, "previous_averages"), "{" + averages(votes_before) + "}",
               test_case.query);
  expect_equal(member(change, "total_ratings"), std::to_string(total - before), test_case.query);
}

void AnalyticsOracle::check_trends(const TestCase& test_case) {
  const char* names[] = {"day", "week", "month"};
  const int interval = random(3);
  const std::string query = test_case.query + "&interval=" + names[interval];
  expect_equal(member(answer(api::run<handlers::trends>, query), "data"),
               points(test_case, test_case.votes, interval, test_case.category != 2), query);
  std::vector<int> categories = {0, 1, 2};
  if (test_case.category >= 0) categories = {test_case.category};
  expect_equal(member(answer(api::run<handlers::trends_by_category>, query), "data"),
               array(categories,
                     [&](int category) {
                       return "{\"category\":\"" + std::string(kCategories[category]) +
                              "\",\"points\":" +
                              points(test_case, of_category(test_case.votes, category), interval,
                                     category != 2) +
                              "}";
                     }),
               query);
}

void AnalyticsOracle::check_distribution(const TestCase& test_case) {
  std::vector<int> categories = {0, 1, 2};
  if (test_case.category >= 0) categories = {test_case.category};
  const auto all = static_cast<std::int64_t>(test_case.votes.size());
  const auto share = [](std::int64_t part, std::int64_t whole) { return mean(part * 1000, whole); };
  const auto series = [&](int category) {
    const auto votes = of_category(test_case.votes, category);
    const Count sums = count(votes);
    std::map<std::int64_t, std::int64_t> spread;  // by value
    if (category == 0) spread = {{0, 0}, {1000, 0}};
    if (category == 1) spread = {{-1000, 0}, {0, 0}, {1000, 0}};
    for (std::int64_t tenth = 0; category == 2 && tenth <= 10; ++tenth) spread[tenth * 100];
    for (const Vote& vote : votes) {
      ++spread[category == 2 ? (vote.value + 50) / 100 * 100 : vote.value];
    }
    return "{\"category\":\"" + std::string(kCategories[category]) +
           "\",\"count\":" + std::to_string(sums.total) + ",\"share\":" + share(sums.total, all) +
           ",\"average\":" + mean(sums.sum, sums.total) + ",\"values\":" +
           array(spread,
                 [&](const auto& value) {
                   return "{\"value\":" + decimal(value.first, 3) +
                          ",\"count\":" + std::to_string(value.second) +
                          ",\"share\":" + share(value.second, sums.total) + "}";
                 }) +
           "}";
  };
  expect_equal(member(answer(api::run<handlers::distribution>, test_case.query), "data"),
               array(categories, series), test_case.query);
}

// The value by which a metric ranks an object, as an exact fraction. The values of the "wilson"
// metric are rounded to twelve significant digits.
struct Rank {
  __extension__ using Wide = __int128;
  Wide numerator = 0, denominator = 1;

  [[nodiscard]] int compare(const Rank& other) const {
    const Wide left = numerator * other.denominator;
    const Wide right = other.numerator * denominator;
    return left < right ? -1 : left > right ? 1 : 0;
  }
  [[nodiscard]] std::string four_decimals() const {
    const Wide size =
        ((numerator < 0 ? -numerator : numerator) * 20 + denominator) / (2 * denominator);
    return decimal(static_cast<std::int64_t>(numerator < 0 ? -size : size), 4);
  }
};

constexpr int kPriorWeight = 10;

Rank wilson_rank(const Count& sums, int category) {
  const auto trials =
      static_cast<double>(category == 1 ? sums.positive + sums.negative : sums.total);
  const double share =
      (category == 2 ? static_cast<double>(sums.sum) / 1e3 : static_cast<double>(sums.positive)) /
      trials;
  if (trials == 0 || share == 0) return {};
  const double z = 1.959963984540054;
  const double bound = (share + z * z / 2 / trials -
                        z * std::sqrt(share * (1 - share) / trials + z * z / 4 / trials / trials)) /
                       (1 + z * z / trials);
  return {std::llround(bound * 1e11), 100'000'000};  // thousandths
}

// Returns the rank of an object by the metric at the index "metric".
Rank rank_of(const Count& sums, int metric, int category, const Count& prior) {
  switch (metric) {
    case 0: {
      const std::int64_t prior_total = std::max<std::int64_t>(prior.total, 1);
      return {Rank::Wide{sums.sum} * prior_total + Rank::Wide{kPriorWeight} * prior.sum,
              Rank::Wide{sums.total + kPriorWeight} * prior_total};
    }
    case 1:
      return {sums.sum, sums.total};
    case 2:
      return wilson_rank(sums, category);
    case 3:
      return {sums.positive};
    case 4:
      return {sums.negative};
    case 5:
      return {sums.positive - sums.negative};
    default:
      return {sums.total};
  }
}

struct Ranked {
  Key key;
  Count sums;
  Rank rank;
};

std::vector<Ranked> ranked_objects(const std::map<Key, Count>& objects, std::int64_t least,
                                   bool ascending, const std::function<Rank(const Count&)>& rank) {
  std::vector<Ranked> ranked;
  for (const auto& [key, sums] : objects) {
    if (sums.total >= least) ranked.push_back({key, sums, rank(sums)});
  }
  std::sort(ranked.begin(), ranked.end(), [&](const Ranked& a, const Ranked& b) {
    const int order = a.rank.compare(b.rank);
    if (order != 0) return ascending ? order < 0 : order > 0;
    if (a.sums.total != b.sums.total) return a.sums.total > b.sums.total;
    return a.key < b.key;
  });
  return ranked;
}

std::string top_rated_row(const Ranked& one, const Count& before, int metric, int category) {
  const Count& sums = one.sums;
  const std::string value = metric < 3
                                ? one.rank.four_decimals()
                                : decimal(static_cast<std::int64_t>(one.rank.numerator) * 10, 1);
  std::string row =
      "{\"object_id\":" + std::to_string(std::get<1>(one.key)) + ",\"object_type\":\"" +
      std::get<0>(one.key) + "\",\"type\":null,\"title\":null,\"link\":null,\"value\":" + value +
      ",\"total\":" + std::to_string(sums.total) + ",\"average\":" + mean(sums.sum, sums.total);
  if (category < 2) {
    row += ",\"positive\":" + std::to_string(sums.positive) +
           ",\"negative\":" + std::to_string(sums.negative) +
           ",\"score\":" + std::to_string(sums.positive - sums.negative);
  }
  return row + ",\"previous_average\":" + mean(before.sum, before.total) + "}";
}

void AnalyticsOracle::check_top_rated(const TestCase& test_case) {
  const char* metrics[] = {"bayesian", "average", "wilson", "positive",
                           "negative", "score",   "total"};
  // If the request contains no category, the service uses the category in which objects of the
  // requested type have the most ratings. The prior of the "bayesian" metric is the mean of all the
  // site's ratings in this category in the requested period.
  TestCase site = test_case;
  site.category = -1;
  const auto of_type = between(site, test_case.first, test_case.last);
  site.type.clear();
  const auto all = between(site, test_case.first, test_case.last);
  const int category = test_case.category < 0 ? most_rated_category(of_type) : test_case.category;
  const Count prior = count(of_category(all, category));
  const int metric =
      category == 2 ? (random(4) + 6) % 7 : random(7);  // total, or one of the first three
  const std::int64_t least = random(2) == 0 ? 1 : random(4) + 1;
  const bool ascending = random(4) == 0;
  const auto excluded = static_cast<std::uint64_t>(random(30)) + 1;

  std::map<Key, Count> objects;
  for (const Vote& vote : of_category(test_case.votes, category)) {
    if (vote.id != excluded) objects[vote.key()].add(vote);
  }
  const std::vector<Ranked> ranked =
      ranked_objects(objects, least, ascending,
                     [&](const Count& sums) { return rank_of(sums, metric, category, prior); });
  const auto size = static_cast<std::size_t>(random(12)) + 1;
  const std::size_t pages = std::max<std::size_t>((ranked.size() + size - 1) / size, 1);
  const auto number = static_cast<std::size_t>(random(static_cast<int>(pages)));
  const std::string query =
      test_case.query + "&metric=" + metrics[metric] + "&min_ratings=" + std::to_string(least) +
      (ascending ? "&order=asc" : "") + "&exclude=" + std::to_string(excluded) +
      "&per_page=" + std::to_string(size) + "&page=" + std::to_string(number + 1);
  const json::Value whole = answer(api::run<handlers::top_rated>, query);
  EXPECT_EQ(header("X-WP-Total"), std::to_string(ranked.size())) << query;
  expect_equal(member(member(whole, "meta"), "category"),
               "\"" + std::string(kCategories[category]) + "\"", query);
  expect_equal(member(member(whole, "meta"), "prior_mean"), mean(prior.sum, prior.total), query);
  expect_equal(
      member(member(whole, "meta"), "as_of"),
      "\"" + base::to_rfc3339(kEnd - std::chrono::seconds(is_materialized_ ? 1 : 0)) + "\"", query);
  const auto begin = static_cast<std::ptrdiff_t>(std::min(number * size, ranked.size()));
  const auto end = static_cast<std::ptrdiff_t>(std::min((number + 1) * size, ranked.size()));
  const std::vector<Ranked> shown(ranked.begin() + begin, ranked.begin() + end);
  const Day length = site.last - site.first + 1;
  std::map<Key, Count> before;
  if (!query.starts_with("period=all")) {
    const auto votes_before = between(site, site.first - length, site.first - 1);
    for (const Vote& vote : of_category(votes_before, category)) before[vote.key()].add(vote);
  }
  expect_equal(member(whole, "data"),
               array(shown,
                     [&](const Ranked& one) {
                       return top_rated_row(one, before[one.key], metric, category);
                     }),
               query);
}

void AnalyticsOracle::check_overview(const TestCase& test_case) {
  TestCase posts = test_case;
  if (posts.type.empty()) posts.type = "post";
  std::map<std::uint64_t, std::vector<Vote>> objects;
  for (const Vote& vote : between(posts, posts.first, posts.last)) objects[vote.id].push_back(vote);
  std::vector<std::pair<std::uint64_t, std::vector<Vote>>> top(objects.begin(), objects.end());
  std::stable_sort(top.begin(), top.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  if (top.size() > 10) top.resize(10);
  const Day length = posts.last - posts.first + 1;
  const auto before = between(posts, posts.first - length, posts.first - 1);
  const bool is_all = test_case.query.starts_with("period=all");
  expect_equal(member(answer(api::run<handlers::top_posts_overview>, test_case.query), "data"),
               array(top,
                     [&](const auto& object) {
                       const auto id = object.first;
                       const auto total = static_cast<std::int64_t>(object.second.size());
                       const auto of_before =
                           matching(before, [&](const Vote& vote) { return vote.id == id; });
                       const auto earlier = std::ssize(of_before);
                       return "{\"object_id\":" + std::to_string(id) + ",\"object_type\":\"" +
                              (is_of_cms(posts.type) ? "post" : posts.type) +
                              "\",\"type\":null,\"title\":null,\"link\":null,\"total\":" +
                              std::to_string(total) + "," + category_sums(object.second) +
                              ",\"previous_total\":" + (is_all ? "null" : std::to_string(earlier)) +
                              ",\"change\":" + (is_all ? "null" : std::to_string(total - earlier)) +
                              ",\"previous_averages\":{" + averages(of_before) + "}}";
                     }),
               test_case.query);
}

// Reads the list of recent ratings page by page to its end.
void AnalyticsOracle::check_recent(const TestCase& test_case) {
  const std::string size = std::to_string(random(2) == 0 ? random(7) + 40 : 100);
  std::vector<std::string> listed;
  std::string cursor;
  do {
    const json::Value whole =
        answer(api::run<handlers::recent_ratings>,
               test_case.query + "&per_page=" + size + (cursor.empty() ? "" : "&after=" + cursor));
    const json::Value data = member(whole, "data");
    for (const json::Value& one : std::get<json::Value::Array>(data.data)) {
      listed.push_back(text(one));
    }
    const json::Value next = member(member(whole, "meta"), "next");
    cursor = next.is_null() ? "" : std::get<std::string>(next.data);
  } while (!cursor.empty());
  std::vector<std::string> expected;
  for (const Vote& vote : test_case.votes) {
    expected.push_back(
        text(parsed(rating(vote, ",\"type\":null,\"title\":null,\"link\":null", true))));
  }
  EXPECT_EQ(listed, expected) << test_case.query;
}

void AnalyticsOracle::check_users(const TestCase& test_case) {
  std::map<std::uint64_t, std::vector<Vote>> users;
  for (const Vote& vote : test_case.votes) {
    if (vote.voter < (1ULL << 63U)) users[vote.voter].push_back(vote);
  }
  const char* orders[] = {"total", "id", "first_rated_at", "last_rated_at"};
  const int order = random(4);
  const bool ascending = random(2) == 0;
  std::vector<std::pair<std::uint64_t, std::vector<Vote>>> list(users.begin(), users.end());
  const auto rank = [&](const auto& one) -> std::int64_t {
    const auto& times = activity_.at(one.first);
    if (order == 0) return static_cast<std::int64_t>(one.second.size());
    if (order == 1) return static_cast<std::int64_t>(one.first);
    return (order == 2 ? times.front() : times.back()).time_since_epoch().count();
  };
  std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) {
    return ascending ? rank(a) < rank(b) : rank(a) > rank(b);
  });
  const std::string query =
      test_case.query + "&per_page=100&orderby=" + orders[order] + (ascending ? "&order=asc" : "");
  const json::Value whole = answer(api::run<handlers::rating_users>, query);
  EXPECT_EQ(header("X-WP-Total"), std::to_string(list.size())) << query;
  expect_equal(
      member(whole, "data"),
      array(list, [&](const auto& one) { return "{" + user(one.first, one.second) + "}"; }), query);
}

void AnalyticsOracle::check_user(const TestCase& test_case) {
  auto chosen = std::next(activity_.begin(), random(static_cast<int>(activity_.size())));
  if (chosen->first >= (1ULL << 63U)) chosen = activity_.begin();
  const std::uint64_t id = chosen->first;
  auto votes = matching(test_case.votes, [&](const Vote& vote) { return vote.voter == id; });
  const bool ascending = random(2) == 0;
  const auto size = static_cast<std::size_t>(random(9)) + 1;
  const auto pages = std::max<std::size_t>((votes.size() + size - 1) / size, 1);
  const auto number = static_cast<std::size_t>(random(static_cast<int>(pages)));
  const std::string query = test_case.query + (ascending ? "&order=asc" : "") +
                            "&per_page=" + std::to_string(size) +
                            "&page=" + std::to_string(number + 1);
  std::string expected = "{" + user(id, votes) + ",\"ratings\":";
  const std::string total = std::to_string(votes.size());
  if (ascending) std::reverse(votes.begin(), votes.end());
  expected += array(page(votes, number * size, size), [](const Vote& vote) {
    return rating(vote, ",\"type\":null,\"title\":null,\"link\":null", false);
  });
  const json::Value whole = answer(api::run<handlers::user_details>, query, std::to_string(id));
  EXPECT_EQ(header("X-WP-Total"), total) << query;
  expect_equal(member(whole, "data"), expected + "}", query);
}

void AnalyticsOracle::check_post(const TestCase& test_case) {
  const Vote& chosen = votes_[static_cast<std::size_t>(random(static_cast<int>(votes_.size())))];
  TestCase post = test_case;
  if (!post.type.empty()) return;  // the object already names the type
  post.type = chosen.type;
  auto votes = matching(between(post, post.first, post.last),
                        [&](const Vote& vote) { return vote.id == chosen.id; });
  // Ratings with the same time are ordered by category, and then by voter.
  const bool ascending = random(2) == 0;
  const int interval = random(3);
  const char* names[] = {"day", "week", "month"};
  const auto size = static_cast<std::size_t>(random(9)) + 1;
  const auto pages = std::max<std::size_t>((votes.size() + size - 1) / size, 1);
  const auto number = static_cast<std::size_t>(random(static_cast<int>(pages)));
  const std::string query = test_case.query + "&object_type=" + chosen.type +
                            "&interval=" + names[interval] + (ascending ? "&order=asc" : "") +
                            "&per_page=" + std::to_string(size) +
                            "&page=" + std::to_string(number + 1);
  const std::string trend = points(test_case, votes, interval, test_case.category != 2);
  const std::string total = std::to_string(votes.size());
  if (ascending) std::reverse(votes.begin(), votes.end());
  const json::Value whole =
      answer(api::run<handlers::post_details>, query, std::to_string(chosen.id));
  EXPECT_EQ(header("X-WP-Total"), total) << query;
  const json::Value data = member(whole, "data");
  expect_equal(member(data, "trend"), trend, query);
  expect_equal(member(data, "ratings"),
               array(page(votes, number * size, size),
                     [](const Vote& vote) { return rating(vote, "", true); }),
               query);
  for (int category = 0; category < 3; ++category) {
    const Count sums = count(matching(of_category(votes_, category), [&](const Vote& vote) {
      return vote.key() == chosen.key();
    }));
    const json::Value stats = member(member(data, "stats"), kCategories[category]);
    expect_equal(member(stats, "total"), std::to_string(sums.total), query);
    expect_equal(member(stats, "average"), mean(sums.sum, sums.total), query);
  }
}

// The service materializes the lists before the second half of the requests.
TEST_P(AnalyticsOracle, AnswersAreWhatCountingTheVotesGives) {
  constexpr int kTestCases = 24;
  const support::FixedClock clock(kEnd - std::chrono::seconds(1));
  for (int i = 0; i < kTestCases && !HasFailure(); ++i) {
    if (i == kTestCases / 2) {
      analytics::ListRefresher(support::wordpress_cms(), clock, std::chrono::milliseconds(0))
          .refresh(service_.connection());
    }
    const TestCase test_case = ask();
    is_materialized_ = i >= kTestCases / 2 && is_listed(test_case);
    check_stats(test_case);
    check_trends(test_case);
    check_distribution(test_case);
    check_top_rated(test_case);
    check_overview(test_case);
    check_recent(test_case);
    check_users(test_case);
    check_user(test_case);
    check_post(test_case);
  }
}

// Each time zone has a name for WordPress and a name for the C library. Some time zones are east of
// Greenwich and some are west of it. The difference between daylight saving time and standard time
// is one hour, half an hour or zero.
INSTANTIATE_TEST_SUITE_P(Zones, AnalyticsOracle,
                         ::testing::Values(std::tuple("Europe/Berlin", "Europe/Berlin"),
                                           std::tuple("America/New_York", "America/New_York"),
                                           std::tuple("Australia/Lord_Howe", "Australia/Lord_Howe"),
                                           std::tuple("+05:30", "<+0530>-5:30")));

}  // namespace
