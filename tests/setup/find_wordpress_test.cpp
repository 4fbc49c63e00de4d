#include "setup/find_wordpress.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "config/config.h"
#include "support/folder_test.h"

namespace {

namespace fs = std::filesystem;

// Creates a root folder with files.
class FindWordPress : public support::FolderTest {
 protected:
  void put_php(const std::string& name, const std::string& text) const {
    put(name, "<?php\n" + text);
  }
  [[nodiscard]] fs::path site(const std::string& name, const std::string& database,
                              const std::string& more = "") const {
    put_php(name, "define( 'DB_NAME', '" + database + "' );\n" + more);
    return path(name);
  }
  [[nodiscard]] std::vector<setup::FoundConfig> found() const {
    return setup::find_wp_configs(folder_.path());
  }
};

TEST_F(FindWordPress, EmptyHostHasNone) { EXPECT_TRUE(found().empty()); }

TEST_F(FindWordPress, DebiansIsTheFileThatItsWpConfigIncludes) {
  put_php("usr/share/wordpress/wp-config.php",
          "require_once($debian_file);\nif (!defined('DB_NAME')) "
          "define('DB_NAME', 'wordpress');");
  const fs::path config = site("etc/wordpress/config-default.php", "wordpress");
  const std::vector<setup::FoundConfig> expected = {{config, "wordpress"}};
  EXPECT_EQ(found(), expected);
}

TEST_F(FindWordPress, UsualPlacesAreLookedAt) {
  std::vector<setup::FoundConfig> expected;
  for (const char* name :
       {"home/someone/public_html/wp-config.php", "srv/www/example.org/htdocs/wp-config.php",
        "usr/share/nginx/html/wp-config.php", "var/www/example.org/public/wp-config.php",
        "var/www/html/wp-config.php", "var/www/wp-config.php"}) {
    expected.push_back({site(name, "a"), "a"});
  }
  EXPECT_EQ(found(), expected);
}

TEST_F(FindWordPress, FilesThatAreNoSitesAreLeftOut) {
  put_php("var/www/a/wp-config.php", "// nothing yet");
  put_php("var/www/b/wp-config.php", "define('DB_NAME, 'no end");
  static_cast<void>(site("var/www/c/wp-config-sample.php", "x"));
  static_cast<void>(site("etc/wordpress/htaccess", "x"));
  EXPECT_TRUE(found().empty());
}

TEST_F(FindWordPress, LinkedSiteIsOne) {
  static_cast<void>(site("srv/real/wp-config.php", "a"));
  fs::create_directories(path("var/www"));
  fs::create_directory_symlink(path("srv/real"), path("var/www/html"));
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(FindWordPress, DatabaseThatOnlyPhpKnowsIsNoReasonToHideASite) {
  put_php("var/www/html/wp-config.php", "define('DB_NAME', getenv('NAME'));");
  ASSERT_EQ(found().size(), 1U);
  EXPECT_EQ(found().front().database, "?");
}

TEST_F(FindWordPress, PluginsAreInWpContentBesideTheFile) {
  const fs::path config = site("var/www/html/wp-config.php", "a");
  EXPECT_EQ(setup::plugin_folder(config, folder_.path()), std::nullopt);
  fs::create_directory(config.parent_path() / "wp-content");
  EXPECT_EQ(setup::plugin_folder(config, folder_.path()),
            config.parent_path() / "wp-content/mu-plugins");
}

// WordPress also looks for wp-config.php in the parent folder.
TEST_F(FindWordPress, PluginsAreInTheWebRootBelowTheFile) {
  const fs::path config = site("home/anna/wp-config.php", "a");
  const fs::path anna = config.parent_path();
  const auto add_wordpress = [](const fs::path& root) {
    fs::create_directories(root / "wp-includes");
    fs::create_directories(root / "wp-content");
    std::ofstream(root / "wp-settings.php") << "<?php";
  };
  const auto found = [&] { return setup::plugin_folder(config, folder_.path()); };
  fs::create_directories(anna / "backup/wp-content");
  add_wordpress(path("home/bert/htdocs"));
  fs::create_directory_symlink(path("home/bert/htdocs"), anna / "of-another");
  EXPECT_EQ(found(), std::nullopt);
  add_wordpress(anna / "htdocs");
  EXPECT_EQ(found(), anna / "htdocs/wp-content/mu-plugins");
  // The second installation has its own wp-config.php, so it does not use the wp-config.php in its
  // parent folder.
  add_wordpress(anna / "blog");
  std::ofstream(anna / "blog/wp-config.php") << "<?php";
  EXPECT_EQ(found(), anna / "htdocs/wp-content/mu-plugins");
  add_wordpress(anna / "old");
  EXPECT_EQ(found(), std::nullopt) << "nobody knows which";
  // The folder that contains wp-config.php is now a WordPress installation itself, so the
  // installations in its subfolders no longer use this wp-config.php.
  std::ofstream(anna / "wp-settings.php") << "<?php";
  fs::create_directory(anna / "wp-content");
  EXPECT_EQ(found(), anna / "wp-content/mu-plugins");
}

TEST_F(FindWordPress, PluginsAreWhereTheFileSaysOrDebianHasThem) {
  const fs::path content = path("var/lib/wordpress/wp-content");
  fs::create_directories(content);
  const fs::path debian = site("etc/wordpress/config-default.php", "a");
  EXPECT_EQ(setup::plugin_folder(debian, folder_.path()), content / "mu-plugins");
  const fs::path other = site("var/www/html/wp-config.php", "a",
                              "define('WP_CONTENT_DIR', '" + content.string() + "');");
  EXPECT_EQ(setup::plugin_folder(other, folder_.path()), content / "mu-plugins");
  const fs::path own =
      site("var/www/own/wp-config.php", "a",
           "define('WPMU_PLUGIN_DIR', '" + content.string() + "/must/mu-plugins');");
  EXPECT_EQ(setup::plugin_folder(own, folder_.path()), std::nullopt);
  fs::create_directory(content / "must");
  EXPECT_EQ(setup::plugin_folder(own, folder_.path()), content / "must/mu-plugins");
}

TEST_F(FindWordPress, FileOfACustomerCannotNameTheFolderOfAnother) {
  if (geteuid() != 0) GTEST_SKIP() << "only root makes files of others";
  const fs::path content = path("home/b/wp-content");
  fs::create_directories(content);
  for (const std::string& constant : {"WP_CONTENT_DIR', '" + content.string(),
                                      "WPMU_PLUGIN_DIR', '" + content.string() + "/mu-plugins"}) {
    const fs::path config = site("home/a/wp-config.php", "a", "define('" + constant + "');");
    EXPECT_EQ(setup::plugin_folder(config, folder_.path()), content / "mu-plugins") << "root's own";
    ASSERT_EQ(chown(config.c_str(), 12345, 12345), 0);
    EXPECT_EQ(setup::plugin_folder(config, folder_.path()), std::nullopt);
    ASSERT_EQ(chown(content.c_str(), 12345, 12345), 0);
    EXPECT_EQ(setup::plugin_folder(config, folder_.path()), content / "mu-plugins");
    ASSERT_EQ(chown(content.c_str(), 0, 0), 0);
    ASSERT_EQ(chown(config.c_str(), 0, 0), 0);
  }
}

TEST_F(FindWordPress, FileCannotNameAnyFolderOfTheSystem) {
  fs::create_directories(path("etc/nginx/sites-enabled"));
  fs::create_directories(path("var/www/html/wp-content"));
  for (const std::string name :
       {"/etc/nginx/sites-enabled", "/etc/nginx/sites-enabled/mu-plugins/..",
        "/etc/nginx/sites-enabled/"}) {
    const fs::path config =
        site("var/www/html/wp-config.php", "a",
             "define('WPMU_PLUGIN_DIR', '" + folder_.path().string() + name + "');");
    EXPECT_EQ(setup::plugin_folder(config, folder_.path()), std::nullopt) << name;
  }
}

TEST_F(FindWordPress, PipeIsNotWaitedFor) {
  fs::create_directories(path("home/x"));
  ASSERT_EQ(mkfifo((path("home/x/pipe")).c_str(), 0600), 0);
  fs::create_symlink("pipe", path("home/x/wp-config.php"));
  EXPECT_TRUE(found().empty());
  EXPECT_THROW((void)setup::plugin_folder(path("home/x/wp-config.php"), folder_.path()),
               config::Error);
}

TEST_F(FindWordPress, CustomersLinkToTheFileOfAnotherHidesNothing) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make links of others";
  const fs::path config = site("srv/victim/wp-config.php", "a");
  fs::create_directories(path("home/x"));
  const fs::path link = path("home/x/wp-config.php");
  fs::create_symlink(config, link);
  ASSERT_EQ(lchown(link.c_str(), 12345, 12345), 0);
  const std::vector<setup::FoundConfig> expected = {{config, "a"}};
  EXPECT_EQ(found(), expected);
}

}  // namespace
