#include "setup/apache.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/folder_test.h"

namespace {

namespace fs = std::filesystem;

const std::string kRedirectingHost =
    "<VirtualHost *:80>\n"
    "    ServerName example.org\n"
    "    Redirect permanent / https://example.org/\n"
    "</VirtualHost>\n";
const std::string kTlsBegin = "<IfModule mod_ssl.c>\n  <VirtualHost _default_:443>\n";
const std::string kTlsRest =
    "    ServerName example.org\n"
    "    ServerAlias www.example.org \\\n"
    "      *.blog.example.org\n"
    "    DocumentRoot \"/var/www/html\"\n"
    "  </VirtualHost>\n</IfModule>\n";
const std::string kOtherHost =
    "<VirtualHost *:443>\n"
    "    # ServerAlias example.org\n"
    "    ServerName other.example\n"
    "    DocumentRoot /srv/other\n"
    "</VirtualHost>";
const std::string kApacheHosts = kRedirectingHost + kTlsBegin + kTlsRest + kOtherHost;
const std::string kApacheLine = "    IncludeOptional /etc/ratingd/apache/ratingd.conf\n";

TEST(Apache, AddsItsLineToEachVirtualHostOfTheSite) {
  EXPECT_EQ(setup::with_apache_line(kApacheHosts, "example.org"),
            kRedirectingHost + kTlsBegin + kApacheLine + kTlsRest + kOtherHost);
}

TEST(Apache, KnowsNamesAsApacheDoes) {
  for (const char* host :
       {"example.org", "EXAMPLE.org", "www.example.org", "a.blog.example.org", "other.example"}) {
    EXPECT_TRUE(setup::apache_serves(kApacheHosts, host)) << host;
  }
  EXPECT_TRUE(setup::apache_serves(
      "<virtualhost *>\nSERVERNAME https://Example.org:443\nDocumentRoot /a\n</virtualhost>\n",
      "example.org"));
  for (const char* host : {"blog.example.org", "example.com", "other.example.org"}) {
    EXPECT_FALSE(setup::apache_serves(kApacheHosts, host)) << host;
  }
  EXPECT_FALSE(setup::apache_serves(kRedirectingHost, "example.org"));
}

TEST(Apache, SaysThatNoVirtualHostIsTheSites) {
  EXPECT_THROW(static_cast<void>(setup::with_apache_line(kApacheHosts, "example.com")),
               setup::Error);
  EXPECT_THROW(static_cast<void>(setup::with_apache_line("", "example.org")), setup::Error);
}

TEST(Apache, AddsItsLineOnce) {
  const std::string edited = setup::with_apache_line(kApacheHosts, "example.org");
  EXPECT_FALSE(setup::has_apache_line(kApacheHosts));
  EXPECT_TRUE(setup::has_apache_line(edited));
  EXPECT_EQ(setup::with_apache_line(edited, "example.org"), edited);
  // As an operator may have written it.
  const std::string by_hand =
      kTlsBegin + "include \"/etc/ratingd/apache/ratingd.conf\"\n" + kTlsRest;
  EXPECT_EQ(setup::with_apache_line(by_hand, "example.org"), by_hand);
}

TEST(Apache, RemovesItsLineAndNothingElse) {
  EXPECT_EQ(setup::without_apache_line(setup::with_apache_line(kApacheHosts, "example.org")),
            kApacheHosts);
  EXPECT_EQ(setup::without_apache_line("# Include /etc/ratingd/apache/ratingd.conf\n"),
            "# Include /etc/ratingd/apache/ratingd.conf\n");
}

class ApacheFiles : public support::FolderTest {};

TEST_F(ApacheFiles, AreThoseOfEnabledSites) {
  put("etc/apache2/sites-available/one.conf", "");
  put("etc/apache2/sites-available/two.conf", "");
  fs::create_directories(path("etc/apache2/sites-enabled"));
  fs::create_symlink("../sites-available/one.conf", path("etc/apache2/sites-enabled/one.conf"));
  fs::create_symlink("../gone.conf", path("etc/apache2/sites-enabled/gone.conf"));
  EXPECT_EQ(setup::apache_files(folder_.path()),
            std::vector{fs::canonical(path("etc/apache2/sites-available/one.conf"))});
  EXPECT_TRUE(setup::apache_files(path("nothing")).empty());
}

TEST_F(ApacheFiles, NameTheModulesThatAreMissing) {
  for (const char* module : {"env", "headers", "proxy", "proxy_http"}) {
    put("etc/apache2/mods-enabled/" + std::string(module) + ".load", "");
  }
  EXPECT_EQ(setup::enable_apache_modules(folder_.path()).actions,
            std::vector<std::string>{"enable Apache's modules rewrite"});
  put("etc/apache2/mods-enabled/rewrite.load", "");
  EXPECT_TRUE(setup::enable_apache_modules(folder_.path()).actions.empty());
}

}  // namespace
