#include <gtest/gtest.h>

#include <string>

#include "config/config.h"
#include "support/steps.h"
#include "wordpress/wp_config.h"

namespace {

// Parses texts that repeat the beginning of a PHP construct, such as "$super_admins[", but never
// contain its end.
TEST(WpConfig, AnyRepetitionIsReadInStepsProportionalToItsLength) {
  for (const char* const piece : {"$super_admins[",
                                  "$super_admins[$super_admins[1]] ",
                                  "$super_admins[1][",
                                  "include ",
                                  "<<<",
                                  "<<<A ",
                                  "<<<'A ",
                                  "<<< ",
                                  "//?><?php ",
                                  "#",
                                  "/*",
                                  "define('X', ",
                                  "define(",
                                  "const X = (",
                                  "const X = 1, ",
                                  "$table_prefix = ",
                                  "'",
                                  "\"{$",
                                  "?>",
                                  "<?",
                                  "if (",
                                  "else: ",
                                  "'a' . ",
                                  "defined('X') or ",
                                  "$a[",
                                  ");",
                                  "A | "}) {
    support::expect_linear_steps(piece, [](const std::string& php) {
      try {
        static_cast<void>(wordpress::parse_wp_config("<?php\n" + php, "wp-config.php"));
      } catch (const config::Error&) {  // a string or a comment without an end
      }
    });
  }
}

}  // namespace
