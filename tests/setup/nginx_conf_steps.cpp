#include <gtest/gtest.h>

#include <string>

#include "setup/nginx_conf.h"
#include "setup/step.h"
#include "support/steps.h"

namespace {

TEST(NginxConf, AnyRepetitionIsEditedInStepsProportionalToItsLength) {
  const setup::NginxIncludes lines = {"/etc/upstream.conf", "/etc/server.conf"};
  const std::string line = "include /etc/server.conf;";
  for (const std::string& piece :
       {std::string("server{server_name example.org;}"), std::string("server{server_name a;}"),
        line, " \t" + line, line + "\n", std::string("listen 1;"), std::string("server{"),
        std::string("a 'b"), std::string("# "), std::string("a_by_lua_block{--}"),
        std::string("a_by_lua_block{\"}")}) {
    support::expect_linear_steps(piece, [&](const std::string& text) {
      try {
        static_cast<void>(setup::without_includes(text, lines));
        static_cast<void>(setup::with_includes(text, lines, "example.org", true));
      } catch (const setup::Error&) {  // not a configuration, or no server { } for this host
      }
    });
  }
}

}  // namespace
