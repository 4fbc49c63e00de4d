// Tests the `ratingctl import --from PLUGIN` command in lib/admin/plugins.cpp.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/crypto.h"
#include "base/text.h"
#include "imports/plugin.h"
#include "store/grants.h"
#include "support/ratingctl.h"

namespace {

using support::has;
using support::Outcome;

// Creates a site that used the plugin REST Likes and has one post with 12 likes.
class ImportPlugins : public ::testing::Test {
 protected:
  ImportPlugins() {
    config_.logins.users_table = support::kPrefix + "users";
    config_.secret_file = secret_;
    std::ofstream(secret_) << std::string(64, 'a') << "\n";
    for (const char* name : {"post", "comment"}) {
      owner_.execute("CREATE TABLE wp_" + std::string(name) +
                     "meta (meta_id BIGINT UNSIGNED PRIMARY KEY AUTO_INCREMENT, " + name +
                     "_id BIGINT UNSIGNED, meta_key VARCHAR(255), meta_value LONGTEXT)");
    }
    owner_.execute("SET SESSION sql_mode = ''");
    owner_.execute("INSERT INTO wp_posts (ID, post_date_gmt) VALUES (1, '2025-01-01 10:00:00')");
    owner_.execute(
        "INSERT INTO wp_postmeta (post_id, meta_key, meta_value)"
        " VALUES (1, '_rest_likes', '12')");
  }
  ~ImportPlugins() override { std::filesystem::remove(secret_); }

  Outcome run(const std::string& command, const config::CommandFlags& flags) {
    return support::run_ratingctl(config_, {command}, flags);
  }
  std::string likes() {
    return owner_.query("SELECT COALESCE(SUM(bin10), 0) FROM wp_ratingd_totals")
        .first(db::text_in)
        .value_or("");
  }

  const std::filesystem::path secret_ =
      std::filesystem::temp_directory_path() / base::to_hex(base::random_bytes(8));
  support::Database database_;
  db::Connection owner_{database_.owner()};
  config::Config config_ = support::config_for(database_.ratingctl());
};

TEST_F(ImportPlugins, NamesThePluginsItKnows) {
  const config::CommandFlags flags{{"from", "stars"}};
  const Outcome outcome = run("import", flags);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(outcome.err.starts_with("--from is one of ratepress, wp-postratings")) << outcome.err;
  EXPECT_EQ(run("grants", flags).status, 2);
}

TEST_F(ImportPlugins, SaysWhichRightsItNeeds) {
  const Outcome outcome = run("import", {{"from", "rest-likes"}});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(has(outcome.err, "missing, or that this account may not read: wp_postmeta,"));
  const std::size_t grants = outcome.err.find("GRANT");
  ASSERT_NE(grants, std::string::npos);
  for (const auto& statement : db::statements_of(outcome.err.substr(grants))) {
    owner_.execute(statement);
  }
  EXPECT_EQ(run("import", {{"from", "rest-likes"}}).status, 0);
  EXPECT_EQ(likes(), "12");
}

TEST_F(ImportPlugins, DryRunPrintsTheSameAndStoresNothing) {
  for (const auto& statement : db::statements_of(run("grants", {{"from", "rest-likes"}}).out)) {
    EXPECT_EQ(statement.find("GRANT SELECT ON"), 0U);
  }
  for (const auto& statement :
       db::statements_of(imports::plugin_grants(database_.names(), imports::rest_likes::kPlugin))) {
    owner_.execute(statement);
  }
  const Outcome dry = run("import", {{"from", "rest-likes"}, {"dry-run", "yes"}});
  EXPECT_EQ(dry.status, 0) << dry.err;
  EXPECT_EQ(dry.err, "dry run: nothing is stored\nREST Likes: 100 %\n");
  EXPECT_EQ(likes(), "0");
  const Outcome real = run("import", {{"from", "rest-likes"}});
  EXPECT_EQ(real.out, dry.out);
  EXPECT_EQ(real.out,
            "sums: of 1 object, with 12 votes\n         1 new\n         0 changed\n"
            "         0 unchanged\n");
  EXPECT_EQ(likes(), "12");
}

}  // namespace
