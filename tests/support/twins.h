#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/voting.h"

namespace support {

// Beside the database of the test another one, the twin, in which things are as they ought to be.
class Twins : public Voting {
 protected:
  void cast(const store::Ballot& ballot) { ASSERT_TRUE(writer_.write(ballot)); }
  void cast_in_twin(const store::Ballot& ballot) { ASSERT_TRUE(twin().writer.write(ballot)); }

  // All that is counted, a line for each row: empty rows and who wrote a row do not matter.
  static std::string counted(db::Connection& connection) {
    const char* queries[] = {
        "object_id, category, voter, value, created_at, rated_at)"
        " FROM wp_ratingd_votes WHERE held = 0",
        "object_id, object_type, category, sum, bin0, bin5, bin8, bin10, last_rated_at)"
        " FROM wp_ratingd_totals WHERE bin0 + bin5 + bin8 + bin10 > 0",
        "day, category, object_id, total, sum, positive, negative) FROM wp_ratingd_daily"
        " WHERE total > 0",
        "day, category, SUM(sum), SUM(bin0), SUM(bin8), SUM(bin10)) FROM wp_ratingd_site_daily"
        " GROUP BY day, category HAVING SUM(bin0 + bin5 + bin8 + bin10) > 0",
        "user_id, category, total, sum, first_rated_at, last_rated_at) FROM wp_ratingd_users"
        " WHERE total > 0",
        "voter, last_day) FROM wp_ratingd_voters WHERE last_day > '1000-01-01'",
        "day, user_id, category, object_type, total, sum) FROM wp_ratingd_user_daily WHERE total > "
        "0",
        "day, previous_day, SUM(voters)) FROM wp_ratingd_reach GROUP BY day, previous_day"
        " HAVING SUM(voters) <> 0"};
    std::string text;
    for (const std::string query : queries) {
      text += query + "\n";
      db::Rows row = connection.query("SELECT CONCAT_WS(' ', " + query + " ORDER BY 1");
      while (row.next()) text += row.text(1) + "\n";
    }
    return text;
  }
  void expect_like_twin() {
    db::Connection connection(twin().database.endpoint());
    EXPECT_EQ(counted(connection_), counted(connection));
    expect_verified();
  }

  db::Connection connection_{database_.endpoint()};

 private:
  struct Twin {
    explicit Twin(base::Log& log) : writer(database.endpoint(), kPrefix, log, {}) {}
    Database database;
    store::VoteWriter writer;
  };
  Twin& twin() {  // made for the tests that need it
    if (!twin_) twin_.emplace(log_);
    return *twin_;
  }
  std::optional<Twin> twin_;
};

}  // namespace support
