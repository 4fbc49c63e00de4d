#include "store/grants.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "adapters/none.h"
#include "checks/inspection.h"
#include "config/config.h"
#include "support/database.h"

namespace {

using store::Grant;
using store::Privilege;
using store::read_grant;
using Lines = std::vector<std::string>;

const Privilege kReadPosts{"SELECT", {}, "wordpress", "wp_posts"};
const Privilege kReadUsers{"SELECT", {"ID", "user_login"}, "wordpress", "wp_users"};

TEST(Privileges, TableAndItsPrivilegesAreRead) {
  const Grant expected{.privileges = {{"SELECT", {}, "wordpress", "wp_posts"},
                                      {"INSERT", {}, "wordpress", "wp_posts"}},
                       .account = "ratingd@localhost"};
  EXPECT_EQ(read_grant("GRANT SELECT, INSERT ON `wordpress`.`wp_posts` TO `ratingd`@`localhost`"),
            expected);
  EXPECT_EQ(read_grant("grant select,insert on \"wordpress\".'wp_posts' to 'ratingd'@'localhost'"),
            expected);
}

TEST(Privileges, ColumnsAreReadInAnyOrder) {
  const auto grant = read_grant(
      "GRANT SELECT (`user_login`, `ID`), UPDATE (ID) ON `wordpress`.`wp_users` TO `a`@`%`");
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->privileges,
            (std::vector<Privilege>{kReadUsers, {"UPDATE", {"ID"}, "wordpress", "wp_users"}}));
}

TEST(Privileges, WholeSchemaAndServerAreStars) {
  const auto schema = read_grant("GRANT ALL PRIVILEGES ON `word\\_press`.* TO `a`@`%`");
  ASSERT_TRUE(schema);
  EXPECT_EQ(schema->privileges,
            (std::vector<Privilege>{{"ALL PRIVILEGES", {}, "word\\_press", "*"}}));
  const auto server = read_grant("GRANT CREATE TEMPORARY TABLES ON *.* TO `a`@`%`");
  ASSERT_TRUE(server);
  EXPECT_EQ(server->privileges,
            (std::vector<Privilege>{{"CREATE TEMPORARY TABLES", {}, "*", "*"}}));
}

TEST(Privileges, GrantOptionIsFoundAmongOtherWords) {
  const std::string grant = "GRANT SELECT ON `a`.`b` TO `c`@`d`";
  EXPECT_FALSE(read_grant(grant)->grantable);
  EXPECT_TRUE(read_grant(grant + " WITH GRANT OPTION")->grantable);
  EXPECT_TRUE(read_grant(grant + " IDENTIFIED BY PASSWORD '*0' WITH GRANT OPTION "
                                 "MAX_USER_CONNECTIONS 5")
                  ->grantable);
  EXPECT_FALSE(read_grant(grant + " WITH MAX_USER_CONNECTIONS 5")->grantable);
  EXPECT_FALSE(read_grant("GRANT SELECT ON `a`.`b` TO `GRANT OPTION`")->grantable);
}

TEST(Privileges, QuotedNamesMayHoldAnything) {
  const auto grant = read_grant("GRANT SELECT ON `a``b. TO c`.`ON *` TO `d@e``'`@`f g`");
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->privileges, (std::vector<Privilege>{{"SELECT", {}, "a`b. TO c", "ON *"}}));
  EXPECT_EQ(grant->account, "d@e`'@f g");
}

TEST(Privileges, RevokeTakes) {
  const auto grant = read_grant("REVOKE CREATE ON `a`.`b` FROM `c`@`d`");
  ASSERT_TRUE(grant);
  EXPECT_TRUE(grant->taken);
  EXPECT_FALSE(read_grant("REVOKE CREATE ON `a`.`b` TO `c`@`d`"));
}

TEST(Privileges, OtherStatementsAreNotRead) {
  for (const char* other : {
           "",
           "GRANT",
           "GRANT `role` TO `a`@`b`",
           "GRANT PROXY ON ''@'%' TO 'root'@'localhost' WITH GRANT OPTION",
           "GRANT EXECUTE ON FUNCTION `a`.`b` TO `c`@`d`",
           "GRANT SELECT ON `a` TO `c`@`d`",
           "GRANT SELECT ON `a`.`b`",
           "GRANT SELECT ON `a`.`b` TO",
           "GRANT SELECT ON `a`.`b TO `c`@`d`",
           "GRANT SELECT (a ON `a`.`b` TO `c`@`d`",
           "GRANT SELECT () ON `a`.`b` TO `c`@`d`",
           "GRANT , SELECT ON `a`.`b` TO `c`@`d`",
           "SET DEFAULT ROLE `r` FOR `a`@`b`",
       }) {
    EXPECT_FALSE(read_grant(other)) << other;
  }
}

TEST(Privileges, WhatIsAllowedIsNotBeyond) {
  EXPECT_EQ(
      store::privileges_beyond({kReadPosts, kReadUsers},
                               {
                                   "GRANT USAGE ON *.* TO `a`@`b` IDENTIFIED BY PASSWORD '*0'",
                                   "GRANT SELECT ON `wordpress`.`wp_posts` TO `a`@`b`",
                                   "GRANT SELECT (`ID`) ON `wordpress`.`wp_users` TO `a`@`b`",
                                   "SET DEFAULT ROLE `r` FOR `a`@`b`",
                                   "REVOKE SELECT ON `mysql`.* FROM `a`@`b`",
                               }),
      Lines{});
}

// With lower_case_table_names = 1, the server has converted the names to lower case.
TEST(Privileges, NamesAreComparedAsTheServerDoes) {
  const Lines shown = {"GRANT SELECT ON `wordpress`.`wp_posts` TO `a`@`b`"};
  store::Privilege posts = kReadPosts;
  posts.table = "WP_posts";
  const auto same = [](const std::string& table) { return table; };
  EXPECT_EQ(store::privileges_beyond({posts}, shown, same, true), Lines{});
  EXPECT_EQ(store::privileges_beyond({posts}, shown, same, false),
            Lines{"SELECT on wordpress.wp_posts"});
}

TEST(Privileges, EverythingElseIsBeyond) {
  EXPECT_EQ(store::privileges_beyond(
                {kReadPosts, kReadUsers},
                {
                    "GRANT SELECT, UPDATE, DELETE ON `wordpress`.`wp_posts` TO `a`@`b`",
                    "GRANT SELECT ON `wordpress`.`wp_users` TO `a`@`b`",
                    "GRANT SELECT (`ID`, `user_pass`) ON `wordpress`.`wp_users` TO `a`@`b`",
                    "GRANT SELECT (`ID`) ON `wordpress`.`wp_users` TO `a`@`b` WITH GRANT OPTION",
                    "GRANT SELECT ON `wordpress`.* TO `a`@`b`",
                    "GRANT SELECT ON `other`.`wp_posts` TO `a`@`b`",
                    "GRANT RELOAD ON *.* TO `a`@`b`",
                }),
            (Lines{
                "UPDATE, DELETE on wordpress.wp_posts",
                "SELECT on wordpress.wp_users",
                "SELECT (ID, user_pass) on wordpress.wp_users",
                "GRANT OPTION on wordpress.wp_users",
                "SELECT on wordpress.*",
                "SELECT on other.wp_posts",
                "RELOAD on *.*",
            }));
}

TEST(Privileges, WhatCannotBeReadIsBeyondAndShowsNoHash) {
  EXPECT_EQ(store::privileges_beyond({},
                                     {
                                         "GRANT `role` TO `a`@`b`",
                                         "GRANT PROXY ON ''@'%' TO `a`@`b` IDENTIFIED BY '*0'",
                                         "ALLOW ALL TO `a`@`b` IDENTIFIED BY '*0'",
                                     }),
            (Lines{"GRANT `role`", "GRANT PROXY ON ''@'%'", "a grant of a new kind"}));
}

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
  std::vector<store::Privilege> given =
      store::privileges_of(database_.names(), database_.names().workers);
  std::vector<store::Privilege> held;
  for (const std::string& line : checks::shown_grants(workers)) {
    const auto grant = store::read_grant(line);
    ASSERT_TRUE(grant) << line;
    held.insert(held.end(), grant->privileges.begin(), grant->privileges.end());
  }
  std::erase(held, store::Privilege{"USAGE", {}, "*", "*"});
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

TEST_F(Grants, TableMayComeAfterItsPrivileges) {
  db::Connection(database_.owner()).execute("DROP TABLE wp_ratingd_reach, wp_ratingd_schema");
  db::Connection administrator(database_.owner());
  for (const auto& statement : db::statements_of(store::grant_statements(database_.names()))) {
    administrator.execute(statement);
  }
  db::Connection connection(ratingctl());
  db::migrate(connection, [](const db::Migration&) {});
  db::Connection(database_.endpoint()).execute("DELETE FROM wp_ratingd_reach");
}

TEST_F(Grants, PrivilegesAreFoundMissingWithoutUsingThem) {
  db::Connection workers(database_.endpoint());
  db::Connection owner(database_.owner());
  for (const store::Privilege& privilege :
       store::privileges_of(database_.names(), database_.names().workers)) {
    EXPECT_TRUE(checks::has_privilege(workers, privilege)) << store::to_words(privilege);
  }
  for (const char* action : {"SELECT", "INSERT", "UPDATE", "DELETE"}) {
    owner.execute(std::string("REVOKE ") + action + " ON wp_ratingd_votes FROM " +
                  database_.names().workers);
    EXPECT_FALSE(checks::has_privilege(workers, {action, {}, "", "wp_ratingd_votes"})) << action;
    EXPECT_FALSE(checks::has_privilege(workers, {action, {}, "", "wp_none"})) << action;
  }
  EXPECT_FALSE(checks::has_privilege(workers, {"SELECT", {"user_url"}, "", "wp_users"}));
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
