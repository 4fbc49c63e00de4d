#include "setup/nginx.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/folder_test.h"

namespace {

namespace fs = std::filesystem;

const setup::NginxIncludes kIncludes = {"/etc/ratingd/nginx/ratingd-upstream.conf",
                                        "/etc/ratingd/nginx/ratingd.conf"};

// Creates a root folder with nginx's configuration.
class NginxFiles : public support::FolderTest {
 protected:
  using Names = std::vector<std::string>;
  [[nodiscard]] Names names(const std::vector<fs::path>& files) const {
    Names found;
    for (const fs::path& file : files) {
      found.push_back(file.lexically_relative(path("etc/nginx")).string());
    }
    return found;
  }
  [[nodiscard]] Names all() const {
    std::vector<fs::path> files;
    for (const auto& file : setup::nginx_files(folder_.path())) files.push_back(file.path);
    return names(files);
  }
  [[nodiscard]] Names with_lines() const {
    return names(setup::nginx_files_with(kIncludes, folder_.path()));
  }
};

TEST(NginxAccount, IsReadFromTheConfiguration) {
  const std::string begin = "# configuration file /etc/nginx/nginx.conf:\n";
  EXPECT_EQ(setup::account_in_configuration(begin + "# user a;\nuser  nginx;\nevents { }"),
            "nginx");
  EXPECT_EQ(setup::account_in_configuration(begin + "user www www;\n"), "www");
  EXPECT_EQ(setup::account_in_configuration(begin + "  user \"web-1\" 'web';"), "web-1");
  EXPECT_EQ(setup::account_in_configuration(begin + "user 'a\nuser\tb; events { }\n"), "b");
  EXPECT_EQ(setup::account_in_configuration(begin + "user ;\n"), "");
  EXPECT_EQ(setup::account_in_configuration(begin + "events { }\nhttp { userid on; }"), "");
}

TEST(NginxAccount, IsOtherwiseCompiledIn) {
  EXPECT_EQ(setup::account_compiled_in("configure arguments: --prefix=/etc/nginx --user=nginx "
                                       "--group=nginx --with-compat\n"),
            "nginx");
  EXPECT_EQ(setup::account_compiled_in("configure arguments: --prefix=/etc/nginx\n"), "");
}

TEST_F(NginxFiles, IncludedOnesAreFoundWhereverTheyAre) {
  put("etc/nginx/nginx.conf", "http { include mime.types; include /etc/nginx/hosts/*.vhost; }");
  put("etc/nginx/mime.types", "types { text/css css; }");
  put("etc/nginx/hosts/a.vhost", "server { include snippets/common.conf; }");
  put("etc/nginx/hosts/b.vhost.old", "");
  put("etc/nginx/snippets/common.conf",
      "include " + kIncludes.server + "; include snippets/*.conf;");
  EXPECT_EQ(all(), (Names{"nginx.conf", "mime.types", "hosts/a.vhost", "snippets/common.conf"}));
  EXPECT_EQ(with_lines(), Names{"snippets/common.conf"});
}

TEST_F(NginxFiles, BackupsThatNginxDoesNotReadAreNone) {
  const std::string line = "include " + kIncludes.upstream + ";";
  put("etc/nginx/conf.d/a.conf", line);
  put("etc/nginx/conf.d/a.bak", line);
  put("etc/nginx/sites-enabled/.a.swp", line);
  put("etc/nginx/sites-enabled/a", line);
  EXPECT_EQ(with_lines(), (Names{"conf.d/a.conf", "sites-enabled/a"}));
}

TEST_F(NginxFiles, OneThatCannotBeParsedDoesNotHideOthers) {
  put("etc/nginx/nginx.conf", "http { a 'b");
  put("etc/nginx/conf.d/a.conf", "include " + kIncludes.upstream + ";");
  put("etc/nginx/sites-enabled/readme", "What }} is here");
  EXPECT_EQ(all(), (Names{"nginx.conf", "conf.d/a.conf", "sites-enabled/readme"}));
  EXPECT_EQ(with_lines(), Names{"conf.d/a.conf"});
}

TEST_F(NginxFiles, LinkedOneIsOne) {
  put("etc/nginx/sites-available/a", "server { server_name example.org; }");
  fs::create_directories(path("etc/nginx/sites-enabled"));
  for (const char* name : {"a", "b"}) {
    fs::create_symlink("../sites-available/a", path("etc/nginx/sites-enabled") / name);
  }
  EXPECT_EQ(all(), Names{"sites-available/a"});
}

}  // namespace
