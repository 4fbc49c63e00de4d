#include "setup/nginx_conf.h"

#include <gtest/gtest.h>

#include <string>

#include "setup/step.h"
#include "support/tests_folder.h"

namespace {

using setup::parse_nginx;

const setup::NginxIncludes kLines = {"/etc/ratingd/nginx/ratingd-upstream.conf",
                                     "/etc/ratingd/nginx/ratingd.conf"};
const std::string kUpstream = "include /etc/ratingd/nginx/ratingd-upstream.conf;";
const std::string kServer = "include /etc/ratingd/nginx/ratingd.conf;";

std::string added(const std::string& text, const std::string& host = "example.org",
                  bool adds_upstream = true) {
  return setup::with_includes(text, kLines, host, adds_upstream);
}

std::string removed(const std::string& text) { return setup::without_includes(text, kLines); }

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parse_nginx(text));
  } catch (const setup::Error& error) {
    return error.what();
  }
  return "(none)";
}

TEST(NginxConf, WordsQuotesCommentsAndBlocksAreUnderstood) {
  const auto all = parse_nginx(
      "# a { comment\n"
      "log_format x '$a; } {' \"b\\\"c\";  # another\n"
      "map $a $b { default 0; \"~^x{2}$\" 1; }\n"
      "set $x ${a}b;if ($x) { return 301 https://$host$request_uri; }");
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].words, (std::vector<std::string>{"log_format", "x", "$a; } {", "b\\\"c"}));
  ASSERT_EQ(all[1].block.size(), 2U);
  EXPECT_EQ(all[1].block[1].words.front(), "~^x{2}$");
  EXPECT_EQ(all[2].words, (std::vector<std::string>{"set", "$x", "${a}b"}));
  EXPECT_TRUE(all[3].block[0].is("return"));
}

TEST(NginxConf, LineOfAServerIsForThePortsOnWhichItListens) {
  const auto has_line = [](const std::string& text, unsigned port) {
    return setup::has_server_line(parse_nginx(text), kLines, port);
  };
  const std::string plain = "server { listen 8080; server_name example.org; }\n";
  const std::string tls = "server { listen [::]:443 ssl; " + kServer + " }\n";
  EXPECT_TRUE(has_line(plain + tls, 443));
  EXPECT_FALSE(has_line(plain + tls, 8080));
  EXPECT_FALSE(has_line(plain, 8080));
  EXPECT_TRUE(has_line("server { " + kServer + " }", 80));
  EXPECT_FALSE(has_line("server { " + kServer + " }", 443));
  // The file may contain these lines outside a server { } block, because another file can include
  // it inside a server { } block.
  EXPECT_TRUE(has_line("# ratings\n" + kServer, 443));
}

TEST(NginxConf, MistakesAreNamedWithTheirLine) {
  EXPECT_EQ(error_of("a b;\nserver {\n c;"), "line 3: a block has no \"}\"");
  EXPECT_EQ(error_of("a;\n}\n"), "line 2: unexpected \"}\"");
  EXPECT_EQ(error_of("a b"), "line 1: a directive has no \";\"");
  EXPECT_EQ(error_of("a {\n b }"), "line 2: a directive has no \";\"");
  EXPECT_EQ(error_of("a 'b;\n"), "line 1: a quoted text has no end");
  EXPECT_EQ(error_of("a;\n;"), "line 2: a directive has no name");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "a{";
  EXPECT_NE(error_of(deep).find("nested too deeply"), std::string::npos);
}

TEST(NginxConf, LinesAreAddedOnceAndRemovedWithoutATrace) {
  const std::string text =
      "# my site\n"
      "server {\n"
      "    listen 80;\n"
      "    server_name example.org www.example.org;  # ours\n"
      "    root /srv;\n"
      "}\n";
  const std::string expected = kUpstream +
                               "\n# my site\n"
                               "server {\n"
                               "    listen 80;\n"
                               "    server_name example.org www.example.org;  # ours\n"
                               "    " +
                               kServer +
                               "\n"
                               "    root /srv;\n"
                               "}\n";
  EXPECT_EQ(added(text), expected);
  EXPECT_EQ(added(expected), expected);
  EXPECT_EQ(removed(expected), text);
  EXPECT_EQ(removed(text), text);
}

TEST(NginxConf, ServersOfTheHostGetTheLineAndRedirectsDoNot) {
  const std::string text =
      "server { listen 80; server_name example.org; return 308 https://$host$request_uri; }\n"
      "server { listen 443 ssl; server_name example.org; root /srv; }\n"
      "server { listen 443 ssl; server_name other.org; root /srv; }\n";
  const std::string result = added(text);
  const auto all = parse_nginx(result);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_FALSE(setup::includes(all[1].block, kLines.server));
  EXPECT_TRUE(setup::includes(all[2].block, kLines.server));
  EXPECT_FALSE(setup::includes(all[3].block, kLines.server));
  EXPECT_EQ(added(result), result);
  EXPECT_FALSE(setup::includes(parse_nginx(removed(result)), kLines.server));
}

TEST(NginxConf, ServerWhoseRootOnlyRedirectsIsNotTheSites) {
  const auto serves = [](const std::string& text) {
    return setup::serves(parse_nginx("server { server_name example.org; " + text + " }"),
                         "example.org");
  };
  const std::string redirect = "location / { return 301 https://$host$request_uri; }";
  const std::string php = "location ~ \\.php$ { fastcgi_pass unix:/run/php.sock; }";
  EXPECT_FALSE(serves(redirect));
  EXPECT_FALSE(serves("location ^~ / { return https://example.org; }"));
  EXPECT_FALSE(serves("location /.well-known/acme-challenge/ { root /var/www; } " + redirect));
  EXPECT_FALSE(serves("location ^~ /.well-known/ { proxy_pass http://127.0.0.1:1; } " + redirect));
  EXPECT_TRUE(serves(redirect + php));
  EXPECT_TRUE(serves("listen 443 ssl; " + redirect));
  EXPECT_TRUE(serves("location / { return 301 /blog/; }"));
  EXPECT_TRUE(serves("location = / { return 301 https://example.org/en/; }"));
  EXPECT_TRUE(
      serves("location / { if ($x) { return 301 https://a; } try_files $uri /index.php; }"));
}

TEST(NginxConf, ServerOnTheSitesPortWithoutTheLineIsFound) {
  const auto lacks_line = [](const std::string& text, unsigned port) {
    return setup::lacks_server_line(parse_nginx(text), kLines, "example.org", port);
  };
  const std::string redirect =
      "server { server_name example.org; location / { return 301 https://$host$request_uri; } }";
  const std::string tls = "server { listen 443 ssl; server_name example.org; root /srv; }";
  EXPECT_TRUE(lacks_line(redirect + tls, 443));
  EXPECT_FALSE(lacks_line(redirect + tls, 80));
  EXPECT_FALSE(lacks_line(added(tls), 443));
  EXPECT_FALSE(lacks_line("server { listen 443 ssl; server_name other.org; }", 443));
}

TEST(NginxConf, LineInAServerThatRedirectsIsIgnored) {
  const std::string text = "server { server_name example.org; " + kServer +
                           " location / { return 301 https://$host$request_uri; } }";
  EXPECT_FALSE(setup::has_server_line(parse_nginx(text), kLines, 80));
  EXPECT_FALSE(setup::has_server_line(parse_nginx(text), kLines, 443));
}

TEST(NginxConf, LuaIsLeftOut) {
  const auto all = parse_nginx(
      "location / { content_by_lua_block { -- isn't } a name\n"
      "  local t = { a = \"}\", b = '\\'}' } ngx.say(t.a) } deny all; }\n"
      "include a;");
  ASSERT_EQ(all.size(), 2U);
  ASSERT_EQ(all[0].block.size(), 2U);
  EXPECT_TRUE(all[0].block[0].block.empty());
  EXPECT_TRUE(all[0].block[1].is("deny"));
  EXPECT_EQ(error_of("a_by_lua_block { { }\n"), "line 2: a block has no \"}\"");
  EXPECT_EQ(error_of("a_by_lua_block { -- }"), "line 1: a block has no \"}\"");
}

TEST(NginxConf, OnlyServerIsTakenIfItHasNoName) {
  EXPECT_THROW((void)added("server { server_name other.org; }"), setup::Error);
  EXPECT_NE(added("server { server_name _; }").find(kServer), std::string::npos);
  EXPECT_NE(added("server { root /srv; }").find(kServer), std::string::npos);
}

TEST(NginxConf, NoServerOfTheHostIsAnError) {
  EXPECT_THROW((void)added("server { server_name a; } server { server_name b; }"), setup::Error);
  EXPECT_THROW((void)added("server { server_name example.org; return 301 /; }"), setup::Error);
  EXPECT_THROW((void)added("upstream x { server 127.0.0.1; }"), setup::Error);
}

TEST(NginxConf, NamesMatchAsNginxMatchesThem) {
  const auto serves = [](const std::string& name, const std::string& host) {
    return setup::serves(parse_nginx("server { server_name x " + name + "; }"), host);
  };
  EXPECT_TRUE(serves("EXAMPLE.org", "example.org"));
  EXPECT_TRUE(serves("*.example.org", "shop.example.org"));
  EXPECT_FALSE(serves("*.example.org", "example.org"));
  EXPECT_TRUE(serves(".example.org", "example.org"));
  EXPECT_TRUE(serves(".example.org", "shop.example.org"));
  EXPECT_FALSE(serves("*.example.org", "badexample.org"));
  EXPECT_FALSE(serves("~^.*$", "example.org"));
}

TEST(NginxConf, PortsOfTheSiteAreThoseOfItsServers) {
  const auto listens = [](const std::string& text) {
    return setup::listens(parse_nginx(text), kLines, "example.org");
  };
  using Listens = std::vector<setup::NginxListen>;
  EXPECT_EQ(
      listens("server { listen 443 ssl http2; listen [::]:443 ssl; listen 127.0.0.1:8080;"
              " listen *:81; listen unix:/run/x.sock; listen [::1]; server_name example.org; }"),
      (Listens{{443, true}, {8080, false}, {81, false}, {80, false}}));
  EXPECT_EQ(listens("http { server { listen 82; server_name shop.example.com; } }"), Listens{});
  EXPECT_EQ(listens("server { listen 83; " + kServer + " }"), (Listens{{83, false}}));
  EXPECT_EQ(listens("server { listen 84; server_name example.org; return 301 https://x; }"),
            Listens{});
}

TEST(NginxConf, WholeConfigurationHasTheLinesInItsBlocks) {
  const std::string text =
      "events { }\n"
      "http {\n"
      "    server {\n"
      "        server_name example.org;\n"
      "    }\n"
      "}\n";
  const std::string result = added(text);
  EXPECT_NE(result.find("http {\n    " + kUpstream + "\n    server {\n"), std::string::npos);
  EXPECT_NE(result.find("org;\n        " + kServer + "\n    }\n"), std::string::npos);
  EXPECT_EQ(removed(result), text);
}

TEST(NginxConf, UpstreamThatAnotherFileHasIsNotAddedAgain) {
  EXPECT_EQ(added("server { server_name example.org; }", "example.org", false).find(kUpstream),
            std::string::npos);
}

TEST(NginxConf, ShippedExampleGetsBackWhatIsTakenFromIt) {
  const std::string text = support::text_in_tests("../nginx/example-site.conf");
  const std::string without = removed(text);
  EXPECT_EQ(without.find(kServer), std::string::npos);
  const std::string with = added(without);
  EXPECT_NE(with.find("\n    " + kServer + "\n"), std::string::npos);
  EXPECT_EQ(removed(with), without);
}

}  // namespace
