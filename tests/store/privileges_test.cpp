#include "store/privileges.h"

#include <gtest/gtest.h>

namespace {

using store::Grant;
using store::read_grant;
using store::Right;

using Lines = std::vector<std::string>;

const Right kReadPosts{"SELECT", {}, "wordpress", "wp_posts"};
const Right kReadUsers{"SELECT", {"ID", "user_login"}, "wordpress", "wp_users"};

TEST(Privileges, TableAndItsPrivilegesAreRead) {
  const Grant expected{
      .rights = {{"SELECT", {}, "wordpress", "wp_posts"}, {"INSERT", {}, "wordpress", "wp_posts"}},
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
  EXPECT_EQ(grant->rights,
            (std::vector<Right>{kReadUsers, {"UPDATE", {"ID"}, "wordpress", "wp_users"}}));
}

TEST(Privileges, WholeSchemaAndServerAreStars) {
  const auto schema = read_grant("GRANT ALL PRIVILEGES ON `word\\_press`.* TO `a`@`%`");
  ASSERT_TRUE(schema);
  EXPECT_EQ(schema->rights, (std::vector<Right>{{"ALL PRIVILEGES", {}, "word\\_press", "*"}}));
  const auto server = read_grant("GRANT CREATE TEMPORARY TABLES ON *.* TO `a`@`%`");
  ASSERT_TRUE(server);
  EXPECT_EQ(server->rights, (std::vector<Right>{{"CREATE TEMPORARY TABLES", {}, "*", "*"}}));
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
  EXPECT_EQ(grant->rights, (std::vector<Right>{{"SELECT", {}, "a`b. TO c", "ON *"}}));
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
  EXPECT_EQ(store::rights_beyond({kReadPosts, kReadUsers},
                                 {
                                     "GRANT USAGE ON *.* TO `a`@`b` IDENTIFIED BY PASSWORD '*0'",
                                     "GRANT SELECT ON `wordpress`.`wp_posts` TO `a`@`b`",
                                     "GRANT SELECT (`ID`) ON `wordpress`.`wp_users` TO `a`@`b`",
                                     "SET DEFAULT ROLE `r` FOR `a`@`b`",
                                     "REVOKE SELECT ON `mysql`.* FROM `a`@`b`",
                                 }),
            Lines{});
}

// With lower_case_table_names = 1, the server has changed the names.
TEST(Privileges, NamesAreComparedAsTheServerDoes) {
  const Lines shown = {"GRANT SELECT ON `wordpress`.`wp_posts` TO `a`@`b`"};
  store::Right posts = kReadPosts;
  posts.table = "WP_posts";
  const auto same = [](const std::string& table) { return table; };
  EXPECT_EQ(store::rights_beyond({posts}, shown, same, true), Lines{});
  EXPECT_EQ(store::rights_beyond({posts}, shown, same, false),
            Lines{"SELECT on wordpress.wp_posts"});
}

TEST(Privileges, EverythingElseIsBeyond) {
  EXPECT_EQ(store::rights_beyond(
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
  EXPECT_EQ(store::rights_beyond({},
                                 {
                                     "GRANT `role` TO `a`@`b`",
                                     "GRANT PROXY ON ''@'%' TO `a`@`b` IDENTIFIED BY '*0'",
                                     "ALLOW ALL TO `a`@`b` IDENTIFIED BY '*0'",
                                 }),
            (Lines{"GRANT `role`", "GRANT PROXY ON ''@'%'", "a grant of a new kind"}));
}

}  // namespace
