#include "setup/site.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>

#include "setup/nginx_conf.h"
#include "support/folder_test.h"

namespace {

namespace fs = std::filesystem;

class SiteLinks : public support::FolderTest {};

const setup::Site kShop = setup::site_named("shop");

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Returns the names that must be unique in an nginx configuration: variables, named groups and
// locations, zones, and upstreams.
std::set<std::string> names_in(const std::string& text) {
  const std::regex name(
      R"((?:\$|\?<|@|zone=|keys_zone=|upstream |limit_conn |limit_conn_zone )ratingd\w*)");
  std::set<std::string> names;
  for (std::sregex_iterator found(text.begin(), text.end(), name), end; found != end; ++found) {
    names.insert(found->str());
  }
  return names;
}

TEST_F(SiteLinks, LeadToTheNextPathOnly) {
  put("shared/wp-config.php", "");
  fs::create_directories(path("current"));
  fs::create_symlink("../shared/wp-config.php", path("current/wp-config.php"));
  fs::create_symlink(path("current/wp-config.php"), path("link"));
  EXPECT_EQ(setup::linked_path(path("link")), path("current/wp-config.php"));
  EXPECT_EQ(setup::linked_path(path("shared/wp-config.php")), path("shared/wp-config.php"));
}

TEST(Site, NamesAreShortWordsOfUnitsAndVariables) {
  for (const char* name : {"a", "shop", "shop2", "abcdefghijklmnop"}) {
    EXPECT_TRUE(setup::is_site_name(name)) << name;
  }
  for (const char* name : {"", "2shop", "Shop", "my-shop", "my_shop", "example.org", "../etc",
                           "a b", "abcdefghijklmnopq", "reload", "maintain", "sites"}) {
    EXPECT_FALSE(setup::is_site_name(name)) << name;
  }
}

TEST(Site, LongestNameFitsIntoAnAccountOfMysql) {
  EXPECT_LE(setup::site_named("abcdefghijklmnop").ratingctl.size(), 32U);
}

// The limit of PCRE2 before version 10.44.
TEST(SiteFiles, NginxGroupsOfTheLongestNameHaveAtMost32Characters) {
  const setup::Site site = setup::site_named("abcdefghijklmnop");
  static const std::regex group(R"(\?<(\w+)>)");
  for (const std::string& text : {setup::nginx_upstream(site, {}), setup::nginx_server(site, {})}) {
    for (std::sregex_iterator found(text.begin(), text.end(), group), end; found != end; ++found) {
      EXPECT_LE((*found)[1].length(), 32) << (*found)[1];
    }
  }
}

TEST(SiteFiles, NginxHasNoNameOfTheFirstSite) {
  for (const auto& [ours, packaged] :
       {std::pair(setup::nginx_upstream(kShop, {}), "ratingd-upstream.conf"),
        std::pair(setup::nginx_server(kShop, {}), "ratingd.conf")}) {
    const auto first = names_in(std::string(setup::packaged_file(packaged)));
    const auto own = names_in(ours);
    EXPECT_GT(first.size(), 8U);
    EXPECT_EQ(first.size(), own.size());
    std::vector<std::string> common;
    std::ranges::set_intersection(first, own, std::back_inserter(common));
    EXPECT_TRUE(common.empty()) << common.front();
    EXPECT_FALSE(has(ours, "/run/ratingd/ratingd.sock"));
    EXPECT_FALSE(has(ours, "/var/cache/ratingd "));
    EXPECT_FALSE(has(ours, "fastcgi_pass ratingd;"));
    EXPECT_NO_THROW((void)setup::parse_nginx(ours));
  }
  EXPECT_TRUE(has(setup::nginx_upstream(kShop, {}), "server unix:/run/ratingd/sites/shop.sock"));
  EXPECT_TRUE(has(setup::nginx_server(kShop, {}), "fastcgi_pass ratingd_shop;"));
}

TEST(SiteFiles, NginxAnswersWithTheSameCodes) {
  const std::string text = setup::nginx_server(kShop, {});
  EXPECT_TRUE(has(text, R"("code":"ratingd_unavailable")"));
  EXPECT_TRUE(has(text, "include /etc/ratingd/nginx/ratingd-error-headers.conf;"));
  EXPECT_FALSE(has(text, "ratingd_shop_\""));
}

TEST(SiteFiles, NginxHasTheBasePathOfASiteInAFolder) {
  const setup::SiteOptions options{.base_path = "/blog/wp-json/ratingd/v1"};
  const std::string upstream = setup::nginx_upstream(kShop, options);
  EXPECT_TRUE(has(upstream, R"("~^/+blog/+(?:index\.php)?\?" 1;)"));
  EXPECT_TRUE(
      has(upstream, "ratingd(?:/|%2f)v1(?!(?:/|%2f)admin(?:/|%2f|$))(?<ratingd_shop_rest>"));
  EXPECT_TRUE(has(upstream, "/blog/wp-json/ratingd/v1$ratingd_shop_rest;"));
  const std::string server = setup::nginx_server(kShop, options);
  EXPECT_TRUE(has(server, "location ^~ /blog/wp-json/ratingd/v1 {"));
  EXPECT_FALSE(has(server, " /wp-json"));
  EXPECT_TRUE(has(server, "location ^~ /blog/wp-json/ratingd/v1/ratingd- {"));
  EXPECT_TRUE(has(server, "alias /usr/share/ratingd/ratingd-;"));
  EXPECT_TRUE(has(server, "location ^~ /blog/wp-json/ratingd/v1/admin/ {"));
  EXPECT_TRUE(has(server, "rewrite ^ /blog/wp-json/ratingd/v1/admin/index.html last;"));
}

TEST(SiteFiles, NginxLeadsFoldersOfANetworkToTheSameLocations) {
  EXPECT_FALSE(has(setup::nginx_server(kShop, {}), "[^/]+(/wp-json"));
  EXPECT_TRUE(has(setup::nginx_server(kShop, {.serves_all = true}),
                  "\nrewrite ^/[^/]+(/wp-json/ratingd/v1(?:/.*)?)$ $1 last;\n"));
  EXPECT_TRUE(
      has(setup::nginx_server(kShop, {.base_path = "/blog/wp-json/a/v1", .serves_all = true}),
          "\nrewrite ^/blog/[^/]+(/wp-json/a/v1(?:/.*)?)$ /blog$1 last;\n"));
  for (const char* line :
       {"set $ratingd_shop_plain \"\";\n",
        "if ($request_uri ~ \"^/+blog/+([^/?]+)/+(?:index\\.php)?\\?\") {\n",
        "    set $ratingd_shop_plain \"/blog/$1 $arg_rest_route\";\n",
        "\"^(?<ratingd_shop_folder>\\S+) (?:/|%2f)a(?:/|%2f)v1(?!",
        "    set $ratingd_shop_uri $ratingd_shop_folder/wp-json/a/v1$ratingd_shop_tail?$args;\n",
        "    rewrite ^ /blog/wp-json/a/v1$ratingd_shop_tail last;\n"}) {
    EXPECT_TRUE(has(
        setup::nginx_server(kShop, {.base_path = "/blog/wp-json/a/v1", .serves_all = true}), line));
  }
}

TEST(SiteFiles, ConfigurationsOfANetworkSayThatAllSitesAreServed) {
  const setup::SiteOptions options{.serves_all = true};
  EXPECT_TRUE(has(setup::workers_conf(kShop, options), "\nall-sites = yes\n"));
  EXPECT_TRUE(has(setup::ratingctl_conf(kShop, options), "\nall-sites = yes\n"));
  EXPECT_FALSE(has(setup::workers_conf(kShop, {}), "all-sites"));
}

TEST(SiteFiles, NginxHasTheRouteOfAnotherBasePath) {
  const setup::SiteOptions options{.base_path = "/wp-json/ratepress/v2/v1"};
  EXPECT_TRUE(
      has(setup::nginx_upstream(kShop, options), "1(?:/|%2f)ratepress(?:/|%2f)v2(?:/|%2f)v1(?!"));
}

TEST(SiteFiles, UnitsNameTheSiteAndNothingOfTheFirst) {
  const auto units = setup::site_units(kShop, "/usr/local");
  ASSERT_EQ(units.size(), 8U);
  for (const setup::Unit& unit : units) {
    EXPECT_TRUE(unit.name.starts_with("ratingd-shop")) << unit.name;
    EXPECT_TRUE(unit.text.starts_with(setup::kMadeBySetup));
    EXPECT_TRUE(has(unit.text, ", site shop\n")) << unit.text;
    EXPECT_TRUE(has(unit.text, "[Unit]\nConditionPathExists=/usr/local/bin/ratingd\n"));
    const std::string lines = std::regex_replace(unit.text, std::regex("(^|\n)#[^\n]*"), "");
    const std::regex of_the_first(
        R"(ratingd(@|\.socket|\.target|-reload|-maintain|-sites)|/etc/ratingd/[^s]|/etc/ratingd/secret|/usr/bin)");
    EXPECT_FALSE(std::regex_search(lines, of_the_first)) << unit.text;
  }
  EXPECT_TRUE(
      has(units[2].text, "ExecStart=/usr/local/bin/ratingd --config=/etc/ratingd/sites/shop.conf"));
  EXPECT_TRUE(has(units[2].text, "LoadCredential=secret:/etc/ratingd/sites/shop/secret\n"));
  EXPECT_TRUE(has(units[2].text, "\nUser=ratingd-shop\n"));
  EXPECT_TRUE(has(units[2].text, "RuntimeDirectory=ratingd/sites/shop\n"));
  EXPECT_TRUE(has(units[3].text, "/usr/local/bin/ratingctl --site=shop reload"));
  EXPECT_TRUE(has(units[4].text, "--config=/etc/ratingd/sites/shop/ratingctl.conf maintain"));
  EXPECT_TRUE(has(units[6].text, "/sites/shop/ratingctl.conf migrate --all-sites --new"));
}

TEST(SiteFiles, NoTwoProgramsShareAnAccount) {
  for (const setup::Unit& unit : setup::site_units(kShop, "/usr")) {
    if (!unit.name.ends_with(".service") || has(unit.name, "reload")) continue;
    if (has(unit.name, "-sites")) continue;  // this unit runs as root
    const bool is_worker = has(unit.name, "@");
    EXPECT_EQ(has(unit.text, "\nUser="), is_worker) << unit.text;
    EXPECT_EQ(has(unit.text, "\nDynamicUser=yes\n"), !is_worker) << unit.text;
  }
  EXPECT_TRUE(has(std::string(setup::packaged_file("ratingd@.service")), "\nUser=ratingd\n"));
  EXPECT_TRUE(
      has(setup::site_sysusers(kShop), "\nu ratingd-shop - \"Rating service, site shop\"\n"));
  // useradd limits the length of account names.
  EXPECT_LE(setup::site_named("abcdefghijklmnop").unit.size(), 31U);
}

TEST(SiteFiles, ConfigurationsSayWhatDiffersFromTheFirstSite) {
  const std::string text = setup::workers_conf(kShop, {.base_path = "/x", .blog_id = 2});
  for (const char* line :
       {"wp-config = /etc/ratingd/sites/shop/wp-config.php\n", "blog-id = 2\n", "base-path = /x\n",
        "secret-file = /etc/ratingd/sites/shop/secret\n", "runtime-dir = /run/ratingd/sites/shop\n",
        "db-user = ratingd_shop\n", "db-password-file = /etc/ratingd/sites/shop/db-password\n"}) {
    EXPECT_TRUE(has(text, line)) << line;
  }
  EXPECT_TRUE(has(setup::ratingctl_conf(kShop, {}), "db-user = ratingctl_shop\n"));
  EXPECT_FALSE(has(setup::ratingctl_conf(kShop, {}), "blog-id"));
}

TEST(SiteFiles, SiteWithoutWordpressHasItsOptionsAndNoWpConfig) {
  setup::Site site = kShop;
  site.wp_config.clear();
  const setup::SiteOptions options{.others = {{"cms", "none"}, {"db-name", "goods"}}};
  for (const std::string& text :
       {setup::workers_conf(site, options), setup::ratingctl_conf(site, options)}) {
    EXPECT_TRUE(has(text, "\n\ncms = none\ndb-name = goods\nbase-path = /wp-json/ratingd/v1\n"))
        << text;
    EXPECT_FALSE(has(text, "wp-config"));
  }
  const auto with = setup::site_units(kShop, "/usr");
  const auto without = setup::site_units(site, "/usr");
  ASSERT_EQ(without.size(), 6U);  // without the units for the sites of a network
  for (std::size_t i = 0; i < without.size(); ++i) {
    const bool is_reader =
        with[i].name.ends_with("@.service") || has(with[i].name, "maintain.service");
    EXPECT_EQ(has(with[i].text, "RATINGD_WP_CONFIG"), is_reader) << with[i].text;
    EXPECT_FALSE(has(without[i].text, "WP_CONFIG") || has(without[i].text, "wp-config"));
    EXPECT_EQ(has(without[i].text, "Environment=RATINGD_DB_PASSWORD_FILE=%d/db-password\n"),
              is_reader);
  }
}

}  // namespace
