#include "store/grants.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "adapters/none.h"
#include "checks/inspection.h"
#include "config/config.h"
#include "support/database.h"

namespace {

class Grants : public ::testing::Test {
 protected:
  [[nodiscard]] db::Endpoint ratingctl() const { return database_.ratingctl(); }
  static void expect_denied(const db::Endpoint& endpoint, std::initializer_list<const char*> all) {
    db::Connection connection(endpoint);
    for (const char* statement : all) {
      EXPECT_THROW(connection.execute(statement), db::Failure) << statement;
    }
  }

  support::Database database_;
};

TEST_F(Grants, WorkersHaveWhatTheFileGivesAndNothingElse) {
  db::Connection workers(database_.endpoint());
  std::vector<store::Right> given = store::rights_of(database_.names(), database_.names().workers);
  std::vector<store::Right> held;
  for (const std::string& line : checks::shown_grants(workers)) {
    const auto grant = store::read_grant(line);
    ASSERT_TRUE(grant) << line;
    held.insert(held.end(), grant->rights.begin(), grant->rights.end());
  }
  std::erase(held, store::Right{"USAGE", {}, "*", "*"});
  std::ranges::sort(given);
  std::ranges::sort(held);
  EXPECT_EQ(held, given);
}

TEST_F(Grants, WorkersReadTheCmsAndWriteRatings) {
  db::Connection workers(database_.endpoint());
  for (const char* table : {"wp_options", "wp_posts", "wp_comments", "wp_usermeta"}) {
    workers.query(std::string("SELECT * FROM ") + table);
  }
  workers.query("SELECT term_id, name, slug FROM wp_terms");
  workers.query("SELECT term_id, taxonomy FROM wp_term_taxonomy");
  workers.query("SELECT ID, user_login, user_pass, user_email, display_name FROM wp_users");
  for (const std::string& table : db::table_names(support::kPrefix)) {
    workers.execute("DELETE FROM " + table);
  }
}

TEST_F(Grants, WorkersChangeNeitherTheCmsNorAnyTable) {
  expect_denied(database_.endpoint(),
                {"SELECT * FROM wp_users", "SELECT description FROM wp_term_taxonomy",
                 "SELECT user_activation_key FROM wp_users", "UPDATE wp_users SET user_pass = ''",
                 "UPDATE wp_usermeta SET meta_value = ''", "DELETE FROM wp_posts",
                 "INSERT INTO wp_options (option_name, option_value) VALUES ('a', 'b')",
                 "CREATE TABLE wp_ratingd_other (a INT)", "CREATE TEMPORARY TABLE other (a INT)",
                 "ALTER TABLE wp_ratingd_votes ADD COLUMN a INT", "DROP TABLE wp_ratingd_votes",
                 "TRUNCATE TABLE wp_ratingd_votes"});
}

TEST_F(Grants, RatingctlChangesNoTableOfTheCms) {
  expect_denied(ratingctl(), {"SELECT user_pass FROM wp_users", "SELECT * FROM wp_usermeta",
                              "DELETE FROM wp_posts", "ALTER TABLE wp_posts ADD COLUMN a INT",
                              "DROP TABLE wp_posts", "CREATE TABLE wp_other (a INT)"});
}

TEST_F(Grants, TableMayComeAfterItsRights) {
  db::Connection(database_.owner()).execute("DROP TABLE wp_ratingd_reach, wp_ratingd_schema");
  db::Connection administrator(database_.owner());
  for (const auto& statement : db::statements_of(store::grant_statements(database_.names()))) {
    administrator.execute(statement);
  }
  db::Connection connection(ratingctl());
  db::migrate(connection, [](const db::Migration&) {});
  db::Connection(database_.endpoint()).execute("DELETE FROM wp_ratingd_reach");
}

TEST_F(Grants, RightsAreFoundMissingWithoutUsingThem) {
  db::Connection workers(database_.endpoint());
  db::Connection owner(database_.owner());
  for (const store::Right& right : store::rights_of(database_.names(), database_.names().workers)) {
    EXPECT_TRUE(checks::has_right(workers, right)) << store::to_words(right);
  }
  for (const char* privilege : {"SELECT", "INSERT", "UPDATE", "DELETE"}) {
    owner.execute(std::string("REVOKE ") + privilege + " ON wp_ratingd_votes FROM " +
                  database_.names().workers);
    EXPECT_FALSE(checks::has_right(workers, {privilege, {}, "", "wp_ratingd_votes"})) << privilege;
    EXPECT_FALSE(checks::has_right(workers, {privilege, {}, "", "wp_none"})) << privilege;
  }
  EXPECT_FALSE(checks::has_right(workers, {"SELECT", {"user_url"}, "", "wp_users"}));
}

TEST(GrantStatements, ASiteOfANetworkReadsTheTablesOfAllItsSites) {
  config::Config config;
  config.table_prefix = "wp_2_";
  const auto grants = [&](const std::string& table) {
    return store::grant_statements(
               {config.database.name, config.table_prefix, wordpress::WordPress(config).grants()})
               .find("`." + table + " TO") != std::string::npos;
  };
  EXPECT_FALSE(grants("`wp_sitemeta`"));
  config.network.exists = true;
  EXPECT_TRUE(grants("`wp_sitemeta`"));
  EXPECT_TRUE(grants("`wp_2_options`"));
  EXPECT_TRUE(grants("`wp_usermeta`"));
  EXPECT_FALSE(grants("`wp_2_usermeta`"));
}

std::string cms_grants(const std::string& prefix) {
  config::Config config;
  config.table_prefix = config.base_prefix = prefix;
  return wordpress::WordPress(config).grants();
}

TEST(GrantStatements, WithoutACmsThereAreNoneForItsTables) {
  config::Config config;
  config.table_prefix = "x_";
  const std::string text = store::grant_statements({config.database.name, config.table_prefix});
  for (const std::string& statement : db::statements_of(text)) {
    EXPECT_NE(statement.find("`x_ratingd_"), std::string::npos) << statement;
  }
}

TEST(GrantStatements, NamesAreQuoted) {
  const std::string text = store::grant_statements({.database = "my`site",
                                                    .table_prefix = "x_",
                                                    .cms_grants = cms_grants("x_"),
                                                    .workers = "votes@10.0.0.%",
                                                    .ratingctl = "votes`admin"});
  EXPECT_NE(text.find("GRANT SELECT ON `my``site`.`x_options` TO `votes`@`10.0.0.%`;"),
            std::string::npos);
  EXPECT_NE(text.find("ON `my``site`.`x_ratingd_votes` TO `votes``admin`@`localhost`;"),
            std::string::npos);
  EXPECT_EQ(text.find("GRANT ALL"), std::string::npos);
  for (const std::string& statement : db::statements_of(text)) {
    EXPECT_EQ(statement.find('{'), std::string::npos) << statement;
    EXPECT_TRUE(store::read_grant(statement)) << statement;
  }
}

}  // namespace
