#include "setup/nginx.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "support/memory_folder.h"

namespace {

namespace fs = std::filesystem;

const setup::NginxIncludes kIncludes = {"/etc/ratingd/nginx/ratingd-upstream.conf",
                                        "/etc/ratingd/nginx/ratingd.conf"};

// A root folder with nginx's configuration.
class NginxFiles : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << text;
  }
  using Names = std::vector<std::string>;
  [[nodiscard]] Names names(const std::vector<fs::path>& files) const {
    Names found;
    for (const fs::path& file : files) {
      found.push_back(file.lexically_relative(folder_.path() / "etc/nginx").string());
    }
    return found;
  }
  [[nodiscard]] Names all() const { return names(setup::nginx_files(folder_.path())); }
  [[nodiscard]] Names with_lines() const {
    return names(setup::nginx_files_with(kIncludes, folder_.path()));
  }

  const support::MemoryFolder folder_;
};

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
  fs::create_directories(folder_.path() / "etc/nginx/sites-enabled");
  for (const char* name : {"a", "b"}) {
    fs::create_symlink("../sites-available/a", folder_.path() / "etc/nginx/sites-enabled" / name);
  }
  EXPECT_EQ(names(setup::nginx_files_for("example.org", folder_.path())),
            Names{"sites-available/a"});
}

}  // namespace
