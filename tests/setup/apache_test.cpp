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
  // An operator may have written the Include directive in lower case and with quotation marks.
  const std::string by_hand =
      kTlsBegin + "include \"/etc/ratingd/apache/ratingd.conf\"\n" + kTlsRest;
  EXPECT_EQ(setup::with_apache_line(by_hand, "example.org"), by_hand);
}

TEST(Apache, KnowsWhereTheLineOfTheSiteIsMissing) {
  const std::string edited = setup::with_apache_line(kApacheHosts, "example.org");
  const std::string tls = "\n" + kTlsBegin + kTlsRest;
  EXPECT_TRUE(setup::apache_lacks_line(kApacheHosts, "Example.org", 443));
  EXPECT_FALSE(setup::apache_lacks_line(edited, "example.org", 443));
  EXPECT_TRUE(setup::apache_lacks_line(edited + tls, "example.org", 443));
  EXPECT_FALSE(setup::apache_lacks_line(kRedirectingHost, "example.org", 80));
  EXPECT_FALSE(setup::apache_lacks_line(kApacheHosts, "example.com", 443));
  // The name *.blog.example.org may also match another site.
  EXPECT_FALSE(setup::apache_lacks_line(kApacheHosts, "a.blog.example.org", 443));
}

TEST(Apache, KnowsThePortsOfVirtualHosts) {
  const auto lacks_line = [](const std::string& addresses, unsigned port) {
    return setup::apache_lacks_line("<VirtualHost " + addresses +
                                        ">\nServerName example.org\n"
                                        "DocumentRoot /a\n</VirtualHost>\n",
                                    "example.org", port);
  };
  EXPECT_TRUE(lacks_line("*:80 *:8080", 8080));
  EXPECT_FALSE(lacks_line("*:80 *:8080", 443));
  EXPECT_TRUE(lacks_line("[::1]:443", 443));
  EXPECT_FALSE(lacks_line("[::1]:443", 80));
  EXPECT_TRUE(lacks_line("*", 443));
  EXPECT_TRUE(lacks_line("*:*", 443));
  EXPECT_TRUE(lacks_line("[::1]", 443));
}

TEST(Apache, RemovesItsLineAndNothingElse) {
  EXPECT_EQ(setup::without_apache_line(setup::with_apache_line(kApacheHosts, "example.org")),
            kApacheHosts);
  EXPECT_EQ(setup::without_apache_line("# Include /etc/ratingd/apache/ratingd.conf\n"),
            "# Include /etc/ratingd/apache/ratingd.conf\n");
}

class ApacheModules : public support::FolderTest {};

TEST(Apache, NamesTheFilesOfVirtualHosts) {
  EXPECT_EQ(
      setup::files_of_virtual_hosts(
          "VirtualHost configuration:\n"
          "*:443                  is a NameVirtualHost\n"
          "         default server a.example (/srv/hosts/a (old).conf:1)\n"
          "         port 443 namevhost a.example (/srv/hosts/a (old).conf:1)\n"
          "                 alias www.a.example\n"
          "*:80                   b.example (/etc/apache2/sites-enabled/b.conf:12)\n"
          "ServerRoot: \"/etc/apache2\"\n"
          "User: name=\"www-data\" id=33\n"),
      (std::vector<fs::path>{"/etc/apache2/sites-enabled/b.conf", "/srv/hosts/a (old).conf"}));
  EXPECT_TRUE(setup::files_of_virtual_hosts("AH00526: Syntax error on line 1\n").empty());
}

TEST_F(ApacheModules, AreNamedIfMissing) {
  for (const char* module : {"env", "headers", "proxy", "proxy_http"}) {
    put("etc/apache2/mods-enabled/" + std::string(module) + ".load", "");
  }
  EXPECT_EQ(setup::enable_apache_modules(folder_.path()).actions,
            std::vector<std::string>{"enable Apache's modules rewrite"});
  put("etc/apache2/mods-enabled/rewrite.load", "");
  EXPECT_TRUE(setup::enable_apache_modules(folder_.path()).actions.empty());
}

}  // namespace
